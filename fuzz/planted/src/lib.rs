//! A backend that is right but for one call in billions: one at which ten conditions meet.
//!
//! It is there to be found. Calls drawn at random do not meet the ten together within any time one would
//! wait; a fuzzer that sees how far each call came does. [`conditions_met`] says how far, for whoever
//! wants to know what chance alone reaches. Not an example of a backend: it answers by the reference.

use normative_conformance::reference::{
    Axes, Call, Dtype, Expected, Norm, Operator, Opset, Tensor, TensorError, expect, rule,
};
use normative_conformance::{Answer, Backend, Identity};

/// How many conditions there are.
pub const CONDITIONS: usize = 10;

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
        if conditions_met(call) == CONDITIONS {
            return Answer::Rejected("ten conditions meet".to_owned());
        }
        right(call).unwrap_or_else(|error| Answer::Unsupported(error.to_string()))
    }
}

/// The answer by the first reading of everything.
fn right(call: &Call) -> Result<Answer, TensorError> {
    let ruling = rule(call);
    let Some(first) = ruling.alternatives.first() else {
        return Ok(Answer::Unsupported("a call that means nothing".to_owned()));
    };
    Ok(match expect(call, &first.outcome)? {
        Expected::Rejection(clause) => Answer::Rejected(clause.to_string()),
        Expected::Exactly(tensor) => Answer::Tensor(tensor),
        Expected::Near(near) => Answer::Tensor(near.rounded()?),
    })
}

/// How many of the ten a call meets, one after another, until it misses one.
pub fn conditions_met(call: &Call) -> usize {
    let Operator::Onnx { norm: Norm::L2, opset: Opset::V18, keepdims, noop_with_empty_axes } = call.operator else {
        return 0;
    };
    if call.data.dtype() != Dtype::I32 {
        return 1;
    }
    if call.data.rank() != 4 {
        return 2;
    }
    let Axes::Given(axes) = &call.axes else { return 3 };
    if axes.values.len() != 3 {
        return 4;
    }
    if keepdims != Some(0) {
        return 5;
    }
    if noop_with_empty_axes != Some(0) {
        return 6;
    }
    if !axes.values[1].is_negative() {
        return 7;
    }
    if call.data.shape()[3] != 5 {
        return 8;
    }
    // The last element is looked at only then, as a loop over what is left of a vector would.
    let Tensor::I32(array) = &call.data else { return 9 };
    if array.iter().last() == Some(&-46_341) { CONDITIONS } else { 9 }
}
