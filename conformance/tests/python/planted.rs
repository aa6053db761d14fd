//! Adapters in Python with one mistake each: `smoke` says what is wrong with every one.

use std::path::Path;

use normative_conformance::drive::smoke::{self, Found};
use rstest::rstest;

use super::{limits, program};

#[rstest]
#[case::axes_ignored("axes-ignored", "the axes are ignored: all are reduced")]
#[case::axes_from_the_other_end("axes-from-the-other-end", "axes are counted from the other end")]
#[case::first_axis_alone("first-axis-alone", "only the first axis is reduced")]
#[case::refusal_repaired("refusal-repaired", "does the adapter hide a refusal?")]
#[case::default_filled_in("default-filled-in", "the reduced dims are kept where they are to be dropped")]
#[case::other_norm("other-norm", "it is L2 of the data where L1 was asked")]
#[case::dims_of_the_data_reversed("dims-of-the-data-reversed", "the dims are in reverse order in the data")]
#[case::dims_of_the_answer_reversed(
    "dims-of-the-answer-reversed",
    "the dims are in reverse order in the answer"
)]
#[case::a_scalar_as_a_list("a-scalar-as-a-list", "the reduced dims are kept where they are to be dropped")]
#[case::another_type("another-type", "of type i64 where i32 is due")]
#[case::stale_result("stale-result", "it is L1 of the data where L2 was asked")]
#[case::refusal_raised("refusal-raised", "crashed: IndexError")]
#[case::refusal_without_words("refusal-without-words", "it refuses without a word")]
fn smoke_names_the_mistake_of_an_adapter(#[case] mistake: &str, #[case] due: &str) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/planted.py");
    let Some(program) = program(&script, mistake, "struct") else { return };
    let lines = smoke::program(program, limits(), |_| {}).unwrap();
    let named = |found: &Found| matches!(found, Found::Wrong(what) if what.contains(due));
    assert!(lines.iter().any(|line| named(&line.found)), "{lines:#?}");
}
