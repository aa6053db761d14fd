//! Shrinks a failing call to a small one that fails in the same way.
//!
//! Calls are made smaller, not bytes: the result is a call that a user could write, of the same spec version.
//! [`CallSize`] is the order, `step` the table of edits, [`FailureClass`] the part of a failure that must stay. It is
//! greedy: the first smaller call that still fails is taken. It ends because the order has no infinite descent,
//! or when the attempts are used up, because each may cost a process or a deadline. Nothing here knows
//! backends; the caller decides if a call still fails.

mod class;
mod size;
mod step;
mod value;
mod vary;
mod way;

pub use class::{ClassDetail, FailureClass, Sort};
pub use size::CallSize;
pub(crate) use size::named_axis;
pub(crate) use vary::lengthened;
pub use vary::varied;
pub use way::{Failing, FailureErrors, error};

use normative_reference::{Axes, Call, Operator, Opset};

use step::STEPS;

/// Shrinks a failing call as long as `fails` returns true for smaller ones, with at most `attempts` attempts. Returns the
/// smallest call found, which fails if the original one did.
pub fn shrink(call: &Call, attempts: usize, mut fails: impl FnMut(&Call) -> bool) -> Call {
    let (mut call, mut size, mut tried) = (call.clone(), CallSize::of(call), 0);
    loop {
        let mut progress = false;
        for step in STEPS {
            let (mut edits, mut at) = (step(&call), 0);
            while let Some(edit) = edits.get(at) {
                let edited = edit.apply(&call).map(|call| (CallSize::of(&call), call));
                let Some((less, candidate)) = edited.filter(|(less, _)| *less < size) else {
                    at += 1;
                    continue;
                };
                if tried == attempts {
                    return call;
                }
                tried += 1;
                if fails(&candidate) {
                    (call, size, progress) = (candidate, less, true);
                    // Earlier edits did not fail just now; the next round tries them again.
                    edits = step(&call);
                } else {
                    at += 1;
                }
            }
        }
        if !progress {
            return call;
        }
    }
}

/// Returns the call in the newer versions of its spec, the newest first: the versions that a report to the
/// backend's authors should be about. Axes become an input where that version takes one; axes in the form of another
/// opset do not, because that would turn the mistake around.
pub fn newer(call: &Call) -> Vec<Call> {
    let Operator::Onnx { norm, opset: own, keepdims, noop_with_empty_axes } = call.operator else {
        return Vec::new();
    };
    let versions = [Opset::V18, Opset::V13, Opset::V11].into_iter().filter(|&opset| opset > own);
    let at = |opset| Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes };
    let is_foreign = matches!(call.axes, Axes::OtherForm(_));
    let turns = |operator: &Operator| operator.spec().rules().axes != call.spec().rules().axes;
    let there =
        versions.map(at).filter(|operator| operator.spec().exists() && !(is_foreign && turns(operator)));
    there.map(|operator| Call { operator, ..call.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use normative_reference::{AxesTensor, Dtype, Norm, Spec, Tensor};
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::axes(Axes::Given(axes()), &[Opset::V18, Opset::V13, Opset::V11])]
    #[case::axes_in_the_form_of_another_opset(Axes::OtherForm(axes()), &[Opset::V13, Opset::V11])]
    fn a_newer_version_says_the_same(#[case] axes: Axes, #[case] due: &[Opset]) {
        let operator = Spec::Onnx(Norm::L1, Opset::V1).operator();
        let call = Call::new(operator, Tensor::from_bits(Dtype::F32, &[1], &[0]).unwrap(), axes);
        let specs: Vec<Spec> = newer(&call).iter().map(Call::spec).collect();
        assert_eq!(specs, due.iter().map(|&opset| Spec::Onnx(Norm::L1, opset)).collect::<Vec<_>>());
    }

    fn axes() -> AxesTensor {
        AxesTensor { dtype: Dtype::I64, shape: vec![1], values: vec![0] }
    }
}
