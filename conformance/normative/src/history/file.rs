//! The file of a history. `history` explains its fields.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::changes::{self, Values};
use super::model::{BySpec, Fact, Facts, History, ReleaseCounts, ReleaseRun};
use super::spans::{Release, Verdicts};
use crate::outcome::ReleaseVerdict;

/// The verdict of a release that does not support a call.
const UNSUPPORTED: &str = "unsupported";

/// Rows of changes, in sections.
type Table = BTreeMap<String, BTreeMap<String, String>>;

/// The fields of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    backend: String,
    runtime: String,
    runs: Vec<RunRow>,
    absent: Vec<AbsentRow>,
    types: Table,
    readings: Table,
    defects: Vec<FactRow>,
    hazards: Vec<FactRow>,
    calls: Table,
}

#[derive(Serialize, Deserialize)]
struct RunRow {
    releases: String,
    #[serde(flatten)]
    run: ReleaseRun,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AbsentRow {
    releases: String,
    why: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FactRow {
    name: String,
    releases: String,
    clauses: String,
    extent: BTreeMap<String, String>,
    call: String,
    due: String,
    came: String,
}

/// Returns the file of a history.
pub(super) fn pack(history: &History) -> File {
    let releases: Vec<Release> = history.results.keys().cloned().collect();
    let rows = |same: Vec<(Vec<&Release>, &ReleaseRun)>| {
        same.into_iter()
            .map(|(releases, run)| RunRow { releases: named(&releases), run: run.clone() })
            .collect()
    };
    let absent = alike(history.absent.iter()).into_iter();
    let (mut types, mut readings) = (BTreeMap::new(), BTreeMap::new());
    for (release, (_, facts)) in &history.results {
        for (spec, of_spec) in &facts.types {
            for (dtype, counts) in of_spec {
                let cell: &mut Values = types.entry((spec.clone(), dtype.clone())).or_default();
                cell.insert(release.clone(), counts.to_string());
            }
        }
        for (place, reading) in &facts.readings {
            let cell: &mut Values = readings.entry(place.clone()).or_default();
            cell.insert(release.clone(), reading.clone());
        }
    }
    let types = types.into_iter().map(|((spec, dtype), values)| ((spec, String::new(), dtype), values));
    let calls = history.calls.iter().map(|(call, verdicts)| (split(call), words(verdicts)));
    File {
        backend: history.backend.clone(),
        runtime: history.runtime.clone(),
        runs: rows(alike(history.results.iter().map(|(release, (run, _))| (release, run)))),
        absent: absent
            .map(|(releases, why)| AbsentRow { releases: named(&releases), why: why.clone() })
            .collect(),
        types: table(types, &releases),
        readings: table(readings, &releases),
        defects: rows_of(history.results.iter().map(|(release, (_, facts))| (release, &facts.defects))),
        hazards: rows_of(history.results.iter().map(|(release, (_, facts))| (release, &facts.hazards))),
        calls: table(calls, &releases),
    }
}

/// Returns the history of a file.
///
/// # Errors
/// A row names a release that was not judged, or is not in the form of its field.
pub(super) fn unpack(file: File) -> Result<History> {
    let mut history = History { backend: file.backend, runtime: file.runtime, ..History::default() };
    for RunRow { releases, run } in file.runs {
        for release in listed(&releases) {
            history.results.insert(release, (run.clone(), Facts::default()));
        }
    }
    for AbsentRow { releases, why } in file.absent {
        history.absent.extend(listed(&releases).map(|release| (release, why.clone())));
    }
    let releases: Vec<Release> = history.results.keys().cloned().collect();
    for ((spec, _, dtype), values) in cells(&file.types, &releases)? {
        for (release, counts) in values {
            let counts = ReleaseCounts::of(&counts)
                .with_context(|| format!("expected ANSWERED/VALID WRONG DIED, got {counts}"))?;
            facts(&mut history, &release)?
                .types
                .entry(spec.clone())
                .or_default()
                .insert(dtype.clone(), counts);
        }
    }
    for (place, values) in cells(&file.readings, &releases)? {
        for (release, reading) in values {
            facts(&mut history, &release)?.readings.insert(place.clone(), reading);
        }
    }
    for (rows, is_hazard) in [(file.defects, false), (file.hazards, true)] {
        for row in rows {
            let (fact, of) = fact(&row)?;
            for release in of {
                let facts = facts(&mut history, &release).with_context(|| row.name.clone())?;
                if is_hazard { &mut facts.hazards } else { &mut facts.defects }.push(fact.clone());
            }
        }
    }
    for (parts, values) in cells(&file.calls, &releases)? {
        let verdict = |(release, word): (Release, String)| {
            let known = ReleaseVerdict::of_word(&word);
            let is_known = known.is_some() || word == UNSUPPORTED;
            is_known.then_some((release, known)).with_context(|| format!("unknown verdict `{word}`"))
        };
        history.calls.insert(joined(&parts), values.into_iter().map(verdict).collect::<Result<Verdicts>>()?);
    }
    Ok(history)
}

fn facts<'h>(history: &'h mut History, release: &Release) -> Result<&'h mut Facts> {
    let (_, facts) =
        history.results.get_mut(release).with_context(|| format!("{} is not in `runs`", release.0))?;
    Ok(facts)
}

/// Joins neighbours with equal values.
fn alike<'a, T: PartialEq>(
    all: impl Iterator<Item = (&'a Release, &'a T)>,
) -> Vec<(Vec<&'a Release>, &'a T)> {
    let mut rows: Vec<(Vec<&Release>, &T)> = Vec::new();
    for (release, value) in all {
        match rows.last_mut() {
            Some((releases, other)) if *other == value => releases.push(release),
            _ => rows.push((vec![release], value)),
        }
    }
    rows
}

/// Returns a row for each distinct fact, in the order of the newest release that has it.
fn rows_of<'a>(all: impl DoubleEndedIterator<Item = (&'a Release, &'a Vec<Fact>)>) -> Vec<FactRow> {
    let mut rows: Vec<(&Fact, Vec<&Release>)> = Vec::new();
    for (release, facts) in all.rev() {
        for fact in facts {
            match rows.iter_mut().find(|(other, _)| *other == fact) {
                Some((_, releases)) => releases.insert(0, release),
                None => rows.push((fact, vec![release])),
            }
        }
    }
    let cell = |(dtype, count): (&String, &usize)| format!("{dtype} {count}");
    let extent = |(spec, of): (&String, &BTreeMap<String, usize>)| {
        (spec.clone(), of.iter().map(cell).collect::<Vec<_>>().join(", "))
    };
    let row = |(fact, releases): (&Fact, Vec<&Release>)| FactRow {
        name: fact.name.clone(),
        releases: named(&releases),
        clauses: fact.clauses.iter().map(String::as_str).collect::<Vec<_>>().join(" "),
        extent: fact.extent.iter().map(extent).collect(),
        call: fact.call.clone(),
        due: fact.due.clone(),
        came: fact.came.clone(),
    };
    rows.into_iter().map(row).collect()
}

fn fact(row: &FactRow) -> Result<(Fact, Vec<Release>)> {
    let mut extent = BySpec::new();
    for (spec, text) in &row.extent {
        let cell = |cell: &str| {
            let parts =
                cell.split_once(' ').and_then(|(dtype, count)| Some((dtype.to_owned(), count.parse().ok()?)));
            parts.with_context(|| format!("expected TYPE COUNT, got `{cell}`"))
        };
        extent.insert(spec.clone(), text.split(", ").map(cell).collect::<Result<_>>()?);
    }
    let FactRow { name, clauses, call, due, came, .. } = row;
    let clauses = clauses.split_whitespace().map(str::to_owned).collect();
    let (name, call, due, came) = (name.clone(), call.clone(), due.clone(), came.clone());
    Ok((Fact { name, clauses, extent, call, due, came }, listed(&row.releases).collect()))
}

fn words(verdicts: &Verdicts) -> Values {
    let word = |verdict: &Option<ReleaseVerdict>| verdict.map_or(UNSUPPORTED, ReleaseVerdict::word);
    verdicts.iter().map(|(release, verdict)| (release.clone(), word(verdict).to_owned())).collect()
}

/// A section, a spec and a type of a table; empty where a row has none.
pub type Place = (String, String, String);

/// Makes a table. Types of a spec with equal values share a row, and then specs.
fn table(cells: impl IntoIterator<Item = (Place, Values)>, releases: &[Release]) -> Table {
    let mut types: BTreeMap<(String, String, String), Vec<String>> = BTreeMap::new();
    for ((section, spec, dtype), values) in cells {
        types.entry((section, changes::text(&values, releases), spec)).or_default().push(dtype);
    }
    let mut specs: BTreeMap<(String, String, Vec<String>), Vec<String>> = BTreeMap::new();
    for ((section, text, spec), dtypes) in types {
        specs.entry((section, text, dtypes)).or_default().push(spec);
    }
    let mut table = Table::new();
    for ((section, text, dtypes), specs) in specs {
        let words: Vec<String> = specs.into_iter().chain(dtypes).filter(|word| !word.is_empty()).collect();
        table.entry(section).or_default().insert(words.join(" "), text);
    }
    table
}

/// Returns the cells of a table.
fn cells(table: &Table, releases: &[Release]) -> Result<Vec<(Place, Values)>> {
    let mut cells = Vec::new();
    for (section, rows) in table {
        for (row, text) in rows {
            let values = changes::values(text, releases).with_context(|| format!("{section}: {row}"))?;
            let (specs, types): (Vec<&str>, Vec<&str>) =
                row.split_whitespace().partition(|word| is_spec(word));
            let some = |words: Vec<&str>| {
                if words.is_empty() {
                    vec![String::new()]
                } else {
                    words.into_iter().map(str::to_owned).collect()
                }
            };
            for spec in some(specs) {
                cells.extend(
                    some(types.clone())
                        .into_iter()
                        .map(|dtype| ((section.clone(), spec.clone(), dtype), values.clone())),
                );
            }
        }
    }
    Ok(cells)
}

/// Returns true for a spec, with or without its family: types are in lower case and have no hyphen or slash.
fn is_spec(word: &str) -> bool {
    word.contains(['/', '-', '_']) || word.contains(char::is_uppercase)
}

/// Splits the name of a case, or a call in a line, into the rest, the spec and the type.
pub fn split(call: &str) -> Place {
    let of_line = || {
        let (spec, rest) = call.strip_prefix("{specs: [")?.split_once("], dtypes: [")?;
        let (dtype, rest) = rest.split_once("], ")?;
        Some((format!("{{{rest}"), spec.to_owned(), dtype.to_owned()))
    };
    let of_case = || {
        let (rest, dtype) = call.rsplit_once('/')?;
        let (id, version) = rest.rsplit_once('/')?;
        // The name of a case with several types of axes has a further part.
        is_spec(version).then(|| (id.to_owned(), version.to_owned(), dtype.to_owned()))
    };
    of_line().or_else(of_case).unwrap_or_else(|| (call.to_owned(), String::new(), String::new()))
}

fn joined((rest, spec, dtype): &Place) -> String {
    match rest.strip_prefix('{') {
        Some(rest) => format!("{{specs: [{spec}], dtypes: [{dtype}], {rest}"),
        None if spec.is_empty() => rest.clone(),
        None => format!("{rest}/{spec}/{dtype}"),
    }
}

fn named(releases: &[&Release]) -> String {
    releases.iter().map(|release| release.0.as_str()).collect::<Vec<_>>().join(" ")
}

fn listed(releases: &str) -> impl Iterator<Item = Release> + '_ {
    releases.split_whitespace().map(|release| Release(release.to_owned()))
}
