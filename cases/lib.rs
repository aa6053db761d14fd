//! The corpus as a crate: the files of this folder, for programs without a checkout.
//!
//! It holds only texts. `normative-conformance` loads them (its module `corpus`; `docs/case-format.md`
//! explains the format), and `normative-harness` makes tests of them. The files are the source.

/// A file of the corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CorpusFile {
    /// Its path below this folder, with slashes: `onnx/ReduceL1/axes.yaml`.
    pub path: &'static str,
    /// Its content.
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Returns the files of cases, sorted by path.
pub fn cases() -> &'static [CorpusFile] {
    CASES
}

/// Returns the files of the clause ledger, sorted by path.
pub fn clauses() -> &'static [CorpusFile] {
    CLAUSES
}
