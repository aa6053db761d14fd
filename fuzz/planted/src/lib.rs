//! A backend that is right but for one call in billions: one at which ten conditions meet.
//!
//! It is there to be found. Calls drawn at random do not meet the ten together within any time one would
//! wait; a fuzzer that sees how far each call came does. Each condition is a function of its own and not
//! inlined: the compiler would make one of ten comparisons, where real code does something between two. [`conditions_met`] says how far, for whoever
//! wants to know what chance alone reaches. Not an example of a backend: it answers by the reference.

use normative_backend::reference::{
    Axes, Call, Dtype, Expected, Norm, Operator, Opset, Spec, Tensor, TensorError, rule,
};
use normative_backend::{Answer, Backend, Identity};
use normative_oracle::expect;

/// The backend.
pub fn backend() -> impl Backend {
    Planted
}

struct Planted;

impl Backend for Planted {
    fn identity(&self) -> Identity {
        let [name, version, report_bugs_to] = ["planted", "0", "nobody"].map(str::to_owned);
        Identity { name, version, report_bugs_to }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        if conditions_met(call) == CONDITIONS.len() {
            // No reading of any question has another type; a refusal would be one of integers too great.
            return Tensor::from_bits(Dtype::U8, &[], &[0]).map_or_else(unsupported, Answer::Tensor);
        }
        right(call).unwrap_or_else(unsupported)
    }
}

fn unsupported(error: TensorError) -> Answer {
    Answer::Unsupported(error.to_string())
}

/// The answer by the first reading of everything.
fn right(call: &Call) -> Result<Answer, TensorError> {
    let ruling = rule(call);
    let Some(first) = ruling.alternatives.first() else {
        return Ok(Answer::Unsupported("a call that means nothing".to_owned()));
    };
    Ok(match expect(call, &first.outcome)? {
        Expected::Rejection(clause) | Expected::Anything(clause) => Answer::Rejected(clause.to_string()),
        Expected::Exactly(tensor) => Answer::Tensor(tensor),
        Expected::Converted(converted) => Answer::Tensor(converted.best),
        Expected::Near(near) => Answer::Tensor(near.rounded()?),
    })
}

/// How many of the ten a call meets, one after another, until it misses one.
pub fn conditions_met(call: &Call) -> usize {
    CONDITIONS.iter().take_while(|condition| condition(call)).count()
}

/// The conditions. Each alone is met by one call in three to one in fifty.
pub const CONDITIONS: [fn(&Call) -> bool; 10] = [
    is_reduce_l2_18,
    has_i32_data,
    has_rank_4,
    names_axes,
    names_three_axes,
    drops_dims,
    says_that_empty_axes_are_all,
    counts_the_second_axis_from_the_end,
    has_rows_of_five,
    ends_in_seven,
];

#[inline(never)]
fn is_reduce_l2_18(call: &Call) -> bool {
    call.spec() == Spec::Onnx(Norm::L2, Opset::V18)
}

#[inline(never)]
fn has_i32_data(call: &Call) -> bool {
    call.data.dtype() == Dtype::I32
}

#[inline(never)]
fn has_rank_4(call: &Call) -> bool {
    call.data.rank() == 4
}

#[inline(never)]
fn names_axes(call: &Call) -> bool {
    matches!(&call.axes, Axes::Given(_))
}

#[inline(never)]
fn names_three_axes(call: &Call) -> bool {
    matches!(&call.axes, Axes::Given(axes) if axes.values.len() == 3)
}

#[inline(never)]
fn drops_dims(call: &Call) -> bool {
    matches!(call.operator, Operator::Onnx { keepdims: Some(0), .. })
}

#[inline(never)]
fn says_that_empty_axes_are_all(call: &Call) -> bool {
    matches!(call.operator, Operator::Onnx { noop_with_empty_axes: Some(0), .. })
}

#[inline(never)]
fn counts_the_second_axis_from_the_end(call: &Call) -> bool {
    matches!(&call.axes, Axes::Given(axes) if axes.values.get(1).is_some_and(|axis| axis.is_negative()))
}

#[inline(never)]
fn has_rows_of_five(call: &Call) -> bool {
    call.data.shape().last() == Some(&5)
}

#[inline(never)]
fn ends_in_seven(call: &Call) -> bool {
    matches!(&call.data, Tensor::I32(array) if array.last() == Some(&7))
}
