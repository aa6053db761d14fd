//! Expands an entry of a case file to its cases: one per spec, dtype and axes dtype.
//!
//! This module and [`names`], [`data`](super::data) and [`claim`](super::claim) check everything that serde
//! cannot.

use std::path::Path;

use normative_reference::dtype::IntegerRange;
use normative_reference::{Axes, AxesTensor, Call, Dtype, Family, Kind, Norm, Operator, Spec, Tensor};

use super::budget::{Budget, Purse};
use super::data::data;
use super::elements::{count, fills, numbers};
use super::error::Problem;
use super::expect::Claims;
use super::format::{self, Entry, Number};
use super::names::{self, distinct, filled, well_formed};
use super::{Case, ClauseRef, number};
use crate::display;

/// A problem and the field of the entry it is in.
pub(super) type Fault = (&'static str, Problem);

/// The approximate cost of a case besides its tensors, in elements.
const CASE_OVERHEAD: usize = 64;

/// Returns the cases of an entry, in the order of spec, dtype, axes dtype.
pub(super) fn cases(
    entry: &Entry,
    file_specs: &[Spec],
    file: &Path,
    line: usize,
    budget: &mut Budget,
) -> Result<Vec<Case>, Fault> {
    let specs = match &entry.specs {
        Some(names) => names::specs("specs", names).map_err(|problem| ("specs", problem))?,
        None => file_specs.to_vec(),
    };
    well_formed("id", &entry.id).map_err(|problem| ("id", problem))?;
    filled("why", &entry.why).map_err(|problem| ("why", problem))?;
    clause_names(&entry.clauses).map_err(|problem| ("clauses", problem))?;
    let dtypes = names::dtypes("dtypes", &entry.dtypes).map_err(|problem| ("dtypes", problem))?;
    let operators = specs.iter().map(|&spec| operator(spec, entry)).collect::<Result<Vec<_>, _>>()?;
    let axes = self::axes(&entry.axes).map_err(|problem| ("axes", problem))?;

    let other_form = matches!(&entry.axes, format::Axes::Tensor(given) if given.other_form);
    if other_form && specs.iter().any(|spec| spec.family() != Family::Onnx) {
        return Err(("axes", Problem::NotRequired { expected: "axes in the one form that this spec has" }));
    }
    if specs.iter().any(|spec| spec.family() == Family::ArrayApi) {
        required(&dtypes, &axes)?;
    }
    if specs.iter().any(|spec| spec.family() == Family::WebNn) {
        numbers_of_javascript(&axes)?;
    }
    let is_blas = specs.iter().any(|spec| spec.family() == Family::Blas);
    if is_blas {
        routines(&dtypes, &axes)?;
    }

    // BNNS writes the fastest axis first; everything here is row-major. The prefixes of ids ensure that an
    // entry has one operator.
    let reversed = specs.contains(&Spec::Bnns);
    let text = entry.id.len() + entry.why.len() + entry.clauses.iter().map(String::len).sum::<usize>();
    let dims = entry.output_shape.as_ref().map_or(0, Vec::len) + size(&entry.axes);
    let fixed = text + dims + CASE_OVERHEAD * (1 + entry.clauses.len());
    let mut purse = Purse { budget, copies: specs.len() * axes.len() };
    let mut tensors = Vec::new();
    for dtype in dtypes {
        purse.pay(fixed).map_err(|problem| ("id", problem))?;
        let data = data(&entry.data, dtype, reversed, &mut purse).map_err(|problem| ("data", problem))?;
        let drawn = entry.data.random.is_some();
        let claim = Claims { dtype, reversed, drawn }.claim(&entry.expect, &mut purse);
        tensors.push((dtype, data, claim.map_err(|problem| ("expect", problem))?));
    }

    if is_blas {
        for (_, data, _) in &tensors {
            within(&operators, data)?;
        }
    }

    let mut cases = Vec::new();
    for (spec, operator) in specs.iter().zip(&operators) {
        let clauses: Vec<ClauseRef> =
            entry.clauses.iter().map(|name| ClauseRef { spec: *spec, name: name.clone() }).collect();
        for (dtype, data, claim) in &tensors {
            for (label, axes) in &axes {
                let suffix = label.map(|dtype| format!("/axes-{dtype}")).unwrap_or_default();
                cases.push(Case {
                    name: format!("{}{suffix}", name(&entry.id, *spec, *dtype)),
                    id: entry.id.clone(),
                    file: file.to_owned(),
                    line,
                    clauses: clauses.clone(),
                    why: entry.why.clone(),
                    call: Call::new(operator.clone(), data.clone(), axes.clone()),
                    random: entry.data.random,
                    claim: claim.clone(),
                });
            }
        }
    }
    Ok(cases)
}

/// Rejects calls whose outcome the array API leaves to the implementation: no answer to them is wrong.
fn required(dtypes: &[Dtype], axes: &[(Option<Dtype>, Axes)]) -> Result<(), Fault> {
    if dtypes.iter().any(|dtype| !matches!(dtype, Dtype::F32 | Dtype::F64)) {
        return Err(("dtypes", Problem::NotRequired { expected: "f32 or f64" }));
    }
    let is_axis = |(_, axes): &(Option<Dtype>, Axes)| match axes {
        Axes::Absent | Axes::Null => true,
        Axes::Given(given) => given.dtype == Dtype::I64 && given.shape.len() <= 1,
        Axes::OtherForm(_) => false,
    };
    let expected = "an integer, or a tuple of them: i64 of rank 0 or 1";
    if axes.iter().all(is_axis) { Ok(()) } else { Err(("axes", Problem::NotRequired { expected })) }
}

/// Rejects axes that JavaScript numbers cannot express.
fn numbers_of_javascript(axes: &[(Option<Dtype>, Axes)]) -> Result<(), Fault> {
    let are_numbers = |(_, axes): &(Option<Dtype>, Axes)| match axes {
        Axes::Absent | Axes::Null => true,
        Axes::Given(given) => given.dtype == Dtype::I64 && given.shape.len() <= 1,
        Axes::OtherForm(_) => false,
    };
    let expected = "a list of numbers, or one number, which is refused: i64 of rank 1 or 0";
    if axes.iter().all(are_numbers) { Ok(()) } else { Err(("axes", Problem::NotRequired { expected })) }
}

/// Rejects calls that cannot be written: BLAS has a routine for f32 and one for f64, and neither has axes.
fn routines(dtypes: &[Dtype], axes: &[(Option<Dtype>, Axes)]) -> Result<(), Fault> {
    if dtypes.iter().any(|dtype| !matches!(dtype, Dtype::F32 | Dtype::F64)) {
        return Err(("dtypes", Problem::NotRequired { expected: "f32 or f64" }));
    }
    let absent = axes.iter().all(|(_, axes)| *axes == Axes::Absent);
    if absent { Ok(()) } else { Err(("axes", Problem::NotRequired { expected: "no axes" })) }
}

/// Rejects calls that read outside their data: no answer to them can be judged.
fn within(operators: &[Operator], data: &Tensor) -> Result<(), Fault> {
    if data.rank() != 1 {
        return Err(("data", Problem::NotRequired { expected: "data of one dim" }));
    }
    let beyond = operators.iter().find(|operator| !operator.reads_within(data.len()));
    beyond.map_or(Ok(()), |operator| Err(("data", Problem::BeyondData { reach: operator.reach() })))
}

/// Returns the name of the case of this id for one spec and element type.
pub fn name(id: &str, spec: Spec, dtype: Dtype) -> String {
    format!("{id}/{}/{dtype}", display::version(spec))
}

fn clause_names(names: &[String]) -> Result<(), Problem> {
    distinct("clauses", names)?;
    names.iter().try_for_each(|name| well_formed("clauses", name))
}

/// Returns the operator with its attributes; attributes of other operators are errors.
fn operator(spec: Spec, entry: &Entry) -> Result<Operator, Fault> {
    let attributes = [
        ("keep_dims", entry.keep_dims.is_some(), matches!(spec, Spec::OpenVino(_) | Spec::WebNn(_))),
        ("keepdims", entry.keepdims.is_some(), matches!(spec, Spec::Onnx(..) | Spec::ArrayApi(_))),
        ("noop_with_empty_axes", entry.noop_with_empty_axes.is_some(), matches!(spec, Spec::Onnx(..))),
        ("output_shape", entry.output_shape.is_some(), spec == Spec::Bnns),
        ("ord", entry.ord.is_some(), spec == Spec::ArrayApi(Norm::L2)),
        ("n", entry.n.is_some(), matches!(spec, Spec::Blas(_))),
        ("incx", entry.incx.is_some(), matches!(spec, Spec::Blas(_))),
    ];
    if let Some((field, ..)) = attributes.into_iter().find(|&(_, there, known)| there && !known) {
        return Err((field, Problem::ForeignField { field, spec }));
    }
    match spec {
        Spec::OpenVino(norm) => Ok(Operator::OpenVino { norm, keep_dims: entry.keep_dims }),
        Spec::Onnx(norm, opset) => Ok(Operator::Onnx {
            norm,
            opset,
            keepdims: entry.keepdims,
            noop_with_empty_axes: entry.noop_with_empty_axes,
        }),
        Spec::Bnns => {
            let output_shape = entry.output_shape.clone().ok_or(("id", Problem::NoOutputShape))?;
            count("output_shape", &output_shape).map_err(|problem| ("output_shape", problem))?;
            Ok(Operator::Bnns { output_shape })
        }
        Spec::WebNn(norm) => Ok(Operator::WebNn { norm, keep_dimensions: entry.keep_dims }),
        Spec::Blas(norm) => match (entry.n, entry.incx) {
            (Some(n), Some(incx)) => Ok(Operator::Blas { norm, n, incx }),
            _ => Err(("id", Problem::NoVector)),
        },
        Spec::ArrayApi(norm) => {
            let keepdims = match entry.keepdims {
                None => None,
                Some(keep @ 0..=1) => Some(keep == 1),
                Some(_) => return Err(("keepdims", Problem::NoBoolean)),
            };
            let ord = match (norm, entry.ord) {
                (Norm::L1, _) => Some(Norm::L1),
                (Norm::L2, None) => None,
                (Norm::L2, Some(2)) => Some(Norm::L2),
                (Norm::L2, Some(_)) => return Err(("ord", Problem::OtherOrder)),
            };
            Ok(Operator::ArrayApi { ord, keepdims })
        }
    }
}

/// Returns the axes of each expansion, with their dtype as a label if there are several.
fn axes(axes: &format::Axes) -> Result<Vec<(Option<Dtype>, Axes)>, Problem> {
    let tensor =
        |dtype: Dtype, field: &str, shape: Vec<usize>, values: &[Number]| -> Result<AxesTensor, Problem> {
            let (spelled, range) = match dtype.kind() {
                Kind::Integer(range) => (dtype, range),
                // A float axes tensor must be refused; its values are still spelled as integers.
                Kind::Float(_) => (Dtype::I64, IntegerRange { min: i64::MIN.into(), max: i64::MAX.into() }),
            };
            let bits = numbers(field, values, |text| number::parse(text, spelled))?;
            let values = bits.into_iter().map(|bits| range.decode(bits)).collect();
            Ok(AxesTensor { dtype, shape, values })
        };
    match axes {
        format::Axes::Absent => Ok(vec![(None, Axes::Absent)]),
        format::Axes::Null => Ok(vec![(None, Axes::Null)]),
        format::Axes::List(values) => {
            Ok(vec![(None, Axes::Given(tensor(Dtype::I64, "axes", vec![values.len()], values)?))])
        }
        format::Axes::Tensor(given) => {
            let dtypes = names::dtypes("axes.dtypes", &given.dtypes)?;
            let needed = count("axes.shape", &given.shape)?;
            fills("axes.values", needed, given.values.len())?;
            let several = dtypes.len() > 1;
            let of = |dtype: Dtype| {
                let axes = tensor(dtype, "axes.values", given.shape.clone(), &given.values)?;
                let form = if given.other_form { Axes::OtherForm } else { Axes::Given };
                Ok((several.then_some(dtype), form(axes)))
            };
            dtypes.into_iter().map(of).collect()
        }
    }
}

/// Returns the count of numbers that the axes of one expansion hold.
fn size(axes: &format::Axes) -> usize {
    match axes {
        format::Axes::Absent | format::Axes::Null => 0,
        format::Axes::List(values) => values.len(),
        format::Axes::Tensor(tensor) => tensor.shape.len() + tensor.values.len(),
    }
}
