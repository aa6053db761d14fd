//! The identity of this suite: its version, its commit, and digests of the cases, the clauses and the lock.
//!
//! Two suites with the same digests ask and accept the same, unless their code differs, which the commit shows.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::outside;
use normative_conformance::report::record;
use serde::Serialize;

use super::checkout::commit;
use super::sha256::of_bytes;
use crate::home;
use crate::select::{Folder, LOCK};

/// The identity of a suite.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Suite {
    /// Its version.
    pub(crate) version: String,
    /// The commit of its checkout; `None` if unknown.
    pub(crate) commit: Option<String>,
    /// The digest of all calls and expectations of the cases, as in records.
    pub(crate) corpus: String,
    /// SHA-256 of the files of cases.
    pub(crate) cases_sha256: String,
    /// SHA-256 of the files of the ledger.
    pub(crate) ledger_sha256: String,
    /// SHA-256 of `expectations.lock`; `None` without that file.
    pub(crate) lock_sha256: Option<String>,
}

impl Suite {
    /// Describes this suite, over the cases in a folder.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn of(folder: &Folder, corpus: &Corpus, ledger: &Ledger) -> Result<Self> {
        // The paths of built-in files are relative to the folder.
        let root = folder.path().ok();
        let lock = root.as_ref().map(|root| root.join(LOCK)).filter(|lock| lock.is_file());
        let lock = lock.map(|lock| outside::bytes(&lock, outside::WRITTEN)).transpose().context(LOCK)?;
        // The clauses stand beside the folder of cases, or are those of this repository.
        let above = folder.own_ledger().and_then(|clauses| clauses.parent().map(Path::to_owned));
        let ours = || home::checkout().map(|checkout| checkout.join("cases"));
        let of_clauses = above.or_else(ours).unwrap_or_default();
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: commit(),
            corpus: record::digest(corpus),
            cases_sha256: of_files(&root.unwrap_or_default(), corpus.cases.iter().map(|case| &case.file))?,
            ledger_sha256: of_files(&of_clauses, ledger.iter().map(|clause| &clause.file))?,
            lock_sha256: lock.map(|bytes: Vec<u8>| of_bytes(&bytes)),
        })
    }

    /// Returns the commit in words.
    pub(crate) fn commit_in_words(&self) -> &str {
        commit_in_words(self.commit.as_deref())
    }

    /// Returns the text that names this suite on a page.
    pub(crate) fn made_by(&self) -> String {
        made_by(&self.version, self.commit.as_deref(), &self.corpus)
    }
}

fn commit_in_words(commit: Option<&str>) -> &str {
    commit.unwrap_or("unknown: installed, or not in a checkout that git knows")
}

/// Returns the text that names a suite on a page: version, commit, and the digest of the corpus.
pub(super) fn made_by(version: &str, commit: Option<&str>, corpus: &str) -> String {
    format!("{}; the corpus has the digest {corpus}", of_version(version, commit))
}

/// Returns the text that names this program when its cases are unknown.
pub(super) fn program() -> String {
    of_version(env!("CARGO_PKG_VERSION"), commit().as_deref())
}

fn of_version(version: &str, commit: Option<&str>) -> String {
    format!("Normative {version}, commit {}", commit_in_words(commit))
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "version {}", self.version)?;
        writeln!(f, "commit  {}", self.commit_in_words())?;
        writeln!(f, "corpus  {}", self.corpus)?;
        writeln!(f, "cases   sha256 {}", self.cases_sha256)?;
        writeln!(f, "ledger  sha256 {}", self.ledger_sha256)?;
        write!(
            f,
            "lock    {}",
            self.lock_sha256.as_ref().map_or("none".into(), |lock| format!("sha256 {lock}"))
        )
    }
}

/// Returns the digest of a list of files as `sha256sum` prints it: each file once, sorted by path, relative to `root`.
fn of_files<'f>(root: &Path, files: impl Iterator<Item = &'f PathBuf>) -> Result<String> {
    let mut names: Vec<&PathBuf> = files.collect();
    names.sort_unstable();
    names.dedup();
    let mut list = String::new();
    for path in names {
        let text = Folder::text_of(path)?;
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
        writeln!(list, "{}  {name}", of_bytes(text.as_bytes()))?;
    }
    Ok(of_bytes(list.as_bytes()))
}
