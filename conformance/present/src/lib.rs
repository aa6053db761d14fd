//! Reports for people and for programs: each format is a pure function of one report or of several.
//!
//! [`terminal`] prints one report, [`matrix`] several side by side, [`routes`] where routes of one product differ, and
//! [`support`] which types a backend supports; [`markdown`] is for the summary of a CI job, [`badge`]
//! for a README, [`page`] for a browser, [`evidence`] for an auditor, `junit` (a feature) for programs that show tests, and
//! [`export`] writes the corpus for readers without Rust. Nothing here decides anything: every count and every word of
//! a verdict comes from `normative-conformance`.

/// Names the suite that judged, and its version. It has no date and no commit, so the same report gives the same bytes on
/// any day and in any checkout of a version.
pub const SUITE: &str = concat!("Normative ", env!("CARGO_PKG_VERSION"));

pub mod badge;
pub mod column;
pub mod evidence;
pub mod export;
#[cfg(feature = "junit")]
pub mod junit;
mod lines;
pub mod markdown;
pub mod matrix;
pub mod npy;
mod outcome;
pub mod page;
pub mod repro;
pub mod routes;
mod safety;
pub mod support;
pub mod terminal;
