//! Reports for people and for programs: each format is a pure function of one report or of several.
//!
//! [`terminal`] prints one report and [`matrix`] several side by side; [`markdown`] is for the summary of a CI job. With
//! the feature `record` there are `junit`, `badge`, `page` for a browser, and `export`, the corpus for whoever has no
//! Rust. Nothing here decides anything.

#[cfg(feature = "record")]
pub mod badge;
#[cfg(feature = "record")]
pub mod export;
#[cfg(feature = "record")]
pub mod junit;
pub mod markdown;
pub mod matrix;
pub mod npy;
#[cfg(feature = "record")]
pub mod page;
pub mod terminal;
