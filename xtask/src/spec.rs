//! The texts that the clauses were written from: found, read, cut into sentences, compared.
//!
//! The way of a text: `now` finds it, `pages` reduces it to lines, `outline` (or `standard`, of pages that hold for
//! all functions) cuts those into sections and `sentences` into
//! sentences, `words` takes the mark of each, `compare` holds the marks against those of `sources`. No wording of a
//! source is ever stored.

pub(crate) mod bikeshed;
pub(crate) mod compare;
pub(crate) mod document;
pub(crate) mod fortran;
pub(crate) mod html;
pub(crate) mod locked;
pub(crate) mod now;
pub(crate) mod outline;
pub(crate) mod pages;
pub(crate) mod python;
pub(crate) mod sentences;
pub(crate) mod sources;
pub(crate) mod standard;
pub(crate) mod words;

#[cfg(test)]
mod tests;
