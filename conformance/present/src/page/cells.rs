//! The matrix as cells, which the page lays out as a table and the picture as rectangles.
//!
//! Cases and generated calls are counted together. This module writes no markup.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::Spec;

use super::model::{Counts, Kind};
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matter {
    Fail,
    Died,
    Unstable,
    Inconsistent,
}

impl Matter {
    const ALL: [Self; 4] = [Self::Fail, Self::Died, Self::Unstable, Self::Inconsistent];

    const fn of(kind: Kind) -> Self {
        match kind {
            Kind::Nondeterministic => Self::Unstable,
            Kind::Of(Fault::Inconsistent) => Self::Inconsistent,
            Kind::Of(fault) => match fault.severity() {
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
    /// Returns the matrix of these reports; `counts` has the findings against each backend.
    pub(super) fn of(columns: &[Column<'_>], counts: &Counts) -> Self {
        let specs: Vec<Spec> = specs(columns).into_iter().collect();
        let mut families: Vec<(&str, usize)> = Vec::new();
        for spec in &specs {
            match families.last_mut() {
                Some((family, width)) if *family == display::family(*spec) => *width += 1,
                _ => families.push((display::family(*spec), 1)),
            }
        }
        let row = |(at, (Column { report, .. }, name)): (usize, (&Column<'_>, String))| {
            let tallies = tallies(report);
            let cell = |spec: &Spec| {
                let counted = |matter: Matter| {
                    let these = counts.iter().filter(|((backend, of, kind), _)| {
                        (*backend, of, Matter::of(*kind)) == (at, spec, matter)
                    });
                    (these.map(|(_, count)| count).sum(), matter)
                };
                Cell::of(tallies.get(spec).copied().unwrap_or_default(), &Matter::ALL.map(counted))
            };
            let total = Tally::sum(tallies.values());
            Row { name, who: outcome::who(report), cells: specs.iter().map(cell).collect(), total }
        };
        let rows = columns.iter().zip(names(columns)).enumerate().map(row).collect();
        Self { specs, families, rows }
    }
}

impl Cell {
    fn of(tally: Tally, parts: &[(usize, Matter)]) -> Self {
        let parts: Vec<(usize, Matter)> = parts.iter().copied().filter(|(count, _)| *count > 0).collect();
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

/// Returns the tallies of cases and generated calls together.
fn tallies(report: &Report<'_>) -> BTreeMap<Spec, Tally> {
    let mut sum = report.tallies();
    for (spec, tally) in report.generated.iter().flat_map(|generated| &generated.tallies) {
        let cases = sum.entry(*spec).or_default();
        *cases = Tally::sum([&*cases, tally]);
    }
    sum
}

/// Returns the specs that at least one backend was asked about.
pub(super) fn specs(columns: &[Column<'_>]) -> BTreeSet<Spec> {
    columns.iter().flat_map(|column| tallies(&column.report).into_keys()).collect()
}

/// Returns the name of a spec without its family, as short as its family allows.
pub(super) fn short(spec: Spec) -> &'static str {
    let version = display::version(spec);
    version.strip_prefix("Reduce").unwrap_or(version)
}
