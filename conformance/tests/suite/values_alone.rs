//! Tests a backend that claims only a family's values: just types, forms and refusals are its own choice.

use std::collections::BTreeSet;

use normative_conformance::judge::fault::Fault;
use normative_conformance::reference::{Axes, Call, Dtype, Family, Norm, Opset, Spec, Tensor};
use normative_conformance::run::property::{Generated, run};
use normative_conformance::{Answer, Backend, Capabilities, Claim, Demands, Stub};
use rstest::rstest;

use crate::reference_backend::{Policy, Reference};

const CALLS: usize = 1500;

fn judged(change: fn(&Call, Answer) -> Answer, claims: Vec<Claim>) -> Generated {
    let demands =
        Demands { capabilities: Capabilities { claims, ..Capabilities::default() }, ..Demands::default() };
    let specs = [Spec::Onnx(Norm::L1, Opset::V18), Spec::Onnx(Norm::L2, Opset::V18)];
    let mut changed = Stub::new("changed", |call| change(call, Reference(Policy::new()).answer(call)));
    run(1, CALLS, &specs, &mut changed, &demands).unwrap()
}

fn faults(generated: &Generated) -> BTreeSet<Fault> {
    generated.finds.iter().filter_map(|find| find.verdict.fault()).collect()
}

/// Refuses if `refused`, else returns the answer.
fn refusing(refused: bool, answer: Answer) -> Answer {
    if refused { Answer::Rejected("no kernel".into()) } else { answer }
}

/// Returns a tensor of the same dims, all ones, in another type.
fn ones(dtype: Dtype, like: &Tensor) -> Tensor {
    let one = match dtype {
        Dtype::F32 => 0x3f80_0000,
        Dtype::F64 => 0x3ff0_0000_0000_0000,
        _ => 1,
    };
    Tensor::from_bits(dtype, like.shape(), &vec![one; like.len()]).unwrap()
}

fn answers_all(call: &Call, answer: Answer) -> Answer {
    match answer {
        Answer::Rejected(_) => Answer::Tensor(call.data.clone()),
        answer => answer,
    }
}

fn lacks_a_type(call: &Call, answer: Answer) -> Answer {
    refusing(call.data.dtype() == Dtype::F16, answer)
}

fn lacks_a_form(call: &Call, answer: Answer) -> Answer {
    refusing(matches!(call.axes, Axes::Null) || call.data.rank() > 3, answer)
}

fn integers_are_floats(call: &Call, answer: Answer) -> Answer {
    match answer {
        Answer::Tensor(norm) if call.data.dtype().is_integer() => Answer::Tensor(ones(Dtype::F64, &norm)),
        answer => answer,
    }
}

#[rstest]
#[case::a_refusal(answers_all, Fault::AcceptedInvalid, "no refusal is claimed")]
#[case::a_type(lacks_a_type, Fault::RefusedValid, "refuses the plainest call of this form too: no kernel")]
#[case::a_form(lacks_a_form, Fault::RefusedValid, "refuses the plainest call of this form too: no kernel")]
#[case::a_type_of_integers(
    integers_are_floats,
    Fault::OutputType,
    "the norm of i32 is a f64, in the plainest call too"
)]
fn what_is_not_promised_is_counted_as_unsupported(
    #[case] change: fn(&Call, Answer) -> Answer,
    #[case] fault: Fault,
    #[case] why: &str,
) {
    let in_full = judged(change, Claim::in_full(&[Family::Onnx]));
    assert_eq!(faults(&in_full), BTreeSet::from([fault]));
    assert_eq!(in_full.total().unsupported, 0);
    let alone = judged(change, Claim::values_of(&[Family::Onnx]));
    assert!(alone.finds.is_empty(), "{:?}", alone.finds.first());
    assert!(alone.unsupported.keys().any(|said| said.contains(why)), "{:?}", alone.unsupported);
    assert_eq!(alone.total().unsupported, in_full.finds.len());
    assert_eq!(alone.total().run, CALLS);
}

/// If the text is promised in full, a refusal here and an answer there show two readings.
#[test]
fn a_refusal_of_an_open_call_tells_no_reading() {
    let refuses_some = |call: &Call, answer: Answer| {
        let twice = |axes: &[i128]| axes.iter().enumerate().any(|(at, axis)| axes[..at].contains(axis));
        refusing(
            matches!(&call.axes, Axes::Given(axes) if twice(&axes.values)) && call.data.dtype() == Dtype::F32,
            answer,
        )
    };
    let inconsistent = |claims| {
        let profile = judged(refuses_some, claims).readings.profile();
        profile.iter().any(|(place, row)| row.inconsistent(place).is_some())
    };
    assert!(inconsistent(Claim::in_full(&[Family::Onnx])));
    assert!(!inconsistent(Claim::values_of(&[Family::Onnx])));
}

/// A claim of another family does not matter.
#[test]
fn what_is_claimed_of_one_family_is_not_of_another() {
    let values_of_another = [Claim::values_of(&[Family::OpenVino]), Claim::in_full(&[Family::Onnx])].concat();
    assert_eq!(faults(&judged(answers_all, values_of_another)), BTreeSet::from([Fault::AcceptedInvalid]));
    assert_eq!(
        faults(&judged(answers_all, Claim::values_of(&[Family::OpenVino]))),
        BTreeSet::from([Fault::AcceptedInvalid]),
        "a family that is not claimed is asked in full"
    );
}

#[rstest]
#[case::a_value(
    |_: &Call, answer| match answer {
        Answer::Tensor(norm) => Answer::Tensor(ones(norm.dtype(), &norm)),
        answer => answer,
    },
    Fault::WrongValue
)]
#[case::dims(
    |_: &Call, answer| match answer {
        Answer::Tensor(_) => Answer::Tensor(Tensor::from_bits(Dtype::F32, &[7], &[0; 7]).unwrap()),
        answer => answer,
    },
    Fault::OutputShape
)]
#[case::the_type_of_floats(
    |call: &Call, answer| match answer {
        Answer::Tensor(norm) if call.data.dtype() == Dtype::F16 => Answer::Tensor(ones(Dtype::F32, &norm)),
        answer => answer,
    },
    Fault::OutputType
)]
#[case::the_type_of_some_integers(
    |call: &Call, answer| match answer {
        Answer::Tensor(norm) if call.data.dtype() == Dtype::I32 && call.data.len() > 4 => {
            Answer::Tensor(ones(Dtype::I64, &norm))
        }
        answer => answer,
    },
    Fault::OutputType
)]
#[case::a_refusal_of_a_type_and_form_that_it_has(
    |call: &Call, answer| refusing(call.data.len() > 4, answer),
    Fault::RefusedValid
)]
#[case::a_death_over_a_valid_call(
    |call: &Call, answer| if call.data.len() > 4 { Answer::Crashed("SIGSEGV".into()) } else { answer },
    Fault::Crashed
)]
#[case::a_death_over_an_invalid_call(
    |_: &Call, answer| match answer {
        Answer::Rejected(_) => Answer::Crashed("SIGSEGV".into()),
        answer => answer,
    },
    Fault::Crashed
)]
fn everything_else_still_fails(#[case] change: fn(&Call, Answer) -> Answer, #[case] fault: Fault) {
    let alone = judged(change, Claim::values_of(&[Family::Onnx]));
    assert!(faults(&alone).contains(&fault), "{:?}", faults(&alone));
}
