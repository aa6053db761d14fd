//! Tests that steps equal to the plain ones are recognised, so that their results are reused.

#![allow(clippy::unwrap_used, reason = "a test may")]

use normative_conformance::reference::{Dtype, Norm, Opset, Spec};

use normative_rules::plan::Plan;
use normative_rules::steps::Steps;

fn mutant(name: &str) -> Steps {
    crate::mutants().into_iter().find(|mutant| mutant.name == name).unwrap().backend().steps
}

fn honest(name: &str) -> Steps {
    crate::honest().into_iter().find(|honest| honest.name == name).unwrap().backend().steps
}

/// Lists the norms and types that the steps compute differently from the plain ones.
fn own(steps: &Steps) -> String {
    let mut own = Vec::new();
    for dtype in [Dtype::Bf16, Dtype::F32, Dtype::F64, Dtype::I64] {
        for norm in [Norm::L1, Norm::L2] {
            let spec = Spec::Onnx(norm, Opset::V18);
            let plan = Plan { spec, norm, dtype, data: vec![2, 3], vector: None, axes: vec![1], keep: true };
            if !steps.computes_as_plain(&plan) {
                own.push(format!("{dtype}/{norm:?}"));
            }
        }
    }
    own.join(" ")
}

#[test]
fn only_what_is_computed_otherwise_is_computed_again() {
    for name in ["negative-refused-from-11", "first-named-only", "all-always", "nothing-is-minus-zero"] {
        assert_eq!(own(&mutant(name)), "", "{name}");
    }
    assert_eq!(own(&mutant("roots-up")), "i64/L2");
    assert_eq!(own(&mutant("f64-sums-in-f32")), "f64/L1 f64/L2");
    assert_eq!(own(&mutant("u64-read-as-i64")), "i64/L1 i64/L2");
    assert_eq!(own(&honest("reversed")), "bf16/L1 bf16/L2 f32/L1 f32/L2 f64/L1 f64/L2");
    assert_eq!(own(&honest("f32")), "bf16/L1 bf16/L2 f32/L1 f32/L2 f64/L2");
    assert_eq!(own(&honest("f64-precision=single")), "bf16/L1 bf16/L2 f32/L1 f32/L2 f64/L2");
    assert_eq!(own(&honest("result-rounding=toward-zero")), "bf16/L1 bf16/L2");
    assert_eq!(own(&honest("integer-l2-rounding=nearest")), "i64/L2");
}
