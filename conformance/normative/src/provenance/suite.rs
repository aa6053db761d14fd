//! Which suite judges: its version, its commit, and digests of the cases, the clauses and the lock.
//!
//! A verdict follows from an answer and these: two suites whose digests are the same ask and accept the same, unless the
//! code that judges differs, which the commit tells.

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

/// A suite.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Suite {
    /// Its version.
    pub(crate) version: String,
    /// The commit of its checkout; `None` where it is not known.
    pub(crate) commit: Option<String>,
    /// The digest of what all cases ask and expect, as records have it.
    pub(crate) corpus: String,
    /// SHA-256 of the files of cases.
    pub(crate) cases_sha256: String,
    /// SHA-256 of the files of the ledger.
    pub(crate) ledger_sha256: String,
    /// SHA-256 of `expectations.lock`; `None` where there is none.
    pub(crate) lock_sha256: Option<String>,
}

impl Suite {
    /// This suite, over the cases in a folder.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub(crate) fn of(folder: &Folder, corpus: &Corpus, ledger: &Ledger) -> Result<Self> {
        // Files that are built in have the paths that they have below the folder.
        let root = folder.path().ok();
        let lock = root.as_ref().map(|root| root.join(LOCK)).filter(|lock| lock.is_file());
        let lock = lock.map(|lock| outside::bytes(&lock, outside::WRITTEN)).transpose().context(LOCK)?;
        // The clauses may stand beside a folder of cases, or be our own.
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

    /// Its commit in words.
    pub(crate) fn commit_in_words(&self) -> &str {
        commit_in_words(self.commit.as_deref())
    }

    /// What a page says of who made it.
    pub(crate) fn made_by(&self) -> String {
        made_by(&self.version, self.commit.as_deref(), &self.corpus)
    }
}

fn commit_in_words(commit: Option<&str>) -> &str {
    commit.unwrap_or("unknown: installed, or not in a checkout that git knows")
}

/// What a page says of who made it: a suite of this version and commit, over cases with this digest.
pub(super) fn made_by(version: &str, commit: Option<&str>, corpus: &str) -> String {
    format!("{}; the corpus has the digest {corpus}", of_version(version, commit))
}

/// This program in words, where its cases are not known.
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

/// A digest of files: of a list as `sha256sum` prints it, each file once, in the order of their names below `root`.
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
