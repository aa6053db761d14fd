//! Tests `smoke` with adapters of one mistake each, in Python and JavaScript, and with honest ones.
//!
//! Adapters of every mistake are in `suite/smoke.rs`, in Rust.

use normative_conformance::drive::smoke::{self, Found, Line};
use rstest::rstest;

use super::languages::Language;
use super::limits;

fn probed(language: Language, mistake: &str) -> Option<Vec<Line>> {
    let program = language.script("planted", mistake)?;
    Some(smoke::program(program, limits(), |_| {}).unwrap())
}

/// These mistakes are doubtful, because runtimes make them too; another probe calls a stale result wrong.
#[rstest]
#[case::refusal_repaired("refusal-repaired", true, "are answered with a tensor: a refusal is hidden")]
#[case::data_through_f32("data-through-f32", true, "i32 elements pass through f32")]
#[case::stale_result("stale-result", false, "it is L1 of the data where L2 was asked")]
fn smoke_names_the_mistake_of_an_adapter(
    #[values(Language::Python, Language::JavaScript)] language: Language,
    #[case] mistake: &str,
    #[case] passes: bool,
    #[case] due: &str,
) {
    let Some(lines) = probed(language, mistake) else { return };
    // The results of `smoke` and of `smoke --strict`, which tolerates no doubt.
    assert_eq!((smoke::passes(&lines), smoke::is_clear(&lines)), (passes, false));
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    assert!(
        lines.iter().any(|line| line.contains("  doubtful: ") && line.contains(due)),
        "{}",
        lines.join("\n")
    );
}

#[rstest]
fn smoke_accuses_no_honest_adapter(#[values(Language::Python, Language::JavaScript)] language: Language) {
    let Some(lines) = probed(language, "none") else { return };
    let accused = lines.iter().filter(|line| matches!(line.found, Found::Wrong(_) | Found::Doubtful(_)));
    assert_eq!(accused.collect::<Vec<_>>(), Vec::<&Line>::new());
    let answered = lines.iter().filter(|line| line.found == Found::Right).count();
    assert!(answered >= 20, "{lines:#?}");
}
