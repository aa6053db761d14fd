//! Tests `smoke` with adapters of one mistake each, in Python and JavaScript, and with honest ones.
//!
//! The adapters in Rust are in `suite/smoke.rs`, with the other tests of smoke.

use std::path::Path;

use normative_conformance::drive::smoke::{self, Found, Line};
use rstest::rstest;

use super::languages::Language;
use super::limits;

fn probed(language: Language, mistake: &str) -> Option<Vec<Line>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/languages").join(match language {
        Language::Python => "planted.py",
        Language::JavaScript => "planted.mjs",
        Language::C => return None,
    });
    let program = language.program(&script, mistake)?;
    Some(smoke::program(program, limits(), |_| {}).unwrap())
}

/// Mistakes that one probe calls doubtful, and another probe calls wrong.
const ALSO_WRONG: [&str; 2] = ["other-norm", "stale-result"];

/// A mistake that runtimes make too is doubtful; every other one is wrong.
#[rstest]
#[case::axes_ignored("axes-ignored", "wrong", "the axes are ignored: all are reduced")]
#[case::axes_from_the_other_end("axes-from-the-other-end", "wrong", "axes are counted from the other end")]
#[case::first_axis_alone("first-axis-alone", "wrong", "only the first axis is reduced")]
#[case::refusal_repaired("refusal-repaired", "doubtful", "are answered with a tensor: a refusal is hidden")]
#[case::type_of_axes_dropped(
    "type-of-axes-dropped",
    "doubtful",
    "axes of a type that the operator does not take"
)]
#[case::null_is_a_list_of_none("null-is-a-list-of-none", "doubtful", "the axes are ignored: none is reduced")]
#[case::empty_list_is_everything(
    "empty-list-is-everything",
    "doubtful",
    "the axes are ignored: all are reduced"
)]
#[case::noop_dropped("noop-dropped", "doubtful", "the axes are ignored: all are reduced")]
#[case::default_filled_in(
    "default-filled-in",
    "wrong",
    "the reduced dims are kept where they are to be dropped"
)]
#[case::default_of_onnx_filled_in(
    "default-of-onnx-filled-in",
    "wrong",
    "the reduced dims are dropped where they are to be kept"
)]
#[case::ord_filled_in("ord-filled-in", "doubtful", "it is L1 of the data where L2 was asked")]
#[case::attribute_ignored(
    "attribute-ignored",
    "wrong",
    "the reduced dims are dropped where they are to be kept"
)]
#[case::other_norm("other-norm", "doubtful", "it is L2 of the data where L1 was asked")]
#[case::dims_of_the_data_reversed(
    "dims-of-the-data-reversed",
    "wrong",
    "the dims are in reverse order in the data"
)]
#[case::dims_of_the_answer_reversed(
    "dims-of-the-answer-reversed",
    "wrong",
    "the dims are in reverse order in the answer"
)]
#[case::a_scalar_as_a_list(
    "a-scalar-as-a-list",
    "wrong",
    "the reduced dims are kept where they are to be dropped"
)]
#[case::one_dim_kept("one-dim-kept", "wrong", "the axes are ignored: none is reduced")]
#[case::spacing_ignored("spacing-ignored", "wrong", "the spacing is ignored")]
#[case::another_type("another-type", "doubtful", "of type i64 where i32 is due")]
#[case::data_through_f32("data-through-f32", "doubtful", "i32 elements pass through f32")]
#[case::result_through_f32("result-through-f32", "doubtful", "i32 elements pass through f32")]
#[case::result_repaired("result-repaired", "doubtful", "elements that are infinite or NaN")]
#[case::stale_result("stale-result", "doubtful", "it is L1 of the data where L2 was asked")]
#[case::refusal_raised("refusal-raised", "doubtful", "crashed: IndexError")]
#[case::refusal_without_words("refusal-without-words", "wrong", "it refuses without a word")]
#[case::refusal_is_unsupported("refusal-is-unsupported", "wrong", "of data of rank 2 are called unsupported")]
fn smoke_names_the_mistake_of_an_adapter(
    #[values(Language::Python, Language::JavaScript)] language: Language,
    #[case] mistake: &str,
    #[case] certain: &str,
    #[case] due: &str,
) {
    let Some(lines) = probed(language, mistake) else { return };
    // The results of `smoke` and of `smoke --strict`, which tolerates no doubt.
    let passes = certain == "doubtful" && !ALSO_WRONG.contains(&mistake);
    assert_eq!((smoke::passes(&lines), smoke::is_clear(&lines)), (passes, false));
    let (mark, lines) = (format!("  {certain}: "), lines.iter().map(ToString::to_string).collect::<Vec<_>>());
    assert!(lines.iter().any(|line| line.contains(&mark) && line.contains(due)), "{}", lines.join("\n"));
}

#[rstest]
fn smoke_accuses_no_honest_adapter(#[values(Language::Python, Language::JavaScript)] language: Language) {
    let Some(lines) = probed(language, "none") else { return };
    let accused = lines.iter().filter(|line| matches!(line.found, Found::Wrong(_) | Found::Doubtful(_)));
    assert_eq!(accused.collect::<Vec<_>>(), Vec::<&Line>::new());
    // This adapter answers each probe that shows a mistake above.
    let answered = lines.iter().filter(|line| line.found == Found::Right).count();
    assert!(answered >= 20, "{lines:#?}");
}
