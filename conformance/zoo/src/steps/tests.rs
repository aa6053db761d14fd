//! What is computed as the plain implementation does it is not computed again, and that is seen of every row.

#![allow(clippy::unwrap_used, reason = "a test may")]

use super::*;

fn mutant(name: &str) -> Steps {
    crate::mutants().into_iter().find(|mutant| mutant.name == name).unwrap().backend().steps
}

#[test]
fn who_exchanges_no_arithmetic_computes_as_the_plain_one() {
    for steps in [mutant("negative-refused-from-11"), mutant("first-named-only"), mutant("all-always")] {
        for dtype in [Dtype::F32, Dtype::Bf16, Dtype::I64] {
            assert!(steps.computes_as_plain(dtype), "{dtype}");
        }
    }
}
