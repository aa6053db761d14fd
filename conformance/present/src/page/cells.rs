//! The matrix as cells, which the page's script lays out as a table and the picture as rectangles.
//!
//! Cases and generated calls are counted together. This module writes no markup.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::Spec;
use serde::Serialize;

use super::names;
use crate::column::Column;
use crate::outcome;
use normative_conformance::display;
use normative_conformance::judge::fault::{Fault, Severity};
use normative_conformance::report::Report;
use normative_conformance::run::tally::Tally;

/// A matrix of backends by specs.
pub(super) struct Matrix {
    /// The specs that at least one backend was asked about.
    pub(super) specs: Vec<Spec>,
    /// Families of adjacent specs, with the number of specs.
    pub(super) families: Vec<(&'static str, usize)>,
    pub(super) rows: Vec<Row>,
}

/// A backend.
pub(super) struct Row {
    /// Its name here, which is unique.
    pub(super) name: String,
    /// Its own name and version.
    pub(super) who: String,
    /// Its result for each spec.
    pub(super) cells: Vec<Cell>,
    /// The counts over all specs.
    pub(super) total: Tally,
}

/// A backend's result for a spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Cell {
    NotAsked,
    Unsupported,
    Conforms,
    /// The findings against it: at least one, each with its count.
    Against {
        /// The share of failing calls, in five steps from none (0) to nearly all (4).
        shade: u8,
        parts: Vec<(usize, Matter)>,
    },
}

/// A finding against a backend, as coarse as a cell has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Matter {
    Fail,
    Died,
    Unstable,
    Inconsistent,
}

impl Matter {
    const fn of(fault: Fault) -> Self {
        match fault {
            Fault::Inconsistent => Self::Inconsistent,
            fault => match fault.severity() {
                Severity::Died => Self::Died,
                Severity::Changed
                | Severity::Wrong
                | Severity::Form
                | Severity::Refused
                | Severity::Lenient
                | Severity::Readings => Self::Fail,
            },
        }
    }

    /// Returns the word after the count.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Died => "died",
            Self::Unstable => "unstable",
            Self::Inconsistent => "inconsistent",
        }
    }
}

impl Matrix {
    /// Returns the matrix of these reports.
    pub(super) fn of(columns: &[Column<'_>]) -> Self {
        let specs: Vec<Spec> = specs(columns).into_iter().collect();
        let mut families: Vec<(&str, usize)> = Vec::new();
        for spec in &specs {
            match families.last_mut() {
                Some((family, width)) if *family == display::family(*spec) => *width += 1,
                _ => families.push((display::family(*spec), 1)),
            }
        }
        let row = |(Column { report, .. }, name): (&Column<'_>, String)| {
            let (tallies, found) = (report.calls(), found(report));
            let cell = |spec: &Spec| {
                let of_spec = found.iter().filter(|((of, _), _)| of == spec);
                let parts = of_spec.map(|((_, matter), count)| (*count, *matter)).collect();
                Cell::of(tallies.get(spec).copied().unwrap_or_default(), parts)
            };
            let total = Tally::sum(tallies.values());
            Row { name, who: outcome::who(report), cells: specs.iter().map(cell).collect(), total }
        };
        let rows = columns.iter().zip(names(columns)).map(row).collect();
        Self { specs, families, rows }
    }
}

impl Cell {
    fn of(tally: Tally, parts: Vec<(usize, Matter)>) -> Self {
        if tally.run == 0 {
            return Self::NotAsked;
        }
        if tally.executed() == 0 {
            return Self::Unsupported;
        }
        if parts.is_empty() {
            return Self::Conforms;
        }
        let shade = match (tally.fails + tally.died) as f64 / tally.executed() as f64 {
            0.0 => 0,
            share if share < 0.05 => 1,
            share if share < 0.15 => 2,
            share if share < 0.4 => 3,
            _ => 4,
        };
        Self::Against { shade, parts }
    }
}

/// Returns the number of findings against a backend, by spec.
fn found(report: &Report<'_>) -> BTreeMap<(Spec, Matter), usize> {
    let cases = report.results.iter().map(|(case, verdict)| (case.call.spec(), verdict));
    let verdicts = cases.chain(report.finds().map(|find| (find.call.spec(), &find.verdict)));
    let faults = verdicts.filter_map(|(spec, verdict)| Some((spec, Matter::of(verdict.fault()?))));
    let unstable = report.unstable.iter().map(|one| (one.sample.call.spec(), Matter::Unstable));
    let profile = report.profile();
    let inconsistent = profile.iter().filter(|(place, row)| row.inconsistent(place).is_some());
    let inconsistent = inconsistent.map(|(place, _)| (place.spec, Matter::Inconsistent));
    let mut found = BTreeMap::new();
    for one in faults.chain(unstable).chain(inconsistent) {
        *found.entry(one).or_default() += 1;
    }
    found
}

/// Returns the specs that at least one backend was asked about.
pub(super) fn specs(columns: &[Column<'_>]) -> BTreeSet<Spec> {
    columns.iter().flat_map(|column| column.report.calls().into_keys()).collect()
}

/// Returns the name of a spec without its family, as short as its family allows.
pub(super) fn short(spec: Spec) -> &'static str {
    let version = display::version(spec);
    version.strip_prefix("Reduce").unwrap_or(version)
}
