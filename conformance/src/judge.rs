//! Whether an answer is right, and how near it came.
//!
//! [`compare`] holds one answer against one expectation, by the tolerances of [`accuracy`]; [`verdict`] does so for
//! every honest reading of the call. [`hazard`] says of an accepted answer where it is not the norm. [`fault`] lists what can be wrong with it. [`second_opinion`] holds the reference against itself. Nothing here asks a backend
//! or reads a file.

pub mod accuracy;
pub mod compare;
pub mod fault;
pub mod hazard;
pub mod second_opinion;
pub mod verdict;
