//! Judges answers: right or wrong, and how near to the exact value.
//!
//! [`compare`] checks one answer against one expectation, by the tolerances of [`accuracy`]. [`verdict`] does so for
//! every honest reading of the call. [`hazard`] finds accepted answers that are not the norm. [`fault`] lists all
//! ways to fail. [`second_opinion`] checks the reference against itself. Nothing here asks a backend or reads a file.

pub mod accuracy;
pub mod compare;
pub mod fault;
pub mod hazard;
pub mod second_opinion;
pub mod verdict;
