//! What can be wrong with a file of the corpus, and where.

use std::path::PathBuf;

use thiserror::Error;

/// One problem in one file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}:{line}: {}{problem}", file.display(), case.as_ref().map(|case| format!("{case}: ")).unwrap_or_default())]
pub struct LoadError {
    /// The file or directory.
    pub file: PathBuf,
    /// The line, from 1; 1 where the problem is the file as a whole.
    pub line: usize,
    /// The case or clause, where it is known.
    pub case: Option<String>,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The YAML does not parse, or a field has the wrong name or type.
    #[error("{0}")]
    Yaml(String),
}
