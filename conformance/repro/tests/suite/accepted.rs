//! Tests that a script accepts what the judge accepts, with answers at and beside both ends of every range.

use normative_conformance::generate::Profile;
use normative_conformance::judge::verdict::{Sheet, Verdict, judge};
use normative_conformance::run::property::{Id, Made};
use normative_conformance::{Capabilities, Demands, Observed};
use normative_reference::{Axes, Call, Choice, Dtype, Norm, Question, Reading, Tensor};
use normative_repro::Due;
use normative_repro::due::{DueCondition, DueTensor};

use crate::{f32s, onnx, openvino};

/// Returns answers that are right, and others that are slightly off.
fn probes(due: &Due) -> Vec<Tensor> {
    let mut tensors = Vec::new();
    for answer in &due.answers {
        let DueCondition::Tensor(DueTensor { dtype, shape, elements, .. }) = &answer.is else { continue };
        let best: Vec<u64> = elements.iter().map(|element| element.best).collect();
        let mask = u64::MAX >> (64 - 8 * dtype.size());
        tensors.extend(Tensor::from_bits(*dtype, shape, &best));
        for at in [0, elements.len() / 2, elements.len().saturating_sub(1)] {
            let Some(element) = elements.get(at) else { continue };
            let ends = element.ranges.iter().flat_map(|&(low, high)| [low, high, low.midpoint(high)]);
            let beside = |bits: u64| [bits, bits.wrapping_sub(1), bits.wrapping_add(1)];
            // Zero, minus zero and all bits set are wrong in other ways.
            for bits in ends.flat_map(beside).chain([0, mask ^ mask >> 1, mask]) {
                let mut changed = best.clone();
                changed[at] = bits & mask;
                tensors.extend(Tensor::from_bits(*dtype, shape, &changed));
            }
        }
        let mut longer = shape.clone();
        longer.push(1);
        tensors.extend(Tensor::from_bits(*dtype, &longer, &best));
        let other = if *dtype == Dtype::I32 { Dtype::U32 } else { Dtype::I32 };
        tensors.extend(Tensor::from_bits(other, shape, &vec![0; best.len()]));
    }
    tensors
}

fn assert_same(call: &Call, demands: &Demands) {
    let sheet = Sheet::of(call).unwrap();
    let Ok(due) = Due::of(&sheet, call.spec(), demands) else { return };
    let conforms = |answer: &Observed| matches!(judge(&sheet, answer, demands), Verdict::Conforms { .. });
    for tensor in probes(&due) {
        assert_eq!(due.accepts(&tensor), conforms(&Observed::Tensor(tensor.clone())), "{call:?}\n{tensor:?}");
    }
    assert_eq!(due.accepts_refusal(), conforms(&Observed::Rejected("no".into())), "{call:?}");
}

#[test]
fn generated_calls_accept_what_the_judge_accepts() {
    let mut seen = [0; 3];
    for index in 0..3000 {
        let id = Id::first(5, index);
        let call = Made::of(id).unwrap().call;
        if call.data.len() > 500 {
            continue;
        }
        seen[Profile::ALL.iter().position(|profile| *profile == id.profile()).unwrap()] += 1;
        assert_same(&call, &Demands::default());
    }
    assert!(seen.iter().all(|&count| count > 300), "{seen:?}");
}

#[test]
fn demanded_readings_and_declared_sums_are_heeded() {
    let row = Tensor::from_bits(Dtype::F16, &[5000], &vec![0x3555; 5000]).unwrap();
    let accumulation = vec![(Dtype::F16, Dtype::F32)];
    let capabilities = Capabilities { accumulation, ..Capabilities::default() };
    assert_same(&onnx(Norm::L1, row, Axes::list(&[0])), &Demands { capabilities, ..Demands::default() });
    for &reading in Question::FloatRange.readings() {
        for data in [[3e30, 4e30], [3e-30, 4e-30], [3e-23, 4e-23]] {
            let readings = vec![Choice { question: Question::FloatRange, reading }];
            let call = openvino(Norm::L2, f32s(&[2], &data), Axes::list(&[0]));
            assert_same(&call, &Demands { readings, ..Demands::default() });
        }
    }
}

#[test]
fn of_a_root_in_f32_only_numbers_of_f32_are_accepted() {
    let data = Tensor::from_bits(Dtype::F64, &[3], &[1_f64.to_bits(); 3]).unwrap();
    let call = onnx(Norm::L2, data, Axes::list(&[0]));
    let due = Due::of(&Sheet::of(&call).unwrap(), call.spec(), &Demands::default()).unwrap();
    let of = |value: f64| Tensor::from_bits(Dtype::F64, &[], &[value.to_bits()]).unwrap();
    let root = 3_f64.sqrt();
    assert!(due.accepts(&of(root)) && due.accepts(&of(f64::from(root as f32))));
    assert!(!due.accepts(&of(root + 1e-9)));
    assert_same(&call, &Demands::default());
}

#[test]
fn readings_that_contradict_every_answer_leave_nothing() {
    let call = onnx(Norm::L1, f32s(&[2], &[1.0, -2.0]), Axes::list(&[0]));
    let sheet = Sheet::of(&call).unwrap();
    assert!(Due::of(&sheet, call.spec(), &Demands::default()).is_ok());
    let mut open = call;
    open.axes = Axes::list(&[0, 0]);
    let sheet = Sheet::of(&open).unwrap();
    let of = |reading| {
        let readings = vec![Choice { question: Question::DuplicateAxes, reading }];
        Due::of(&sheet, open.spec(), &Demands { readings, ..Demands::default() }).unwrap()
    };
    assert!(of(Reading::Reject).accepts_refusal());
    assert!(!of(Reading::Collapse).accepts_refusal());
}
