//! Judges implementations of the norm reductions.
//!
//! This crate implements no norm and knows no runtime: right answers come from [`normative_reference`], and an
//! implementation to be judged implements [`Backend`].
//!
//! The folders follow the way of a call. [`generate`] makes calls from bytes and [`corpus`] loads those of the case
//! files, [`drive`] asks a backend in a process of its own, [`mod@judge`] compares an answer with all that the
//! reference accepts, [`run`] does so call after call and solves for the readings of open questions, [`report`]
//! counts, lists evidence against a backend and keeps every answer on file, and [`session`] is a whole run from its
//! first call to its report. `normative-judge` has those that touch every element; `normative-present` lays a report
//! out for people and programs.

pub mod corpus;
pub mod defect;
pub mod drive;
pub mod law;
pub mod outside;
pub mod parallel;
pub mod report;
pub mod run;
pub mod session;
pub mod shrink;

pub use drive::{Driver, Worker};
pub use normative_backend::{
    Answer, Backend, Capabilities, Claim, Declared, Extent, Identity, IntoBackend, Stub, Unavailable,
};
pub use normative_judge as judge;
pub use normative_judge::observed::{Death, Observed};
pub use normative_judge::verdict::{Demands, Sheet, Verdict, judge};
pub use normative_judge::{digest, display, generate, nearest, observed, random};
pub use normative_reference as reference;
