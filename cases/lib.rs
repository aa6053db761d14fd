//! The corpus as a crate: the files of this folder, for whoever has no checkout of it.
//!
//! Nothing but texts. What they mean is `normative-conformance`'s business (its module `cases` is the format's
//! documentation); what `normative-harness` makes tests of. The files are the source, the crate only holds them.

/// A file of the corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path below this folder, with slashes: `onnx/ReduceL1/axes.yaml`.
    pub path: &'static str,
    /// What it says.
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The files of cases, sorted by path.
pub fn cases() -> &'static [File] {
    CASES
}

/// The files of the clause ledger, sorted by path.
pub fn clauses() -> &'static [File] {
    CLAUSES
}
