//! Tests calls that raise several questions about form: a reading accepts only after asking each.
//!
//! `raises` tells which calls raise a question, from its text, without the order of [`rule`]. It tries every
//! small call: ranks 0 to 3, dims 0 to 2, each spelling of axes, each attribute.

use std::collections::BTreeSet;

use normative_reference::spec::AxesForm;
use normative_reference::{
    Axes, Call, Choice, Dtype, Norm, Operator, Outcome, Question, Reading, Reduction, Spec, Stance, Tensor,
    rule,
};

use crate::common::filled;
use crate::common::readings::{axes_of, other_form};

/// A call under one reading.
struct Taken<'a> {
    call: &'a Call,
    choices: &'a [Choice],
    /// `None` where the data come back unchanged.
    reduction: Option<&'a Reduction>,
}

impl Taken<'_> {
    fn reads(&self, question: Question, reading: Reading) -> bool {
        self.choices.contains(&Choice { question, reading })
    }

    /// Returns the listed numbers, if this operator reads them.
    fn listed(&self) -> Option<&[i128]> {
        match &self.call.axes {
            Axes::Given(axes) => Some(&axes.values),
            Axes::Absent | Axes::Null | Axes::OtherForm(_) => None,
        }
    }

    fn lists(&self, is_such: impl Fn(&i128) -> bool) -> bool {
        self.listed().is_some_and(|values| values.iter().any(is_such))
    }

    fn rank(&self) -> i128 {
        self.call.data.rank() as i128
    }

    /// Returns true if a number names an axis of the data. A scalar has one axis here if the text states no range.
    fn names(&self, value: i128) -> bool {
        let passed_over = [Question::AxisRangeOpset1, Question::NegativeAxesBnns];
        let from_the_end = !passed_over.iter().any(|&question| self.reads(question, Reading::Ignore));
        let count = if self.call.spec() == Spec::Bnns { self.rank() } else { self.rank().max(1) };
        (if from_the_end { -count } else { 0 }..count).contains(&value)
    }

    /// Returns true if two numbers that pass `counts` are equal (`same`), or differ and name one axis (not `same`).
    fn repeats(&self, same: bool, counts: impl Fn(i128) -> bool) -> bool {
        let values: Vec<i128> =
            self.listed().unwrap_or_default().iter().copied().filter(|&value| counts(value)).collect();
        let is_one =
            |a: i128, b: i128| if same { a == b } else { a != b && (a - b).abs() == self.rank().max(1) };
        (0..values.len()).any(|at| values[..at].iter().any(|&earlier| is_one(earlier, values[at])))
    }

    fn attributes(&self) -> (Option<i64>, Option<i64>) {
        match self.call.operator {
            Operator::Onnx { keepdims, noop_with_empty_axes, .. } => (keepdims, noop_with_empty_axes),
            _ => (None, None),
        }
    }

    fn noop(&self) -> bool {
        let (_, noop) = self.attributes();
        let is_true =
            noop == Some(1) || noop == Some(2) && self.reads(Question::BooleanNoop, Reading::NonzeroIsTrue);
        is_true && self.call.spec().rules().noop
    }

    /// Returns two flags: the norm is over zero elements; the output has no elements.
    fn nothing(&self) -> (bool, bool) {
        let shape = self.call.data.shape();
        let none_reduced = (1, self.call.data.len());
        let (terms, outputs) = self
            .reduction
            .map_or(none_reduced, |reduction| (reduction.terms(shape), reduction.outputs(shape)));
        (terms == 0, outputs == 0)
    }
}

/// Returns true if a call raises a question about its form.
fn raises(taken: &Taken<'_>, question: Question) -> bool {
    use Question as Q;
    let spec = taken.call.spec();
    let (rules, rank) = (spec.rules(), taken.rank());
    let empty_list = taken.listed().is_some_and(<[i128]>::is_empty);
    let other_form = matches!(taken.call.axes, Axes::OtherForm(_));
    let (onnx, opset) = match spec {
        Spec::Onnx(_, opset) => (true, opset.number()),
        _ => (false, 0),
    };
    let (keepdims, noop) = taken.attributes();
    let by_input = rules.axes == AxesForm::OptionalInput;
    let unstated = opset == 1 || spec == Spec::Bnns;
    let (room_for_one, room_for_each) = match &taken.call.operator {
        Operator::Bnns { output_shape } => {
            let each = taken.call.data.shape().iter().rev().eq(output_shape) || rank == 0;
            (*output_shape == [1], each)
        }
        _ => (false, false),
    };
    let axes_rank = match &taken.call.axes {
        Axes::Given(axes) => axes.shape.len(),
        _ => 1,
    };
    let (no_terms, no_outputs) = taken.nothing();
    let silent_on_zero = matches!(spec, Spec::OpenVino(_) | Spec::Bnns | Spec::ArrayApi(_));
    match question {
        // The sum of one element is that element, whatever is read.
        Q::EmptyAxesIdentity | Q::NoopAbsentAxes | Q::NoopNullAxes | Q::NoopEmptyAxes
            if spec.norm() == Norm::Sum =>
        {
            false
        }
        Q::EmptyAxesIdentity => rules.axes == AxesForm::RequiredInput && empty_list,
        Q::EmptyAxesAttribute => rules.axes == AxesForm::Attribute && empty_list,
        Q::EmptyAxesBnns => empty_list && room_for_one,
        // After reading the list as all axes, the other question is not asked.
        Q::EmptyAxesBnnsCopy => {
            empty_list && room_for_each && !taken.reads(Q::EmptyAxesBnns, Reading::ReduceAll)
        }
        Q::NoopAbsentAxes => taken.noop() && (other_form || taken.call.axes == Axes::Absent),
        Q::NoopNullAxes => taken.noop() && taken.call.axes == Axes::Null,
        Q::NoopEmptyAxes => taken.noop() && empty_list,
        // A number that is ignored names no axis, so it does not repeat one.
        Q::DuplicateAxes => {
            rules.repeated_axes != Stance::Refuses && taken.repeats(true, |value| taken.names(value))
        }
        Q::DuplicateAxesMixedSign => taken.repeats(false, |value| taken.names(value)),
        Q::AxisOnRankZero => opset == 1 && rank == 0 && taken.lists(|&value| taken.names(value)),
        Q::AxisRangeOpset1 => opset == 1 && taken.lists(|&value| value < 0),
        Q::NegativeAxesBnns => spec == Spec::Bnns && taken.lists(|&value| value < 0),
        Q::AxisOutOfRange => {
            let count = if spec == Spec::Bnns { rank } else { rank.max(1) };
            unstated && taken.lists(|value| !(-count..count).contains(value))
        }
        Q::AxesTensorScalar => by_input && axes_rank == 0,
        Q::AxesTensor2d => (by_input || rules.axes == AxesForm::RequiredInput) && axes_rank == 2,
        Q::RankZeroOpset11 => opset == 11 && rank == 0,
        Q::EmptySetOpset11 => opset == 11 && no_terms,
        Q::EmptyData => (opset == 11 || silent_on_zero) && no_outputs,
        Q::EmptySet => silent_on_zero && no_terms,
        Q::SampleTypesBnns => spec == Spec::Bnns && taken.call.data.dtype() != Dtype::F32,
        Q::RanksBnns => spec == Spec::Bnns && rank == 0,
        Q::UnknownAttribute => onnx && (!by_input && noop.is_some() || by_input && other_form),
        Q::UnknownInput => onnx && !by_input && other_form,
        Q::BooleanKeepdims => keepdims.is_some_and(|keep| keep != 0 && keep != 1),
        Q::BooleanNoop => by_input && noop.is_some_and(|noop| noop != 0 && noop != 1),
        Q::KeepdimsWithoutAxis => {
            let kept = matches!(taken.call.operator, Operator::ArrayApi { keepdims: Some(true), .. });
            kept && taken.listed().is_none() && rank > 0
        }
        Q::NegativeIncrement => {
            matches!(taken.call.operator, Operator::Blas { norm: Norm::L1, n: 1.., incx: ..0 })
        }
        Q::ZeroIncrement => matches!(taken.call.operator, Operator::Blas { norm: Norm::L1, n: 1.., incx: 0 }),
        _ => false,
    }
}

/// Returns every shape of ranks 0 to 3 with dims of 0 to 2.
fn shapes() -> Vec<Vec<usize>> {
    let longer = |shapes: &Vec<Vec<usize>>| -> Vec<Vec<usize>> {
        shapes.iter().flat_map(|shape| (0..3).map(move |dim| [&shape[..], &[dim]].concat())).collect()
    };
    let ranks = std::iter::successors(Some(vec![Vec::new()]), |shapes| Some(longer(shapes)));
    ranks.take(4).flatten().collect()
}

/// Returns every way to write axes for data of this rank.
fn spellings(rank: i64) -> Vec<Axes> {
    let last = rank.max(1) - 1;
    let lists: [&[i64]; 13] = [
        &[],
        &[0],
        &[-1],
        &[last],
        &[0, 0],
        &[-1, -1],
        &[-1, 0],
        &[0, -1, 0],
        &[rank],
        &[rank, rank],
        &[0, rank],
        &[-rank - 1, -rank - 1],
        &[-1, rank],
    ];
    let tensor = |shape: &[usize], values: &[i128]| axes_of(Dtype::I64, shape, values);
    let all: Vec<i64> = (0..rank).collect();
    let mut axes: Vec<Axes> = lists.into_iter().chain([&all[..]]).map(Axes::list).collect();
    axes.extend([Axes::Absent, Axes::Null, Axes::scalar(0), Axes::scalar(-1)]);
    axes.extend([tensor(&[1, 1], &[0]), tensor(&[1, 2], &[0, 0]), tensor(&[0, 1], &[])]);
    axes.extend([other_form(&[0]), other_form(&[]), other_form(&[0, 0])]);
    axes
}

/// Returns every operator with every attribute, for data of this shape.
fn operators(spec: Spec, shape: &[usize]) -> Vec<Operator> {
    let booleans = [None, Some(false), Some(true)];
    let integers = [None, Some(0), Some(1), Some(2)];
    match spec {
        Spec::OpenVino(norm) => booleans.map(|keep_dims| Operator::OpenVino { norm, keep_dims }).into(),
        Spec::Onnx(norm, opset) => {
            let each = |keepdims| {
                integers.map(|noop_with_empty_axes| Operator::Onnx {
                    norm,
                    opset,
                    keepdims,
                    noop_with_empty_axes,
                })
            };
            integers.into_iter().flat_map(each).collect()
        }
        Spec::Bnns => {
            let kept = |mask: usize| -> Vec<usize> {
                shape
                    .iter()
                    .rev()
                    .enumerate()
                    .filter(|(at, _)| mask >> at & 1 == 1)
                    .map(|(_, &dim)| dim)
                    .collect()
            };
            let rooms: BTreeSet<Vec<usize>> =
                (0..1 << shape.len()).map(kept).chain([vec![1], vec![2]]).collect();
            rooms.into_iter().map(|output_shape| Operator::Bnns { output_shape }).collect()
        }
        Spec::ArrayApi(norm) => {
            booleans.map(|keepdims| Operator::ArrayApi { ord: Some(norm), keepdims }).into()
        }
        Spec::WebNn(norm) => booleans.map(|keep_dimensions| Operator::WebNn { norm, keep_dimensions }).into(),
        Spec::Blas(norm) => {
            let each = |n| [-2, -1, 0, 1, 2].map(|incx| Operator::Blas { norm, n, incx });
            [-1, 0, 1, 2].into_iter().flat_map(each).collect()
        }
    }
}

fn calls() -> impl Iterator<Item = Call> {
    let of = |spec: Spec| {
        shapes().into_iter().flat_map(move |shape| {
            let axes = spellings(shape.len() as i64);
            let dtypes: &[Dtype] = if spec == Spec::Bnns { &[Dtype::F32, Dtype::F64] } else { &[Dtype::F32] };
            let data: Vec<_> = dtypes.iter().map(|&dtype| filled(dtype, &shape, 0)).collect();
            operators(spec, &shape).into_iter().flat_map(move |operator| {
                let one =
                    move |data: &Tensor, axes: &Axes| Call::new(operator.clone(), data.clone(), axes.clone());
                let pairs = data.iter().flat_map(|data| axes.iter().map(|axes| one(data, axes)));
                pairs.collect::<Vec<_>>()
            })
        })
    };
    let foreign = |call: &Call| {
        matches!(call.axes, Axes::OtherForm(_)) && !matches!(call.operator, Operator::Onnx { .. })
    };
    Spec::ALL.into_iter().flat_map(of).filter(move |call| !foreign(call))
}

#[test]
fn a_call_is_accepted_only_after_every_question_that_it_raises_was_put() {
    let (mut wrong, mut asked) = (BTreeSet::new(), BTreeSet::new());
    for call in calls() {
        for alternative in rule(&call).alternatives {
            let reduction = match &alternative.outcome {
                Outcome::Reduce(reduction, _) => Some(reduction),
                Outcome::Unchanged => None,
                Outcome::Rejected(_) | Outcome::OutOfScope(_) => continue,
            };
            let taken = Taken { call: &call, choices: &alternative.choices, reduction };
            let put: BTreeSet<Question> = alternative
                .choices
                .iter()
                .map(|choice| choice.question)
                .filter(|question| !question.concerns_values())
                .collect();
            let due: BTreeSet<Question> =
                Question::ALL.into_iter().filter(|&question| raises(&taken, question)).collect();
            if put != due {
                wrong.insert(format!(
                    "{:?} {:?} of {:?}: put {put:?}, due {due:?}",
                    call.operator,
                    call.axes,
                    call.data.shape()
                ));
            }
            asked.extend(put);
        }
    }
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert_eq!(wrong, [""; 0]);
    let form = Question::ALL.into_iter().filter(|question| !question.concerns_values());
    assert_eq!(asked, form.collect());
}
