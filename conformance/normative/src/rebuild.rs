//! Reports rebuilt from records, each under the backend's name in its record.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Error, Result};
use normative_conformance::corpus::{Corpus, Ledger, line};
use normative_conformance::report::record::{Header, Record};
use normative_conformance::run::Prepared;
use normative_conformance::session::{self, Judge, Rebuilt};
use normative_present::column::Column;
use normative_rules::rules;

use crate::note::note;
use crate::rerun::Rerun;
use crate::select::{self, Folder};

/// The cases and clauses that records are judged by.
pub(crate) struct Rebuilder<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) ledger: Ledger,
    prepared: Vec<Prepared<'a>>,
    folder: &'a Folder,
}

impl<'a> Rebuilder<'a> {
    /// Prepares all cases of a corpus.
    pub(crate) fn over(corpus: &'a Corpus, folder: &'a Folder) -> Result<Self> {
        let prepared = select::prepared(&corpus.cases)?;
        Ok(Self { corpus, ledger: folder.ledger()?, prepared, folder })
    }

    /// Returns the judge of records.
    pub(crate) fn judge(&'a self) -> Judge<'a> {
        let rules = Some(rules());
        Judge { corpus: self.corpus, ledger: &self.ledger, prepared: &self.prepared, rules }
    }

    /// Rebuilds the reports of the runs in a file.
    pub(crate) fn read(&'a self, path: &Path) -> Result<Vec<Column<'a>>> {
        self.columns(&session::read_all(path)?).with_context(|| path.display().to_string())
    }

    /// Rebuilds the reports of these records.
    pub(crate) fn columns(&'a self, records: &[Record]) -> Result<Vec<Column<'a>>> {
        let column = |record: &Record| {
            let rebuilt = self.judge().rebuilt(record).with_context(|| record.header.name.clone())?;
            column(&record.header, rebuilt, self.folder)
        };
        records.iter().map(column).collect()
    }
}

/// Adds the calls that were stated on the command lines of these runs.
pub(crate) fn with_stated(mut corpus: Corpus, records: &[Record]) -> Result<Corpus> {
    let names = records.iter().flat_map(|record| &record.cases).map(|entry| entry.name.as_str());
    let stated: BTreeSet<&str> = names.filter(|name| line::is_one(name)).collect();
    for name in stated {
        corpus.cases.extend(line::cases(name).map_err(Error::msg)?);
    }
    Ok(corpus)
}

/// Wraps a rebuilt report as a column, and warns if its record differs.
pub(crate) fn column<'a>(
    header: &Header,
    Rebuilt { report, differs }: Rebuilt<'a>,
    folder: &Folder,
) -> Result<Column<'a>> {
    let Header { name, suite, .. } = header;
    if let Some(differs) = differs {
        let (first, lines, now) = (differs.first, differs.lines, env!("CARGO_PKG_VERSION"));
        note(format_args!(
            "warning: {name}: {lines} lines of the record, the first about {first}, say something else than their \
             answers show; they were written by version {suite}, this is {now}, and the report goes by the answers"
        ));
    }
    let rerun = Rerun::of_record(header, folder)?;
    Ok(Column { repro: rerun.repro(), name: name.clone(), report, again: rerun.command() })
}
