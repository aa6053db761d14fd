//! The files of the corpus as text: their list, their content, and their canonical form.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, anyhow};
use normative_conformance::corpus::{
    Case, Corpus, Ledger, LedgerClause, LoadError, load_ledger_text, load_text,
};

use super::content::Source;
use normative::select::list;

/// Lists every file of the loaded corpus once.
pub(crate) fn files<'a>(corpus: &'a Corpus, ledger: &'a Ledger) -> Vec<(Source, &'a Path)> {
    let cases: BTreeSet<&Path> = corpus.cases.iter().map(|case| case.file.as_path()).collect();
    let ledgers: BTreeSet<&Path> = ledger.iter().map(|entry| entry.file.as_path()).collect();
    let cases = cases.into_iter().map(|file| (Source::of_cases(file), file));
    cases.chain(ledgers.into_iter().map(|file| (Source::Ledger, file))).collect()
}

/// Returns the content of a text without line numbers, as a string, because a NaN is not equal to itself.
pub(crate) fn said(source: Source, file: &Path, text: &str) -> Result<String> {
    match source {
        Source::Cases | Source::Kernels => {
            let cases = load_text(file, text).map_err(|errors| refused(&errors))?;
            let said: Vec<_> = cases.into_iter().map(|case| Case { line: 0, ..case }).collect();
            Ok(format!("{said:?}"))
        }
        Source::Ledger => {
            let ledger = load_ledger_text(file, text).map_err(|errors| refused(&errors))?;
            let said: Vec<_> = ledger.iter().map(|entry| LedgerClause { line: 0, ..entry.clone() }).collect();
            Ok(format!("{said:?}"))
        }
    }
}

fn refused(errors: &[LoadError]) -> anyhow::Error {
    anyhow!("a file that does not load:\n{}", list(errors))
}
