//! Reports for people and for programs: each format is a pure function of one report or of several.
//!
//! [`terminal`] prints one report, [`matrix`] several side by side. [`markdown`] is for the summary of a CI job, [`badge`] for a README, [`page`] for a browser, [`site`]
//! for all runtimes and releases, `junit` (a feature) for programs that show tests. [`json`] is for other programs, whose
//! requests [`oracle`] answers. [`export`] writes the corpus for readers without Rust. This crate decides nothing: every
//! count and verdict comes from `normative-conformance`.

/// The name and version of the suite that judged. It has no date and no commit, so the same report gives the
/// same bytes on any day and in any checkout of a version.
pub const SUITE: &str = concat!("Normative ", env!("CARGO_PKG_VERSION"));

pub mod badge;
pub mod column;
mod derived;
pub mod export;
pub mod json;
#[cfg(feature = "junit")]
pub mod junit;
mod lines;
pub mod markdown;
pub mod matrix;
pub mod npy;
pub mod oracle;
mod outcome;
pub mod page;
pub mod repro;
mod safety;
pub mod site;
pub mod terminal;
