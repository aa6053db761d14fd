//! What an implementation under test looks like from here: something that answers calls.
//!
//! A backend translates a [`Call`] into whatever its runtime wants, and the runtime's result into
//! an [`Answer`]. It judges nothing, and it never repairs: a call its runtime cannot express is
//! [`Answer::Unsupported`], not emulated.

use std::fmt;

use normative_reference::{Call, Dtype, Family, Layout, Tensor};
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
    /// The families whose texts the implementation promises to keep to, and how much of each. By default it is judged by
    /// those alone; by another, in full, where that is asked for by name.
    pub claims: Vec<Claim>,
    /// Whether the backend takes ONNX calls whose axes have the form of another opset ([`OtherForm`](normative_reference::Axes::OtherForm)).
    /// A worker that does not say so is not sent them: they count as unsupported.
    pub other_forms: bool,
    /// The layouts in which the implementation takes data, beside row-major ([`Call::layout`]). The adapter then hands over
    /// a view that lies so, and never a copy that does not. A backend is asked a call in a layout that it does not list with
    /// row-major data.
    pub layouts: Vec<Layout>,
}

impl Default for Capabilities {
    /// No promise about sums, not slow, no forms of another opset, data row-major alone, and the families that every backend claims unless it says otherwise.
    fn default() -> Self {
        Self {
            accumulation: Vec::new(),
            slow: false,
            claims: Claim::in_full(&Family::BY_DEFAULT),
            other_forms: false,
            layouts: Vec::new(),
        }
    }
}

/// A family whose texts an implementation promises to keep to, and how much of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The family.
    pub family: Family,
    /// How much of it.
    pub extent: Extent,
}

/// How much of a family's texts an implementation promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it: every type and form that a text lists, and that an invalid call is refused.
    InFull,
    /// The values of the calls that its users can make. It chooses its types and forms, and need not refuse a call.
    ValuesAlone,
}

impl Claim {
    /// Claims all of these families.
    pub fn in_full(families: &[Family]) -> Vec<Self> {
        families.iter().map(|&family| Self { family, extent: Extent::InFull }).collect()
    }

    /// Claims the values of these families alone.
    pub fn values_of(families: &[Family]) -> Vec<Self> {
        families.iter().map(|&family| Self { family, extent: Extent::ValuesAlone }).collect()
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.extent {
            Extent::InFull => self.family.fmt(f),
            Extent::ValuesAlone => write!(f, "{} (values alone)", self.family),
        }
    }
}

impl Capabilities {
    /// Returns whether the backend claims this family, in full or its values alone.
    pub fn claims(&self, family: Family) -> bool {
        self.claims.iter().any(|claim| claim.family == family)
    }

    /// Returns how much of a family is asked of the backend: all of one that it does not claim.
    pub fn extent(&self, family: Family) -> Extent {
        let claim = self.claims.iter().find(|claim| claim.family == family);
        claim.map_or(Extent::InFull, |claim| claim.extent)
    }
}

/// What an adapter says came of a call.
///
/// That no answer came, that it came too late, or that the data were changed is seen from outside: by
/// [`serve`](crate::serve) and by the judge. An adapter has no word for it.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The output tensor.
    Tensor(Tensor),
    /// The runtime refused the call as invalid; its own message.
    Rejected(String),
    /// The runtime has no way to express the call, or says it does not implement it; why.
    Unsupported(String),
    /// The runtime broke down, and the adapter lived to tell: an error that is not a refusal, memory that it must not
    /// write. The text says how. What it holds may be half changed, so a worker ends after this answer. A panic of the
    /// adapter means the same.
    Crashed(String),
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
}
