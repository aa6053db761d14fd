//! Judges answers, right or wrong and how near to the exact value, and makes calls from bytes.
//!
//! [`compare`] checks one answer against one expectation, by the tolerances of [`accuracy`]. [`verdict`] does so for
//! every honest reading of the call. [`hazard`] finds accepted answers that are not the norm. [`fault`] lists all
//! ways to fail. [`generate`] turns bytes into calls.
//!
//! Nothing here asks a backend or reads a file. Every element of every call passes through this crate, so it is
//! compiled for speed; `normative-conformance`, which works call by call, is compiled for a quick first run.

pub mod accuracy;
pub mod compare;
pub mod digest;
pub mod display;
pub mod fault;
pub mod generate;
pub mod hazard;
pub mod nearest;
pub mod observed;
pub mod random;
pub mod verdict;
