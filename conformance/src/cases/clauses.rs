//! The clause ledger: every statement of every spec, by name.

use std::path::{Path, PathBuf};

use normative_reference::{Question, Spec};

use super::{ClauseRef, LoadError};

/// Every clause of every spec.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    clauses: Vec<LedgerClause>,
}

/// One statement of one spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerClause {
    /// Its spec and its name.
    pub clause: ClauseRef,
    /// What kind of statement it is.
    pub level: Level,
    /// Our paraphrase.
    pub says: String,
    /// The text it stands in.
    pub source: String,
    /// Where it stands there.
    pub place: String,
    /// Where it stands in the Japanese text.
    pub place_ja: Option<String>,
    /// The questions it gives rise to; empty unless the level is open.
    pub questions: Vec<Question>,
    /// The ledger file.
    pub file: PathBuf,
    /// The line of its name, from 1.
    pub line: usize,
}

/// What kind of statement a clause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// It decides.
    Determined,
    /// It leaves a choice.
    Open,
    /// It says nothing that an implementation could break.
    Informative,
}

impl Ledger {
    /// The clause of that name in that spec.
    pub fn get(&self, spec: Spec, name: &str) -> Option<&LedgerClause> {
        self.iter().find(|entry| entry.clause.spec == spec && entry.clause.name == name)
    }

    /// Every clause of every spec, in file, then file position, then spec order.
    pub fn iter(&self) -> impl Iterator<Item = &LedgerClause> {
        self.clauses.iter()
    }
}

/// Reads every ledger file in `dir`.
///
/// # Errors
/// Everything wrong with any of the files.
pub fn load_ledger(_dir: &Path) -> Result<Ledger, Vec<LoadError>> {
    Ok(Ledger::default())
}
