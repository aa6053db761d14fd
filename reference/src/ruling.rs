//! Decides what a spec says of a call.
//!
//! [`rule`] reads the call as a person reads the text, top to bottom, and asks wherever the text leaves a
//! choice. It runs once for every combination of answers, so a ruling lists all honest readings of the call:
//! one entry where the text decides, several where it does not.
//!
//! Names in quotes are clauses of the spec (`cases/clauses/`). Nothing here computes a norm.

use std::collections::BTreeSet;

use crate::arithmetic::{self, Arithmetic, Census};
use crate::call::{Axes, AxesTensor, Call, Operator};
use crate::dtype::Dtype;
use crate::question::{Choice, Question, Reading};
use crate::reader::{self, Read, Reader, Ways};
use crate::reduction::{Dims, Elements, Reduction};
use crate::spec::{AxesForm, AxisRange, Clause, Family, Norm, Rules, Spec, Stance};
use crate::unnamed::{Empty, NOOP_ABSENT, NOOP_NULL, empty_axes, of_each};

/// The honest readings of a call; never empty. The question that [`rule`] asks first varies slowest.
///
/// The judge computes the answer that each alternative expects, and merges equal ones
/// (`judge::verdict::Sheet` in `normative-conformance`). If one is left, the call is *determined* (a tensor)
/// or *rejected* (a refusal). If several are left, it is *open*; two refusals by different clauses differ.
/// Several alternatives may be merged into one: L2 of [3, 4] is 5, truncated or nearest.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// One entry per combination of readings.
    pub alternatives: Vec<Alternative>,
}

/// One honest reading of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// The reading of each open question that the call raises; empty where it raises none.
    pub choices: Vec<Choice>,
    /// The readings of questions that the choices answer already. If squares of bf16 are held in bf16, and
    /// their sum is not, they are not scaled, so [`FloatRange`](Question::FloatRange) is read as naive.
    pub implied: Vec<Choice>,
    /// The outcome under these readings.
    pub outcome: Outcome,
}

/// The meaning of a call under one reading.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The output is this norm, computed by this arithmetic.
    Reduce(Reduction, Arithmetic),
    /// The output is the data, untouched.
    Unchanged,
    /// The call breaks this clause and must be refused. Only [`expect`](crate::expect) finds the calls that
    /// are refused because an integer result overflows.
    Rejected(Clause),
    /// The call breaks this clause, and the text puts the consequences outside its scope: any answer conforms.
    OutOfScope(Clause),
}

impl Ruling {
    /// Returns the alternative that a policy picks; `None` if it answers with a reading that the question
    /// does not have. Unanswered questions take their first reading. So do those answered with a reading that
    /// means the same as the first in calls of this type.
    pub fn under(&self, policy: impl Fn(Question) -> Option<Reading>) -> Option<&Alternative> {
        let is_there = |choice: Choice| {
            self.alternatives.iter().any(|alternative| alternative.choices.contains(&choice))
        };
        self.alternatives.iter().find(|alternative| {
            alternative.choices.iter().all(|choice| {
                let (question, first) = (choice.question, choice.question.readings()[0]);
                let left_out = |reading| {
                    question.readings().contains(&reading) && !is_there(Choice { question, reading })
                };
                let reading = policy(question).filter(|&reading| !left_out(reading)).unwrap_or(first);
                choice.reading == reading
            })
        })
    }

    /// Returns the questions that the call raises under some reading, in the order of their declaration.
    pub fn questions(&self) -> BTreeSet<Question> {
        let choices = self.alternatives.iter().flat_map(|alternative| &alternative.choices);
        choices.map(|choice| choice.question).collect()
    }
}

/// Rules on a call, under every combination of answers to the questions it raises.
pub fn rule(call: &Call) -> Ruling {
    let census = Census::of(&call.data);
    let (spec, declared) = (call.spec(), call.spec().rules().out_of_scope);
    let refused = |name| {
        let clause = Clause { spec, name };
        if declared.contains(&name) { Outcome::OutOfScope(clause) } else { Outcome::Rejected(clause) }
    };
    let all = reader::every(|reader| structure(call, &census, reader).unwrap_or_else(refused));
    let alternative = |Read { choices, implied, result }| Alternative { choices, implied, outcome: result };
    Ruling { alternatives: all.into_iter().map(alternative).collect() }
}

/// The name of the clause that a call breaks.
type Breach = &'static str;

/// Reads the call from its form to its arithmetic, and returns its meaning.
fn structure(call: &Call, census: &Census, reader: &mut Reader) -> Result<Outcome, Breach> {
    let (spec, rules, shape) = (call.spec(), call.spec().rules(), call.data.shape());
    if !rules.dtypes.contains(&call.data.dtype()) && refuses(rules.other_dtypes, reader) {
        return Err("types");
    }
    let (lowest, highest) = rules.ranks;
    if !(lowest..=highest).contains(&shape.len()) && refuses(rules.other_ranks, reader) {
        return Err("ranks");
    }
    if shape.is_empty() && refuses(rules.rank_zero, reader) {
        return Err("rank-zero-unstated");
    }
    let noop = noop_with_empty_axes(&call.operator, &rules, reader)?;
    let dims = kept_or_dropped(call, &rules, reader)?;
    let Some(axes) = target(call, &rules, noop, reader)? else {
        // The output has as many elements as the data, each from one element, so no norm is over zero elements.
        no_elements(call.data.len(), 1, &rules, reader)?;
        return Ok(Outcome::Unchanged);
    };
    let elements = elements(call, reader)?;
    let reduction = Reduction { norm: spec.norm(), axes, dims, elements };
    if let Operator::Bnns { output_shape } = &call.operator
        && !output_shape.iter().eq(reduction.output_shape(shape).iter().rev())
    {
        return Err("output-shape");
    }
    no_elements(reduction.outputs(shape), reduction.terms(shape), &rules, reader)?;
    let arithmetic = arithmetic::settle(call, &reduction, census, reader);
    Ok(Outcome::Reduce(reduction, arithmetic))
}

/// Returns true if a call with this property is refused.
fn refuses(stance: Stance, reader: &mut Reader) -> bool {
    match stance {
        Stance::Allows => false,
        Stance::Refuses => true,
        Stance::Open(question) => reader.refuses(question),
    }
}

/// Asks about an output without elements, and about the norm over zero elements, where a reduced dim is 0. A call
/// that reduces one dim of 0 and keeps another raises both: an implementation may check only the reduced dim.
fn no_elements(outputs: usize, terms: usize, rules: &Rules, reader: &mut Reader) -> Result<(), Breach> {
    for (is_empty, stance) in [(outputs == 0, rules.empty_data), (terms == 0, rules.empty_set)] {
        if is_empty && refuses(stance, reader) {
            return Err(match stance {
                Stance::Open(Question::EmptyData) => "empty-data",
                Stance::Open(Question::EmptySetOpset11) => "empty-set-unstated",
                // WebNN alone refuses.
                Stance::Refuses => "zero-sized-dims",
                Stance::Allows | Stance::Open(_) => "empty-set",
            });
        }
    }
    Ok(())
}

/// Returns true if the attribute is true; false if it is left out or ignored.
fn noop_with_empty_axes(operator: &Operator, rules: &Rules, reader: &mut Reader) -> Result<bool, Breach> {
    match *operator {
        Operator::Onnx { noop_with_empty_axes: Some(value), .. } if rules.noop => {
            is_true(value, &NOOP, reader).ok_or("noop-values")
        }
        Operator::Onnx { noop_with_empty_axes: Some(_), .. }
            if reader.refuses(Question::UnknownAttribute) =>
        {
            Err("attributes")
        }
        _ => Ok(false),
    }
}

/// True if asum is 0 at a negative spacing (`BACKWARDS`), or at spacing 0 (`IN_PLACE`).
const BACKWARDS: Ways<bool> =
    Ways::of(Question::NegativeIncrement, &[(Reading::Zero, true), (Reading::OfElements, false)]);
const IN_PLACE: Ways<bool> =
    Ways::of(Question::ZeroIncrement, &[(Reading::Zero, true), (Reading::OfElements, false)]);

/// True if a norm over all axes keeps them where `keepdims` is set.
const KEPT_WITHOUT_AXIS: Ways<bool> =
    Ways::of(Question::KeepdimsWithoutAxis, &[(Reading::Kept, true), (Reading::ZeroDimensional, false)]);

/// Returns the elements that a call reduces: all, or the vector that a BLAS call describes.
fn elements(call: &Call, reader: &mut Reader) -> Result<Elements, Breach> {
    let Operator::Blas { norm, n, incx } = call.operator else { return Ok(Elements::All) };
    if !call.reads_within_data() {
        return Err("dimension");
    }
    let count = usize::try_from(n).unwrap_or(0);
    let open = match (norm, incx.signum()) {
        (Norm::L1, -1) => Some(&BACKWARDS),
        (Norm::L1, 0) => Some(&IN_PLACE),
        (Norm::L1 | Norm::L2 | Norm::SumSquare | Norm::Sum, _) => None,
    };
    let nothing = count > 0 && open.is_some_and(|is_zero| reader.read(is_zero));
    let count = if nothing { 0 } else { count };
    let step = incx as isize;
    // At a negative spacing element i of n, from 1, stands at 1 - (n - i) * incx.
    let first = if step < 0 { count.saturating_sub(1) * step.unsigned_abs() } else { 0 };
    Ok(Elements::Spaced { count, first, step })
}

fn kept_or_dropped(call: &Call, rules: &Rules, reader: &mut Reader) -> Result<Dims, Breach> {
    let keep = match call.operator {
        Operator::Bnns { .. } => return Ok(Dims::DropToVector),
        Operator::OpenVino { keep_dims: keep, .. } | Operator::WebNn { keep_dimensions: keep, .. } => {
            keep.unwrap_or(rules.keep_dims_default)
        }
        Operator::Onnx { keepdims: None, .. } | Operator::Blas { .. } => rules.keep_dims_default,
        Operator::Onnx { keepdims: Some(value), .. } => {
            is_true(value, &KEEPDIMS, reader).ok_or("keepdims-values")?
        }
        Operator::ArrayApi { keepdims, .. } => {
            // A scalar has no axis to keep or to drop.
            let nothing_named = !matches!(call.axes, Axes::Given(_)) && call.data.rank() > 0;
            keepdims.unwrap_or(rules.keep_dims_default) && (!nothing_named || reader.read(&KEPT_WITHOUT_AXIS))
        }
    };
    Ok(if keep { Dims::Keep } else { Dims::Drop })
}

/// Reads an integer attribute as a truth value; `None` where it is refused.
fn is_true(value: i64, other: &Ways<Option<bool>>, reader: &mut Reader) -> Option<bool> {
    match value {
        0 => Some(false),
        1 => Some(true),
        _ => reader.read(other),
    }
}

/// Returns the truth value of an integer that is neither 0 nor 1; `None` where the call is refused.
const fn truth(question: Question) -> Ways<Option<bool>> {
    let each =
        &[(Reading::NonzeroIsTrue, Some(true)), (Reading::Only1IsTrue, Some(false)), (Reading::Reject, None)];
    Ways::of(question, each)
}

const KEEPDIMS: Ways<Option<bool>> = truth(Question::BooleanKeepdims);
const NOOP: Ways<Option<bool>> = truth(Question::BooleanNoop);

/// Returns the axes to reduce, row-major, ascending, each once; `None` where the output is the unchanged data.
fn target(call: &Call, rules: &Rules, noop: bool, reader: &mut Reader) -> Result<Option<Vec<usize>>, Breach> {
    let none_named = match (&call.axes, rules.axes) {
        // Taking these axes would follow another version of the operator. A reading that ignores them goes on
        // below, as if the call gave no axes.
        (Axes::OtherForm(_), AxesForm::Attribute) if reader.refuses(Question::UnknownInput) => {
            return Err("inputs");
        }
        (Axes::OtherForm(_), AxesForm::OptionalInput) if reader.refuses(Question::UnknownAttribute) => {
            return Err("attributes");
        }
        // Only ONNX has had two forms. For every other spec the patterns with `OtherForm` make this match complete, and no call
        // reaches them.
        (Axes::Null | Axes::Given(_) | Axes::OtherForm(_), AxesForm::NoAxes) => return Err("signature"),
        (Axes::Given(axes), form) => {
            check_axes_tensor(axes, form, reader)?;
            if !axes.values.is_empty() {
                return resolve(call, &axes.values, rules, reader).map(Some);
            }
            empty_axes(call, form, noop, reader)?
        }
        (Axes::Absent | Axes::Null | Axes::OtherForm(_), AxesForm::RequiredInput) => {
            return Err("axes-required");
        }
        (Axes::Null, AxesForm::Attribute) => return Err("axes-attribute"),
        (Axes::Null | Axes::OtherForm(_), AxesForm::ListOfUnsigned)
        | (Axes::OtherForm(_), AxesForm::Argument) => return Err("axes-list"),
        (Axes::OtherForm(_), AxesForm::IntegerOrTuple) => return Err("axes-types"),
        (Axes::Absent | Axes::OtherForm(_), AxesForm::OptionalInput) if noop => {
            of_each(call, &NOOP_ABSENT, reader)
        }
        (Axes::Null, AxesForm::OptionalInput) if noop => of_each(call, &NOOP_NULL, reader),
        (Axes::Absent, AxesForm::NoAxes | AxesForm::ListOfUnsigned)
        | (Axes::Absent | Axes::OtherForm(_), AxesForm::Attribute)
        | (Axes::Absent | Axes::Null, AxesForm::Argument | AxesForm::IntegerOrTuple)
        | (Axes::Absent | Axes::Null | Axes::OtherForm(_), AxesForm::OptionalInput) => Empty::All,
    };
    match none_named {
        Empty::Unchanged => Ok(None),
        Empty::Nothing => Ok(Some(Vec::new())),
        Empty::All => Ok(Some((0..call.data.rank()).collect())),
        Empty::Refused => Err("axes-empty"),
    }
}

fn check_axes_tensor(axes: &AxesTensor, form: AxesForm, reader: &mut Reader) -> Result<(), Breach> {
    let rank = axes.shape.len();
    match form {
        AxesForm::RequiredInput if !axes.dtype.is_integer() => Err("axes-types"),
        AxesForm::RequiredInput if rank > 1 && reader.refuses(Question::AxesTensor2d) => {
            Err("axes-scalar-or-1d")
        }
        AxesForm::RequiredInput => Ok(()),
        AxesForm::IntegerOrTuple if rank > 1 => Err("axes-types"),
        _ if axes.dtype != Dtype::I64 => Err("axes-types"),
        AxesForm::OptionalInput if rank != 1 => {
            let question = if rank == 0 { Question::AxesTensorScalar } else { Question::AxesTensor2d };
            if reader.refuses(question) { Err("axes-list") } else { Ok(()) }
        }
        AxesForm::Attribute | AxesForm::Argument | AxesForm::ListOfUnsigned if rank != 1 => Err("axes-list"),
        AxesForm::OptionalInput
        | AxesForm::Attribute
        | AxesForm::Argument
        | AxesForm::IntegerOrTuple
        | AxesForm::ListOfUnsigned
        | AxesForm::NoAxes => Ok(()),
    }
}

/// The meaning of a negative axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Negative {
    FromTheEnd,
    /// It names nothing, like any number that is not the index of an axis.
    Ignored,
    Refused,
}

const NEGATIVE_AT_OPSET_1: Ways<Negative> = Ways::of(
    Question::AxisRangeOpset1,
    &[
        (Reading::AsLaterOpsets, Negative::FromTheEnd),
        (Reading::Reject, Negative::Refused),
        (Reading::Ignore, Negative::Ignored),
    ],
);
const NEGATIVE_IN_BNNS: Ways<Negative> = Ways::of(
    Question::NegativeAxesBnns,
    &[
        (Reading::Reject, Negative::Refused),
        (Reading::FromTheEnd, Negative::FromTheEnd),
        (Reading::Ignore, Negative::Ignored),
    ],
);

/// Returns the named axes: row-major, ascending, each once.
fn resolve(call: &Call, values: &[i128], rules: &Rules, reader: &mut Reader) -> Result<Vec<usize>, Breach> {
    let (spec, rank, range) = (call.spec(), call.data.rank(), rules.axis_range);
    // A scalar is treated as if it had one axis, of dim 1, until it is refused or accepted below.
    let count = rank.max(1) as i128;
    let is_there = |value: &i128| (-count..count).contains(value);
    let (outside, negative) = (!values.iter().all(is_there), values.iter().any(|&value| value < 0));
    let refused = Err(range.clause());
    // For a scalar the range [-r, r-1] is empty, so every index is outside.
    let outside = outside || (rank == 0 && range != AxisRange::NotStated);
    let below_zero = match range {
        AxisRange::Stated | AxisRange::FromZero if outside => return refused,
        AxisRange::FromZero if negative => return refused,
        AxisRange::NotStated | AxisRange::Indices if outside && reader.refuses(Question::AxisOutOfRange) => {
            return refused;
        }
        AxisRange::NotStated if negative => reader.read(&NEGATIVE_AT_OPSET_1),
        AxisRange::Indices if negative => reader.read(&NEGATIVE_IN_BNNS),
        _ => Negative::FromTheEnd,
    };
    if below_zero == Negative::Refused {
        return refused;
    }
    // A number that is not an axis, and was not refused above, names nothing.
    let names_one = |value: &i128| {
        is_there(value)
            && (rank > 0 || range == AxisRange::NotStated)
            && (*value >= 0 || below_zero == Negative::FromTheEnd)
    };
    let values: Vec<i128> = values.iter().copied().filter(names_one).collect();
    if rank == 0 && !values.is_empty() && reader.refuses(Question::AxisOnRankZero) {
        return refused;
    }
    let row_major = |&value: &i128| {
        let from_the_front = if value < 0 { value + count } else { value };
        (if spec == Spec::Bnns { count - 1 - from_the_front } else { from_the_front }) as usize
    };
    let named: BTreeSet<usize> = values.iter().map(row_major).collect();
    if named.len() < values.len() {
        let spellings: BTreeSet<&i128> = values.iter().collect();
        // [1, 1, -1] repeats axis 1 in both ways, so it raises both questions.
        let (same, mixed) = (spellings.len() < values.len(), named.len() < spellings.len());
        if (same && refuses(rules.repeated_axes, reader))
            || (mixed && reader.refuses(Question::DuplicateAxesMixedSign))
        {
            // OpenVINO has a clause that elements differ too, but does not state a refusal in it.
            let has_clause =
                spec.family() == Family::OpenVino || matches!(rules.repeated_axes, Stance::Refuses);
            return Err(if has_clause { "axes-unique" } else { "axes-repeated" });
        }
    }
    Ok(if rank == 0 { Vec::new() } else { named.into_iter().collect() })
}
