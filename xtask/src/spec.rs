//! The texts that the clauses were written from: finding, reading, cutting into sentences, comparing.
//!
//! `now` finds a text, and `pages` reduces it to lines. `outline`, or `standard` for pages on all functions, cuts the
//! lines into sections, and `sentences` cuts those into sentences. `words` computes the mark of each sentence, and
//! `compare` compares the marks with those of `sources`. The wording of a source is never stored.

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
