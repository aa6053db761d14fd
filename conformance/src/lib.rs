//! Judges implementations of the norm reductions.
//!
//! This crate is not an implementation of any norm, and it knows no runtime: what is right comes
//! from [`normative_reference`], and whoever is judged implements [`Backend`].
//!
//! The way of a case: [`cases`] loads it, [`claim`] holds it against the reference, [`run`] asks a
//! [`backend`], [`compare`] and [`verdict`] judge the answer with the tolerances of [`accuracy`],
//! [`report`] counts, [`readings`] solves for what all answers together say of open questions, [`finding`] says what speaks against a backend, [`terminal`] prints; [`repeat`] asks some
//! calls again, and `record` keeps every answer on file; [`matrix`] puts several reports side by side, [`mod@diff`]
//! tells what changed from one to another, [`baseline`] holds one against what is known to fail ([`fault`]), `page`
//! shows it all in a browser, and [`derivation`] spells out a bound.
//! [`generate`] makes calls that nobody wrote down, [`property`] judges those, [`hunt`] makes them for as long as it
//! may, [`shrink`] makes the least call of one that fails. [`law`] judges answers against each other.

pub mod accuracy;
#[cfg(feature = "record")]
pub mod badge;
pub mod baseline;
pub mod cases;
pub(crate) mod cited;
pub mod claim;
pub mod compare;
pub mod derivation;
pub mod diff;
pub mod digest;
pub mod display;
#[cfg(feature = "record")]
pub mod export;
pub mod fault;
pub mod finding;
pub mod generate;
pub mod hunt;
#[cfg(feature = "record")]
pub mod junit;
pub mod kernel;
pub mod law;
pub mod markdown;
pub mod matrix;
pub mod neighbours;
#[cfg(feature = "record")]
pub mod page;
pub mod probe;
pub mod property;
mod random;
pub mod readings;
#[cfg(feature = "record")]
pub mod record;
pub mod repeat;
pub mod report;
pub mod run;
pub mod second_opinion;
pub mod shrink;
pub mod smoke;
pub mod tables;
pub mod terminal;
pub mod verdict;
pub mod worker;

pub use normative_backend::{Answer, Backend, Capabilities, Death, Identity, IntoBackend, Unavailable};
pub use normative_reference as reference;
pub use verdict::{Demands, Sheet, Verdict, judge};
pub use worker::Worker;
