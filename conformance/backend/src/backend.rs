//! The implementation under test, as the judge sees it: a type that answers calls.
//!
//! A backend translates a [`Call`] for its runtime, and the runtime's result into an [`Answer`]. It judges
//! nothing and repairs nothing: a call that its runtime cannot express is [`Answer::Unsupported`], not
//! emulated.

use std::fmt;

use normative_reference::{Call, Dtype, Family, Layout, Tensor};
use thiserror::Error;

use crate::Declared;

/// An implementation under test.
///
/// A backend crate exports `pub fn backend() -> impl Backend`; that is the whole contract. Where its runtime may be
/// missing, it exports `pub fn backend() -> Result<impl Backend, Unavailable>`.
pub trait Backend {
    /// Names the runtime. Called once, before any call.
    fn identity(&self) -> Identity;

    /// Declares claims and limits. Called once, before any call.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    /// Performs one call. Calls are independent: the answer must not depend on earlier ones.
    fn answer(&mut self, call: &Call) -> Answer;
}

/// The reason why there is no backend: its library is not installed, or not made for this system. Not a verdict.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unavailable: {0}")]
pub struct Unavailable(pub String);

/// A return value of a crate's `backend()`.
pub trait IntoBackend {
    /// The backend.
    type Backend: Backend;

    /// Returns the backend, if it is available here.
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

/// The names of a runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The runtime's name, as its users know it.
    pub name: String,
    /// The version of the runtime, not of the adapter.
    pub version: String,
    /// The place where its maintainers take bug reports: a URL or an address.
    pub report_bugs_to: String,
}

/// The claims and limits that a backend declares. They exclude no case: a call beyond them counts as unsupported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Pairs of a data type and the float type that holds its sums, where the implementation promises one.
    pub accumulation: Vec<(Dtype, Dtype)>,
    /// True if the runtime takes more than about two seconds for 20,000 calls. By default the judge then
    /// makes fewer generated calls.
    pub slow: bool,
    /// The families whose texts the implementation promises to keep, and how much of each. By default these
    /// alone are judged; a user may name another, which is judged in full.
    pub claims: Vec<Claim>,
    /// True if the backend takes ONNX calls whose axes have the form of another opset
    /// ([`OtherForm`](normative_reference::Axes::OtherForm)). Otherwise they are not sent, and count as unsupported.
    pub other_forms: bool,
    /// The layouts in which the implementation takes data, beside row-major ([`Call::layout`]). The adapter
    /// then hands over a view in that layout, never a copy in another. Calls in other layouts are sent with
    /// row-major data.
    pub layouts: Vec<Layout>,
    /// The operators and element types that the implementation has, if the backend lists them.
    pub declared: Declared,
}

impl Default for Capabilities {
    /// Makes no promise about sums, claims the default families, lists no operator or type, takes row-major data
    /// only, and is not slow.
    fn default() -> Self {
        Self {
            accumulation: Vec::new(),
            slow: false,
            claims: Claim::in_full(&Family::BY_DEFAULT),
            other_forms: false,
            layouts: Vec::new(),
            declared: Declared::default(),
        }
    }
}

/// A family whose texts an implementation promises to keep, and how much of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The family.
    pub family: Family,
    /// The promised part of it.
    pub extent: Extent,
}

/// The part of a family's texts that an implementation promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it: it takes every type and form that a text lists, and refuses invalid calls.
    InFull,
    /// The values of the calls that its users can make. Types, forms and refusals are its own choice.
    ValuesAlone,
}

impl Claim {
    /// Claims all of these families.
    pub fn in_full(families: &[Family]) -> Vec<Self> {
        families.iter().map(|&family| Self { family, extent: Extent::InFull }).collect()
    }

    /// Claims only the values of these families.
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
    /// Returns true if the backend claims this family, in full or its values alone.
    pub fn claims(&self, family: Family) -> bool {
        self.claims.iter().any(|claim| claim.family == family)
    }

    /// Returns how much of a family is judged: all of it if the backend does not claim the family.
    pub fn extent(&self, family: Family) -> Extent {
        let claim = self.claims.iter().find(|claim| claim.family == family);
        claim.map_or(Extent::InFull, |claim| claim.extent)
    }
}

/// An adapter's answer to a call.
///
/// An adapter cannot report a missing or late answer, or changed data: [`serve`](crate::serve) and the judge
/// observe these from outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The output tensor.
    Tensor(Tensor),
    /// The runtime refused the call as invalid, with this message.
    Rejected(String),
    /// The runtime has no way to express the call, or states that it does not implement it, for this reason.
    Unsupported(String),
    /// The runtime failed, and the adapter survived: an error other than a refusal, or a write to memory that
    /// it must not touch. The text describes it. The backend's state may be half changed, so a worker ends
    /// after this answer. A panic of the adapter means the same.
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
