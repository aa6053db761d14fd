//! The text of case files: reading, formatting and writing it.
//!
//! The loader interprets the cases.

pub(crate) mod content;
pub(crate) mod files;
pub(crate) mod schemas;

mod canonical;
