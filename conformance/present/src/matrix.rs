//! Prints several reports side by side: each backend's results per spec, its reading of each question, and
//! its accuracy.
//!
//! A pure function of the reports, like [`crate::terminal`], which shows one of them in full. A table is at
//! most as wide as a page: further columns go into another table below, with the same rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use normative_reference::{Dtype, Question, Reading, Spec};

use crate::column::Column;
use crate::terminal::table;
use crate::{SUITE, outcome, safety};
use normative_conformance::display::{family, short, ulps};
use normative_conformance::report::Report;
use normative_conformance::report::defect::Defect;
use normative_conformance::report::tables::Grid;
use normative_conformance::run::measured::Precision;
use normative_conformance::run::tally::Tally;

/// The width of a table, unless a single column needs more.
const WIDTH: usize = 110;

/// Rows by name, each with one cell per column.
type Rows = Vec<(String, Vec<String>)>;

/// Writes the tables, and a line per backend below them.
///
/// # Errors
/// Errors of `out`.
pub fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>]) -> fmt::Result {
    for grid in grids(columns) {
        for part in parts(&grid) {
            writeln!(out, "{}\n", table(&part))?;
        }
    }
    writeln!(out, "{LEGEND}\n\njudged by {SUITE}:")?;
    for Column { name, report, .. } in columns {
        writeln!(out, "{}", outcome::named(name, report))?;
        safety::named(report).iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    Ok(())
}

/// The meaning of the cells.
pub(crate) const LEGEND: &str = "\
    N defects, M calls: so many causes of so many failures, of cases and generated calls together; a cause may show in\n\
    several specs. died: so many of them crashed the backend or got no answer. -: not supported.\n\
    A question read in several ways by one backend shows them all; specs and types may honestly differ.\n\
    mixed: it chooses call by call how to compute, which no text forbids. hazard: a reading allows another value than the\n\
    norm, though the type holds the norm.";

/// Returns the tables, each with a column per backend; tables without rows are left out.
pub(crate) fn grids(columns: &[Column<'_>]) -> Vec<Grid> {
    let grid = |(title, rows): (&str, Rows)| {
        let header: Vec<String> =
            [title].into_iter().chain(columns.iter().map(|column| column.name.as_str())).map(short).collect();
        let row = |(name, cells): (String, Vec<String>)| std::iter::once(name).chain(cells).collect();
        Grid { words: header.len(), header, rows: rows.into_iter().map(row).collect() }
    };
    let tables = [
        ("spec", specs(columns)),
        ("hazards", hazards(columns)),
        ("question", questions(columns)),
        ("type", precision(columns)),
    ];
    tables.into_iter().map(grid).filter(|grid| !grid.rows.is_empty()).collect()
}

fn specs(columns: &[Column<'_>]) -> Rows {
    let inconsistent: Vec<BTreeSet<Spec>> =
        columns.iter().map(|column| inconsistent(&column.report)).collect();
    let defects: Vec<Vec<Defect<'_>>> = columns.iter().map(|column| column.report.defects()).collect();
    let row = |specs: &[Spec]| -> Vec<String> {
        let cells = columns.iter().zip(&inconsistent).zip(&defects);
        cells
            .map(|((column, inconsistent), defects)| {
                let of_these =
                    |defect: &&Defect<'_>| specs.iter().any(|spec| defect.specs.contains_key(spec));
                let inconsistent = specs.iter().any(|spec| inconsistent.contains(spec));
                spec_cell(&column.report, specs, defects.iter().filter(of_these).count(), inconsistent)
            })
            .collect()
    };
    let mut rows: Rows = Spec::ALL.iter().map(|&spec| (spec.name().to_owned(), row(&[spec]))).collect();
    rows.retain(|(_, cells)| cells.iter().any(|cell| !cell.is_empty()));
    if rows.len() > 1 {
        rows.push(("all".to_owned(), row(&Spec::ALL)));
    }
    rows
}

/// Returns the types whose norms may have another value, grouped by that value.
fn hazards(columns: &[Column<'_>]) -> Rows {
    let met: Vec<BTreeMap<String, String>> = columns
        .iter()
        .map(|Column { report, .. }| {
            let mut met: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
            for (kind, of) in &report.hazards() {
                let row = met.entry(format!("{:?} may be {}", kind.norm, kind.gives.words())).or_default();
                row.extend(of.dtypes.iter().map(|dtype| dtype.name()));
            }
            let joined = |types: BTreeSet<&str>| types.into_iter().collect::<Vec<_>>().join(" ");
            met.into_iter().map(|(name, types)| (name, joined(types))).collect()
        })
        .collect();
    let names: BTreeSet<&String> = met.iter().flat_map(BTreeMap::keys).collect();
    let cell = |met: &BTreeMap<String, String>, name: &String| met.get(name).cloned().unwrap_or("-".into());
    let row = |name: &String| (name.clone(), met.iter().map(|met| cell(met, name)).collect());
    names.into_iter().map(row).collect()
}

/// Returns the specs with a question that is read inconsistently.
fn inconsistent(report: &Report<'_>) -> BTreeSet<Spec> {
    let profile = report.profile();
    let places = profile.iter().filter(|(place, row)| row.inconsistent(place).is_some());
    places.map(|(place, _)| place.spec).collect()
}

/// Returns a backend's result for some specs, in which `defects` of its defects show; empty if it was not asked.
fn spec_cell(report: &Report<'_>, specs: &[Spec], defects: usize, inconsistent: bool) -> String {
    let tallies = report.calls();
    let total = Tally::sum(tallies.iter().filter(|(spec, _)| specs.contains(spec)).map(|(_, tally)| tally));
    let s = |count: usize| if count == 1 { "" } else { "s" };
    match (total.fails + total.died, total.died) {
        _ if total.run == 0 => String::new(),
        _ if total.executed() == 0 => "-".into(),
        (0, _) if inconsistent => "INCONSISTENT".into(),
        (0, _) => "conforms".into(),
        (calls, died) => {
            let died = if died == 0 { String::new() } else { format!(", {died} died") };
            format!("{defects} defect{}, {calls} call{}{died}", s(defects), s(calls))
        }
    }
}

/// Returns the readings that a backend takes of a question, over all specs of a family and all types.
fn questions(columns: &[Column<'_>]) -> Rows {
    type Taken = BTreeMap<(&'static str, Question), (BTreeSet<Reading>, bool)>;
    let taken: Vec<Taken> = columns
        .iter()
        .map(|Column { report, .. }| {
            let mut taken = Taken::new();
            for (place, row) in report.profile() {
                let (readings, mixed) = taken.entry((family(place.spec), place.question)).or_default();
                readings.extend(row.readings());
                *mixed |= row.mixed(&place).is_some();
            }
            taken
        })
        .collect();
    let asked: BTreeSet<(&str, Question)> = taken.iter().flat_map(BTreeMap::keys).copied().collect();
    let row = |key: (&'static str, Question)| {
        let cell = |taken: &Taken| {
            let Some((readings, mixed)) = taken.get(&key) else { return "-".to_owned() };
            let names: Vec<&str> = readings.iter().map(|reading| reading.name()).collect();
            format!("{}{}", if *mixed { "mixed: " } else { "" }, names.join(", "))
        };
        (format!("{} {}", key.0, key.1.name()), taken.iter().map(cell).collect())
    };
    asked.into_iter().map(row).collect()
}

/// Returns the loosest class that an element of a type needed, right or wrong, and the greatest error.
fn precision(columns: &[Column<'_>]) -> Rows {
    let reached: Vec<BTreeMap<Dtype, Precision>> = columns
        .iter()
        .map(|Column { report, .. }| {
            let mut reached: BTreeMap<Dtype, Precision> = BTreeMap::new();
            let measured = |precision: &Precision| precision.elements > 0;
            let precision = report.precision().into_iter().filter(|(_, precision)| measured(precision));
            for ((dtype, _), precision) in precision {
                let sum = reached.entry(dtype).or_insert(precision);
                (sum.class, sum.worst) = (sum.class.max(precision.class), sum.worst.max(precision.worst));
            }
            reached
        })
        .collect();
    let dtypes: BTreeSet<Dtype> = reached.iter().flat_map(BTreeMap::keys).copied().collect();
    let row = |dtype: Dtype| {
        let cell = |reached: &BTreeMap<Dtype, Precision>| {
            let cell =
                |precision: &Precision| format!("{} {} ulp", precision.class.name(), ulps(precision.worst));
            reached.get(&dtype).map_or_else(|| "-".to_owned(), cell)
        };
        (dtype.name().to_owned(), reached.iter().map(cell).collect())
    };
    dtypes.into_iter().map(row).collect()
}

/// Splits a table into as many as it takes to keep each as wide as a page.
fn parts(Grid { header, rows, .. }: &Grid) -> Vec<Grid> {
    let width = |at: usize| {
        let cells = rows.iter().chain([header]).filter_map(|row| row.get(at)).map(String::len);
        2 + cells.max().unwrap_or(0)
    };
    let (mut groups, mut wide): (Vec<Vec<usize>>, usize) = (Vec::new(), WIDTH);
    for at in 1..header.len() {
        match groups.last_mut() {
            Some(group) if wide + width(at) <= WIDTH => group.push(at),
            _ => {
                groups.push(vec![0, at]);
                wide = width(0) - 2;
            }
        }
        wide += width(at);
    }
    let part = |group: Vec<usize>| {
        let pick = |row: &Vec<String>| group.iter().filter_map(|&at| row.get(at).cloned()).collect();
        Grid { header: pick(header), rows: rows.iter().map(pick).collect(), words: group.len() }
    };
    groups.into_iter().map(part).collect()
}
