//! Everything that a backend needs: the trait, its calls and answers, and the connection to a judge.
//!
//! An adapter of a runtime implements [`Backend`] and exports `pub fn backend()`; [`serve`] makes a worker of
//! it that answers over the protocol of [`wire`]. This crate does not judge, read cases or know a runtime,
//! and depends on no crate that does.
//!
//! ```
//! use normative_backend::reference::Call;
//! use normative_backend::{Answer, Backend, Identity};
//!
//! struct Nothing;
//!
//! impl Backend for Nothing {
//!     fn identity(&self) -> Identity {
//!         Identity { name: "nothing".into(), version: "1".into(), report_bugs_to: "https://example.org".into() }
//!     }
//!     fn answer(&mut self, _: &Call) -> Answer {
//!         Answer::Unsupported("it does nothing yet".into())
//!     }
//! }
//!
//! pub fn backend() -> impl Backend {
//!     Nothing
//! }
//! ```

mod backend;
mod bound;
pub mod bytes;
mod declared;
mod error;
pub mod frame;
pub mod layout;
mod parts;
mod reply;
mod serve;
mod stub;
pub mod wire;

pub use backend::{Answer, Backend, Capabilities, Claim, Extent, Identity, IntoBackend, Unavailable};
pub use declared::Declared;
pub use ndarray;
pub use normative_reference as reference;
pub use serve::serve;
pub use stub::Stub;
