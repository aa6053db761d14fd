//! The table of kernels: rows of layouts, each a case for every spec that it names.
//!
//! A row says which dims are reduced. Everything else follows from it, or stands once at the head of the file. The data are
//! `Pairs`, so the results follow from the layout too, and each of them is stated.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use normative_reference::spec::AxisRange;
use normative_reference::{Family, Norm, Spec};

use super::Case;
use super::budget::{Budget, Purse};
use super::elements::count;
use super::error::Problem;
use super::expand::{self, Fault};
use super::format::{Axes, Data, Entry, Expect, Keep, Number, Pairs};
use super::names;

/// The name of every file that is such a table.
const NAME: &str = "kernels.yaml";

/// Returns true if a file is a table of kernels, not of cases.
pub fn is_table(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == NAME)
}

/// A table of kernels: what its cases have in common, and a row for each layout.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KernelFile {
    /// The common topic of the rows, on one line.
    pub(super) topic: String,
    /// The wrong implementation that they catch.
    pub(super) why: String,
    /// The clauses that they test, the main one first: for each family that a row names.
    pub(super) clauses: BTreeMap<String, Vec<String>>,
    /// The rows.
    pub(super) rows: Vec<Row>,
}

/// A layout, and the specs that have cases of it: one for each of their element types.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    /// Unique in the corpus, as the id of a case is.
    pub(super) id: String,
    /// The dims of the data, row-major for every spec.
    shape: Vec<usize>,
    /// The axes to reduce, as passed, in the order of the dims. A spec in which no axis counts from the end gets them
    /// counted from the start.
    axes: Vec<i64>,
    /// True if the reduced dims are kept. A spec whose default that is gets no attribute. Default: false.
    #[serde(default)]
    keep: bool,
    /// The element types of its specs that it leaves out, because an error would hide in the tolerance. Default: none.
    #[serde(default)]
    but: Vec<String>,
    /// The specs of the L1 norm: a family, or one version, such as `onnx-13`. Default: none.
    #[serde(default)]
    l1: Vec<String>,
    /// Those of the L2 norm. Default: none.
    #[serde(default)]
    l2: Vec<String>,
    /// Those of the sum of squares. Default: none.
    #[serde(default, rename = "sum-square")]
    sum_square: Vec<String>,
}

impl KernelFile {
    /// Checks the head.
    pub(super) fn check(&self) -> Result<(), Fault> {
        names::title("topic", &self.topic).map_err(|problem| ("topic", problem))?;
        names::filled("why", &self.why).map_err(|problem| ("why", problem))?;
        match self.clauses.keys().find(|name| Family::from_name(name).is_none()) {
            Some(name) => {
                Err(("clauses", Problem::UnknownVersion { field: "clauses", name: name.clone() }).into())
            }
            None if self.rows.is_empty() => Err(("rows", Problem::EmptyList { field: "rows" }).into()),
            None => Ok(()),
        }
    }

    /// Returns the cases of a row, in the order of spec and dtype.
    pub(super) fn cases(
        &self,
        row: &Row,
        file: &Path,
        line: usize,
        budget: &mut Budget,
    ) -> Result<Vec<Case>, Fault> {
        let mut cases = Vec::new();
        for (field, norm, names) in [
            ("l1", Norm::L1, &row.l1),
            ("l2", Norm::L2, &row.l2),
            ("sum-square", Norm::SumSquare, &row.sum_square),
        ] {
            for name in names {
                let specs: Vec<Spec> = Spec::ALL
                    .into_iter()
                    .filter(|&spec| spec.norm() == norm && names::is_named(spec, name))
                    .collect();
                if specs.is_empty() {
                    return Err((field, Problem::UnknownVersion { field, name: name.clone() }).into());
                }
                for spec in specs {
                    let entry = self.entry(row, spec, budget)?;
                    cases.extend(expand::cases(&entry, &[spec], file, line, budget)?);
                }
            }
        }
        if cases.is_empty() {
            Err(("id", Problem::EmptyList { field: "l1, l2, sum-square" }).into())
        } else {
            Ok(cases)
        }
    }

    /// Returns the case that a row is for one spec.
    fn entry(&self, row: &Row, spec: Spec, budget: &mut Budget) -> Result<Entry, Fault> {
        let rules = spec.rules();
        let clauses = self.clauses.get(spec.family().name());
        let clauses = clauses.ok_or(("clauses", Problem::NoClauses { family: spec.family() }))?;
        let but = if row.but.is_empty() {
            Vec::new()
        } else {
            names::dtypes("but", &row.but).map_err(|problem| ("but", problem))?
        };
        let dtypes = rules.dtypes.iter().filter(|dtype| !but.contains(dtype));
        let along = along(row).ok_or(("axes", Problem::RowAxes { field: "axes" }))?;
        let dims = count("shape", &row.shape).and_then(|_| {
            let kept = |(axis, &dim): (usize, &usize)| match (along.contains(&axis), row.keep) {
                (false, _) => Some(dim),
                (true, true) => Some(1),
                (true, false) => None,
            };
            let dims: Vec<usize> = row.shape.iter().enumerate().filter_map(kept).collect();
            Purse { budget, copies: 1 }.pay(count("shape", &dims)?)?;
            Ok(dims)
        });
        let mut dims = dims.map_err(|problem| ("shape", problem))?;
        let terms = along.iter().map(|&axis| row.shape[axis]).product();
        let outputs = dims.iter().product();
        let (mut shape, mut along) = (row.shape.clone(), along);
        let from_zero = matches!(rules.axis_range, AxisRange::FromZero | AxisRange::Indices);
        if spec == Spec::Bnns {
            // Its files have the fastest axis first.
            along = along.into_iter().rev().map(|axis| shape.len() - 1 - axis).collect();
            shape.reverse();
            dims.reverse();
            if dims.is_empty() {
                // Its destination has at least one.
                dims.push(1);
            }
        }
        let axes = if from_zero {
            along.iter().map(ToString::to_string).collect()
        } else {
            row.axes.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let said = (row.keep != rules.keep_dims_default).then_some(row.keep);
        Ok(Entry {
            id: row.id.clone(),
            clauses: Some(clauses.clone()),
            why: Some(self.why.clone()),
            dtypes: Some(dtypes.map(ToString::to_string).collect()),
            axes: Axes::List(axes.into_iter().map(Number).collect()),
            keep_dims: said.filter(|_| spec != Spec::Bnns).map(Keep::Flag),
            output_shape: (spec == Spec::Bnns).then(|| dims.clone()),
            expect: Some(Expect {
                shape: Some(dims),
                values: Some(results(spec.norm(), terms, outputs)),
                ..Expect::default()
            }),
            data: Some(Data { shape, pairs: Some(Pairs { along }), ..Data::default() }),
            ..Entry::default()
        })
    }
}

/// Returns the reduced dims of a row; `None` unless each axis names one, and they ascend.
fn along(row: &Row) -> Option<Vec<usize>> {
    let rank = i64::try_from(row.shape.len()).ok()?;
    let from_zero = |&axis: &i64| {
        let axis = if axis < 0 { axis.checked_add(rank)? } else { axis };
        (0..rank).contains(&axis).then_some(axis as usize)
    };
    let along: Vec<usize> = row.axes.iter().map(from_zero).collect::<Option<_>>()?;
    let ascend = along.windows(2).all(|two| two[0] < two[1]);
    (ascend && !along.is_empty()).then_some(along)
}

/// Returns the norms of so many rows of pairs, as the format promises them.
fn results(norm: Norm, terms: usize, outputs: usize) -> Vec<Number> {
    let by_turns = match norm {
        Norm::L1 if terms >= 4 && outputs == 1 => [20, 20],
        Norm::L1 if terms > 1 => [14, 7],
        Norm::L1 | Norm::L2 => [10, 5],
        Norm::SumSquare => [100, 25],
        // The file has no rows of it: the elements of a pair have both signs.
        Norm::Sum => [0, 0],
    };
    (0..outputs).map(|row| Number(by_turns[row % 2].to_string())).collect()
}
