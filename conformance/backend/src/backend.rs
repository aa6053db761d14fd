//! What an implementation under test looks like from here: something that answers calls.
//!
//! A backend translates a [`Call`] into whatever its runtime wants, and the runtime's result into
//! an [`Answer`]. It judges nothing, and it never repairs: a call its runtime cannot express is
//! [`Answer::Unsupported`], not emulated.

use std::fmt;
use std::time::Duration;

use normative_reference::{Call, Dtype, Family, Tensor};
use thiserror::Error;

/// An implementation under test.
///
/// A backend crate exports `pub fn backend() -> impl Backend`; that is the whole contract. Where its runtime may be
/// missing, it exports `pub fn backend() -> Result<impl Backend, Unavailable>`.
pub trait Backend {
    /// Who this is. Asked once, before any call.
    fn identity(&self) -> Identity;

    /// What it says of itself beforehand. Asked once, before any call.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    /// Performs one call. Calls are independent: the answer must not depend on earlier ones.
    fn answer(&mut self, call: &Call) -> Answer;

    /// Performs several calls, in order: as many answers, unless it [is halted](Self::is_halted). A runtime need not do better than one after
    /// another; whoever drives one in another process does.
    fn answer_all(&mut self, calls: &[&Call]) -> Vec<Answer> {
        calls.iter().map(|call| self.answer(call)).collect()
    }

    /// Performs several calls as [`answer_all`](Self::answer_all) does, and other work of the caller's, at most
    /// once. Whoever drives a runtime in another process does that while the calls are performed there.
    fn answer_all_while(&mut self, calls: &[&Call], other_work: &mut dyn FnMut()) -> Vec<Answer> {
        let answers = self.answer_all(calls);
        other_work();
        answers
    }

    /// Performs several calls as [`answer_all`](Self::answer_all) does, as the first after a fresh start where there
    /// can be one. A backend in this process goes on as it is.
    fn answer_afresh(&mut self, calls: &[&Call]) -> Vec<Answer> {
        self.answer_all(calls)
    }

    /// Whether the backend can be asked no more, and no call is to blame for that. The calls that were last asked then
    /// have no answer; what [`answer`](Self::answer) returned for them does not count. A runtime in this process is never
    /// halted.
    fn is_halted(&self) -> bool {
        false
    }
}

/// Why there is no backend here: its library is not installed, or not made for this system. No verdict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unavailable: {0}")]
pub struct Unavailable(pub String);

/// What a crate's `backend()` may return.
pub trait IntoBackend {
    /// The backend.
    type Backend: Backend;

    /// The backend, if there is one here.
    ///
    /// # Errors
    /// [`Unavailable`] with the reason.
    fn into_backend(self) -> Result<Self::Backend, Unavailable>;
}

impl<B: Backend> IntoBackend for B {
    type Backend = B;

    fn into_backend(self) -> Result<B, Unavailable> {
        Ok(self)
    }
}

impl<B: Backend> IntoBackend for Result<B, Unavailable> {
    type Backend = B;

    fn into_backend(self) -> Self {
        self
    }
}

/// Who a backend is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The runtime's name, as its users know it.
    pub name: String,
    /// The version of the runtime, not of the adapter.
    pub version: String,
    /// Where its maintainers take bug reports: a URL or an address.
    pub report_bugs_to: String,
}

/// What a backend declares of itself. It narrows no case away: a call beyond it is still made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// For a data type, the float type its sums are held in, where the implementation promises one.
    pub accumulation: Vec<(Dtype, Dtype)>,
    /// Whether the runtime takes more than about two seconds for 20,000 calls. By default the judge then asks it fewer
    /// generated calls.
    pub slow: bool,
    /// The families whose texts the implementation promises to keep to. By default it is judged by those alone; by
    /// another where that is asked for by name.
    pub families: Vec<Family>,
}

impl Default for Capabilities {
    /// No promise about sums, not slow, and the families that every backend claims unless it says otherwise.
    fn default() -> Self {
        Self { accumulation: Vec::new(), slow: false, families: Family::BY_DEFAULT.to_vec() }
    }
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The output tensor.
    Tensor(Tensor),
    /// An output larger than any reading of the call gives, without its elements. A backend never answers this: the
    /// process that drives a worker does, so that no worker decides how much memory its judge takes.
    Oversized {
        /// The element type.
        dtype: Dtype,
        /// The dims.
        shape: Vec<usize>,
    },
    /// The runtime refused the call as invalid; its own message.
    Rejected(String),
    /// The runtime has no way to express the call, or says it does not implement it; why.
    Unsupported(String),
    /// The runtime changed the data it was given; what is known of it. Nothing it returned counts. A backend
    /// need not say this of itself: [`serve`](crate::serve) compares.
    ChangedData(String),
    /// No answer came. A backend need not say this of itself: whoever drives it does.
    Died(Death),
}

/// How a backend came not to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Death {
    /// It panicked, aborted, was killed or broke the protocol; what is known of it.
    Crashed(String),
    /// It had not answered after this long.
    TimedOut(Duration),
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crashed(how) => write!(f, "crashed: {how}"),
            Self::TimedOut(after) => write!(f, "no answer within {} s", after.as_secs_f64()),
        }
    }
}

impl<B: Backend + ?Sized> Backend for Box<B> {
    fn identity(&self) -> Identity {
        (**self).identity()
    }
    fn capabilities(&self) -> Capabilities {
        (**self).capabilities()
    }
    fn answer(&mut self, call: &Call) -> Answer {
        (**self).answer(call)
    }
    fn answer_all(&mut self, calls: &[&Call]) -> Vec<Answer> {
        (**self).answer_all(calls)
    }
    fn answer_all_while(&mut self, calls: &[&Call], other_work: &mut dyn FnMut()) -> Vec<Answer> {
        (**self).answer_all_while(calls, other_work)
    }
    fn answer_afresh(&mut self, calls: &[&Call]) -> Vec<Answer> {
        (**self).answer_afresh(calls)
    }
    fn is_halted(&self) -> bool {
        (**self).is_halted()
    }
}
