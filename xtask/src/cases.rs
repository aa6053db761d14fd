//! The text of case files: read, put in order, written.
//!
//! What a case means is the loader's matter.

pub(crate) mod content;
pub(crate) mod files;
pub(crate) mod found;

mod canonical;
