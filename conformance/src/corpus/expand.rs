//! Expands an entry of a case file to its cases: one per spec, dtype and axes dtype.
//!
//! This module and [`names`], [`data`](super::data) and [`claim`](super::claim) check everything that serde
//! cannot.

use std::collections::BTreeMap;
use std::path::Path;

use normative_reference::dtype::IntegerRange;
use normative_reference::{Axes, AxesTensor, Call, Dtype, Family, Kind, Norm, Operator, Spec, Tensor};

use super::budget::{Budget, Purse};
use super::data::{self, data};
use super::elements::{count, fills, numbers};
use super::error::Problem;
use super::expect::Claims;
use super::format::{self, Entry, Keep, Number, Part};
use super::names::{self, distinct, filled, well_formed};
use super::{Case, ClauseRef, number};
use crate::display;

/// A problem, the field of the entry it is in, and the part in which this field stands.
pub(super) struct Fault {
    pub(super) within: Option<&'static str>,
    pub(super) field: &'static str,
    pub(super) problem: Problem,
}

impl From<(&'static str, Problem)> for Fault {
    fn from((field, problem): (&'static str, Problem)) -> Self {
        Self { within: None, field, problem }
    }
}

/// The value of a field for one operator, and the part in which it stands.
struct Said<'e, T> {
    value: &'e T,
    within: Option<&'static str>,
    field: &'static str,
}

impl<T> Said<'_, T> {
    /// Blames the field.
    fn fault(&self, problem: Problem) -> Fault {
        Fault { within: self.within, field: self.field, problem }
    }
}

/// Returns the value of a field for a spec: that of the one part that has it, or the case's own.
fn said<'e, T>(
    entry: &'e Entry,
    spec: Spec,
    field: &'static str,
    own: Option<&'e T>,
    of_part: impl Fn(&'e Part) -> Option<&'e T>,
) -> Result<Said<'e, T>, Fault> {
    let mut parts = entry.parts_of(spec).filter_map(|(name, part)| Some((Some(name), of_part(part)?)));
    match (parts.next(), parts.next(), own) {
        (Some((within, _)), Some(_), _) => {
            Err(Fault { within, field, problem: Problem::SaidTwice { field, spec } })
        }
        (Some((within, value)), None, _) => Ok(Said { value, within, field }),
        (None, _, Some(value)) => Ok(Said { value, within: None, field }),
        (None, _, None) => Err(("id", Problem::Missing { field, spec }).into()),
    }
}

/// Returns a field of the entry itself that none of these specs takes, because a part of each has its own.
fn unread(entry: &Entry, specs: &[Spec]) -> Option<&'static str> {
    type Row = (&'static str, bool, fn(&Part) -> bool);
    let fields: [Row; 5] = [
        ("clauses", entry.clauses.is_some(), |part| part.clauses.is_some()),
        ("why", entry.why.is_some(), |part| part.why.is_some()),
        ("dtypes", entry.dtypes.is_some(), |part| part.dtypes.is_some()),
        ("data", entry.data.is_some(), |part| part.data.is_some()),
        ("expect", entry.expect.is_some(), |part| part.expect.is_some()),
    ];
    let is_unread = |(_, own, of_part): &Row| {
        *own && specs.iter().all(|&spec| entry.parts_of(spec).any(|(_, part)| of_part(part)))
    };
    fields.into_iter().find(is_unread).map(|(field, ..)| field)
}

/// The data of an entry that its operators share, by type and order of the dims: drawing them takes time.
type Made = BTreeMap<(Dtype, bool), Tensor>;

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
    let is_used = |name: &str| specs.iter().any(|&spec| entry.parts_of(spec).any(|(used, _)| used == name));
    if let Some((name, _)) = entry.parts().find(|(name, _)| !is_used(name)) {
        return Err((name, Problem::PartOfNone { name }).into());
    }
    if let Some(field) = unread(entry, &specs) {
        return Err((field, Problem::Unread { field }).into());
    }
    let operators: Vec<&[Spec]> =
        specs.chunk_by(|one, next| (one.family(), one.norm()) == (next.family(), next.norm())).collect();
    let (mut cases, mut made) = (Vec::new(), Made::new());
    for specs in &operators {
        cases.extend(of_operator(entry, specs, operators.len() > 1, file, line, budget, &mut made)?);
    }
    Ok(cases)
}

/// Returns the cases of one operator. If it is one of several, types that a spec does not have are left out.
fn of_operator(
    entry: &Entry,
    specs: &[Spec],
    of_several: bool,
    file: &Path,
    line: usize,
    budget: &mut Budget,
    made: &mut Made,
) -> Result<Vec<Case>, Fault> {
    let Some(&first) = specs.first() else { return Ok(Vec::new()) };
    let why = said(entry, first, "why", entry.why.as_ref(), |part| part.why.as_ref())?;
    filled("why", why.value).map_err(|problem| why.fault(problem))?;
    let clauses = said(entry, first, "clauses", entry.clauses.as_ref(), |part| part.clauses.as_ref())?;
    clause_names(clauses.value).map_err(|problem| clauses.fault(problem))?;
    let listed = said(entry, first, "dtypes", entry.dtypes.as_ref(), |part| part.dtypes.as_ref())?;
    let dtypes = names::dtypes("dtypes", listed.value).map_err(|problem| listed.fault(problem))?;
    let has = |spec: Spec, dtype: Dtype| !of_several || spec.rules().dtypes.contains(&dtype);
    if let Some(&spec) = specs.iter().find(|&&spec| !dtypes.iter().any(|&dtype| has(spec, dtype))) {
        return Err(listed.fault(Problem::NoType { spec }));
    }
    let expected = said(entry, first, "expect", entry.expect.as_ref(), |part| part.expect.as_ref())?;
    let filling = said(entry, first, "data", entry.data.as_ref(), |part| part.data.as_ref())?;
    let operators = specs.iter().map(|&spec| operator(spec, entry)).collect::<Result<Vec<_>, _>>()?;
    let axes = self::axes(&entry.axes).map_err(|problem| ("axes", problem))?;

    let family = first.family();
    let other_form = matches!(&entry.axes, format::Axes::Tensor(given) if given.other_form);
    if other_form && family != Family::Onnx {
        return Err(
            ("axes", Problem::NotRequired { expected: "axes in the one form that this spec has" }).into()
        );
    }
    let dtypes: Vec<Dtype> =
        dtypes.into_iter().filter(|&dtype| specs.iter().any(|&spec| has(spec, dtype))).collect();
    required(family, &dtypes, &axes)?;

    // BNNS writes the fastest axis first; everything here is row-major.
    let reversed = family == Family::Bnns;
    let text = entry.id.len() + why.value.len() + clauses.value.iter().map(String::len).sum::<usize>();
    let dims = entry.output_shape.as_ref().map_or(0, Vec::len) + size(&entry.axes);
    let fixed = text + dims + CASE_OVERHEAD * (1 + clauses.value.len());
    let mut purse = Purse { budget, copies: specs.len() * axes.len() };
    let mut tensors = Vec::new();
    for dtype in dtypes {
        purse.pay(fixed).map_err(|problem| ("id", problem))?;
        let is_shared = filling.within.is_none();
        let data = match made.get(&(dtype, reversed)).filter(|_| is_shared) {
            Some(made) => data::pay(filling.value, &mut purse).map(|_| made.clone()),
            None => data(filling.value, dtype, reversed, &mut purse).inspect(|data| {
                if is_shared {
                    made.insert((dtype, reversed), data.clone());
                }
            }),
        };
        let data = data.map_err(|problem| filling.fault(problem))?;
        let drawn = filling.value.random.is_some();
        let claim = Claims { dtype, reversed, drawn }.claim(expected.value, &mut purse);
        tensors.push((dtype, data, claim.map_err(|problem| expected.fault(problem))?));
    }

    if family == Family::Blas {
        for (_, data, _) in &tensors {
            within(&operators, data)?;
        }
    }

    let mut cases = Vec::new();
    for (spec, operator) in specs.iter().zip(&operators) {
        let clauses: Vec<ClauseRef> =
            clauses.value.iter().map(|name| ClauseRef { spec: *spec, name: name.clone() }).collect();
        for (dtype, data, claim) in tensors.iter().filter(|(dtype, ..)| has(*spec, *dtype)) {
            for (label, axes) in &axes {
                let suffix = label.map(|dtype| format!("/axes-{dtype}")).unwrap_or_default();
                cases.push(Case {
                    name: format!("{}{suffix}", name(&entry.id, *spec, *dtype)),
                    id: entry.id.clone(),
                    file: file.to_owned(),
                    line,
                    clauses: clauses.clone(),
                    why: why.value.clone(),
                    call: Call::new(operator.clone(), data.clone(), axes.clone()),
                    random: filling.value.random,
                    claim: claim.clone(),
                });
            }
        }
    }
    Ok(cases)
}

/// Rejects calls whose outcome the array API leaves to the implementation, as no answer to them is wrong, axes that
/// JavaScript numbers cannot express, and calls for which BLAS has no routine: it has one for f32 and one for f64, and
/// neither has axes.
fn required(family: Family, dtypes: &[Dtype], axes: &[(Option<Dtype>, Axes)]) -> Result<(), Fault> {
    let (only_floats, takes_list, expected) = match family {
        Family::ArrayApi => (true, true, "an integer, or a tuple of them: i64 of rank 0 or 1"),
        Family::WebNn => {
            (false, true, "a list of numbers, or one number, which is refused: i64 of rank 1 or 0")
        }
        Family::Blas => (true, false, "no axes"),
        Family::OpenVino | Family::Onnx | Family::Bnns => return Ok(()),
    };
    if only_floats && dtypes.iter().any(|dtype| !matches!(dtype, Dtype::F32 | Dtype::F64)) {
        return Err(("dtypes", Problem::NotRequired { expected: "f32 or f64" }).into());
    }
    let is_required = |(_, axes): &(Option<Dtype>, Axes)| match axes {
        Axes::Absent => true,
        Axes::Null => takes_list,
        Axes::Given(given) => takes_list && given.dtype == Dtype::I64 && given.shape.len() <= 1,
        Axes::OtherForm(_) => false,
    };
    if axes.iter().all(is_required) {
        Ok(())
    } else {
        Err(("axes", Problem::NotRequired { expected }).into())
    }
}

/// Rejects calls that read outside their data: no answer to them can be judged.
fn within(operators: &[Operator], data: &Tensor) -> Result<(), Fault> {
    if data.rank() != 1 {
        return Err(("data", Problem::NotRequired { expected: "data of one dim" }).into());
    }
    let beyond = operators.iter().find(|operator| !operator.reads_within(data.len()));
    beyond.map_or(Ok(()), |operator| Err(("data", Problem::BeyondData { reach: operator.reach() }).into()))
}

/// Returns the name of the case of this id for one spec and element type.
pub fn name(id: &str, spec: Spec, dtype: Dtype) -> String {
    format!("{id}/{}/{dtype}", display::unique_version(spec))
}

fn clause_names(names: &[String]) -> Result<(), Problem> {
    distinct("clauses", names)?;
    names.iter().try_for_each(|name| well_formed("clauses", name))
}

/// Returns the operator with its attributes; attributes of other operators are errors.
fn operator(spec: Spec, entry: &Entry) -> Result<Operator, Fault> {
    let attributes = [
        ("keep_dims", entry.keep_dims.is_some(), !matches!(spec, Spec::Bnns | Spec::Blas(_))),
        ("noop_with_empty_axes", entry.noop_with_empty_axes.is_some(), matches!(spec, Spec::Onnx(..))),
        ("output_shape", entry.output_shape.is_some(), spec == Spec::Bnns),
        ("ord", entry.ord.is_some(), spec == Spec::ArrayApi(Norm::L2)),
        ("n", entry.n.is_some(), matches!(spec, Spec::Blas(_))),
        ("incx", entry.incx.is_some(), matches!(spec, Spec::Blas(_))),
    ];
    if let Some((field, ..)) = attributes.into_iter().find(|&(_, there, known)| there && !known) {
        return Err((field, Problem::ForeignField { field, spec }).into());
    }
    let keep = match entry.keep_dims {
        None => None,
        Some(Keep::Flag(keep)) => Some(i64::from(keep)),
        Some(Keep::Integer(other)) if spec.family() == Family::Onnx && !(0..=1).contains(&other) => {
            Some(other)
        }
        Some(Keep::Integer(_)) => return Err(("keep_dims", Problem::NoBoolean).into()),
    };
    let flag = keep.map(|keep| keep == 1);
    match spec {
        Spec::OpenVino(norm) => Ok(Operator::OpenVino { norm, keep_dims: flag }),
        Spec::Onnx(norm, opset) => Ok(Operator::Onnx {
            norm,
            opset,
            keepdims: keep,
            noop_with_empty_axes: entry.noop_with_empty_axes,
        }),
        Spec::Bnns => {
            let output_shape = entry.output_shape.clone().ok_or(("id", Problem::NoOutputShape))?;
            count("output_shape", &output_shape).map_err(|problem| ("output_shape", problem))?;
            Ok(Operator::Bnns { output_shape })
        }
        Spec::WebNn(norm) => Ok(Operator::WebNn { norm, keep_dimensions: flag }),
        Spec::Blas(norm) => match (entry.n, entry.incx) {
            (Some(n), Some(incx)) => Ok(Operator::Blas { norm, n, incx }),
            _ => Err(("id", Problem::NoVector).into()),
        },
        Spec::ArrayApi(norm) => {
            let ord = match (norm, entry.ord) {
                (Norm::L1, _) => Some(Norm::L1),
                (Norm::L2, None) => None,
                (Norm::L2, Some(2)) => Some(Norm::L2),
                (Norm::L2 | Norm::SumSquare | Norm::Sum, _) => {
                    return Err(("ord", Problem::OtherOrder).into());
                }
            };
            Ok(Operator::ArrayApi { ord, keepdims: flag })
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
