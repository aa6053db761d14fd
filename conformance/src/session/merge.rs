//! Joins the records of all parts of a run.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::recorder::{read, unusable};
use super::{Judge, Rebuilt, SessionError};
use crate::corpus::Corpus;
use crate::outside;
use crate::report::record::{self, Entry, Header, Probe, Record, Resettled, explain};
use crate::run::property::Id;

/// Returns the record of the whole run whose parts these files hold, and its report.
///
/// # Errors
/// Fails if a file is not a part, parts are missing, repeated or cut off, or they are of several runs.
pub fn parts<'a>(files: &[&PathBuf], judge: &Judge<'a>) -> Result<(Record, Rebuilt<'a>), SessionError> {
    let mut whole = joined(files, judge.corpus)?;
    let rebuilt = judge.rebuilt(&whole)?;
    whole.end = Some(explain::end(&rebuilt.report, &whole.header.again));
    Ok((whole, rebuilt))
}

/// Returns the joined record without an end, because contradictions between parts only show in a report of the
/// whole.
fn joined(files: &[&PathBuf], corpus: &Corpus) -> Result<Record, SessionError> {
    let mut parts: BTreeMap<u64, Record> = BTreeMap::new();
    let mut whole: Option<Header> = None;
    let mut of = 0;
    for &path in files {
        let record = read(path)?;
        let path = || path.clone();
        let Some((index, parts_in_all)) = record.header.part else {
            return Err(SessionError::NoPart(path()));
        };
        if !record.end.as_ref().is_some_and(|end| end.complete) {
            return Err(SessionError::CutOff(path()));
        }
        // Parts may run on different kinds of machines, but must ask the same in the same way.
        let (machines, started) = (Vec::new(), None);
        let header = Header { part: None, cases: 0, calls: None, machines, started, ..record.header.clone() };
        if of != 0 && of != parts_in_all || whole.as_ref().is_some_and(|whole| *whole != header) {
            return Err(SessionError::OfAnother(path()));
        }
        (whole, of) = (Some(header), parts_in_all);
        if parts.insert(index, record).is_some() {
            return Err(SessionError::Twice { path: path(), part: index + 1 });
        }
    }
    let missing: Vec<String> =
        (0..of).filter(|index| !parts.contains_key(index)).map(|index| (index + 1).to_string()).collect();
    if !missing.is_empty() {
        return Err(SessionError::Missing { of, missing: missing.join(", ") });
    }
    let header = whole.ok_or(SessionError::Nothing)?;
    Ok(join(header, parts.into_values(), corpus))
}

fn join(mut header: Header, parts: impl Iterator<Item = Record>, corpus: &Corpus) -> Record {
    let order: HashMap<&str, usize> =
        corpus.cases.iter().enumerate().map(|(place, case)| (case.name.as_str(), place)).collect();
    let (mut cases, mut calls, mut then) = (Vec::new(), Vec::new(), Vec::new());
    let (mut probes, mut settled): (Vec<Probe>, Vec<Resettled>) = (Vec::new(), Vec::new());
    let (mut smaller, mut flakes) = (Vec::new(), Vec::new());
    let (mut keys, mut seen) = (HashSet::new(), HashSet::new());
    for part in parts {
        // Dates in UTC sort as text. `min` also works if some parts have no date.
        header.started = header.started.into_iter().chain(part.header.started).min();
        for machine in part.header.machines {
            if !header.machines.contains(&machine) {
                header.machines.push(machine);
            }
        }
        cases.extend(part.cases);
        calls.extend(part.calls);
        // If two parts asked the same and the answers differ, the backend is nondeterministic: the first counts.
        for probe in part.probes {
            if keys.insert(probe.key.clone()) {
                probes.push(probe);
            }
        }
        settled.extend(part.settled);
        then.extend(part.then);
        smaller.extend(part.smaller);
        for flake in part.flakes {
            if seen.insert(flake.clone()) {
                flakes.push(flake);
            }
        }
    }
    cases.sort_by_key(|one: &Entry| order.get(one.name.as_str()).copied());
    // In row order; invalid names are reported when the record is shown.
    calls.sort_by_key(|one: &Entry| one.name.parse::<Id>().ok());
    // In the order in which a run asks and settles them.
    probes.sort_by(|a, b| a.key.cmp(&b.key));
    settled.sort_by_key(|one| {
        (order.get(one.name.as_str()).copied().unwrap_or(usize::MAX), one.name.parse::<Id>().ok())
    });
    then.sort_by(|a: &Entry, b| a.name.cmp(&b.name));
    let header = Header { cases: cases.len(), calls: Some(calls.len()), ..header };
    let none = Record::of(header);
    Record { cases, calls, probes, settled, then, smaller, flakes, ..none }
}

/// Writes a complete record to a file.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn keep(path: &Path, record: Record) -> Result<(), SessionError> {
    write(path, record).map_err(|source| unusable(path, source))
}

fn write(path: &Path, record: Record) -> io::Result<()> {
    outside::write(path, |file| {
        let mut file = BufWriter::new(file);
        for line in record.lines() {
            record::write(&mut file, &line)?;
        }
        file.flush()
    })
}
