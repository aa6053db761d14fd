//! Judges implementations of the norm reductions.
//!
//! This crate is not an implementation of any norm, and it knows no runtime: what is right comes
//! from [`normative_reference`], and whoever is judged implements [`Backend`].
//!
//! The folders are the way of a call. [`generate`] makes calls that nobody wrote down and [`corpus`] loads those that
//! somebody did, [`drive`] asks a backend in a process of its own, [`mod@judge`] compares an answer with all that the
//! reference accepts, [`run`] does so call after call and solves for what all answers together say of open questions,
//! [`report`] counts, says what speaks against a backend and keeps every answer on file, [`session`] is a whole run from
//! its first question to its report, and [`present`] lays it out for people and programs. [`hunt`] looks for failing calls for as long as it may and makes them small.

pub mod corpus;
pub mod defect;
pub mod digest;
pub mod display;
pub mod drive;
pub mod generate;
pub mod hunt;
pub mod judge;
pub mod nearest;
pub mod outside;
pub mod parallel;
pub mod present;
mod random;
pub mod report;
pub mod run;
pub mod session;
pub mod shrink;

pub use drive::Worker;
pub use judge::verdict::{Demands, Evaluator, Sheet, Verdict, judge};
pub use normative_backend::{Answer, Backend, Capabilities, Death, Identity, IntoBackend, Unavailable};
pub use normative_reference as reference;
