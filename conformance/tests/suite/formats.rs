//! Tests the reports in the formats for CI: a snapshot of each, and properties that hold for any backend's text.

use std::time::Duration;

use crate::calls::{answer, tensor};
use crate::example;
use normative_conformance::corpus::clauses::Ledger;
use normative_conformance::corpus::{Case, ClauseRef};
use normative_conformance::reference::{Axes, Call, Norm, Operator};
use normative_conformance::report::{Missing, Report};
use normative_conformance::run::Judged;
use normative_conformance::run::property::{Generated, Id, Made};
use normative_conformance::run::repeat::{Sample, Unstable};
use normative_conformance::{Death, Demands, Identity, Observed, Sheet, judge};
use normative_present::column::Column;
use normative_present::{badge, junit, markdown};
use proptest::prelude::*;
use rstest::rstest;

/// A text that could end its container, make links or hide parts.
const HOSTILE: &str = "no\n| a | `b` ``` ~~~ </code></pre></details><script>x</script>]]>&amp;<!-- $x$ *b* _i_\n\n# h\n- @me \
     https://example.com www.example.com a@b.example [l](u) ![i](u)\x1b[2J\r\0\u{fffe}\u{ffff}";

pub(crate) fn case(name: &str, axes: &[i64]) -> Case {
    let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: Some(false) };
    let call = Call::new(operator, tensor(&[2], &[1.0_f32, -2.0]), Axes::list(axes));
    Case {
        clauses: vec![ClauseRef { spec: call.spec(), name: "norm".into() }],
        why: "An implementation without abs adds 1 and -2.".into(),
        ..example::case(name, call)
    }
}

fn right() -> Observed {
    answer(&[], &[3.0_f32])
}

fn report<'a>(cases: &'a [(Case, Observed)], words: &str) -> Report<'a> {
    let judged = |(case, answer): &'a (Case, Observed)| {
        (case, judge(&Sheet::of(&case.call).unwrap(), answer, &Demands::default()))
    };
    let identity = Identity { name: words.into(), version: "1".into(), report_bugs_to: words.into() };
    Report::of(identity, cases.iter().map(judged).collect(), cases.len())
}

fn column(report: Report<'_>) -> Column<'_> {
    Column {
        name: "example".into(),
        report,
        again: "cargo xtask conformance --backend example".into(),
        repro: None,
    }
}

fn as_markdown(columns: &[Column<'_>]) -> String {
    let mut text = String::new();
    markdown::write(&mut text, columns, &Ledger::default()).unwrap();
    text
}

fn as_junit(columns: &[Column<'_>]) -> String {
    let mut text = String::new();
    junit::write(&mut text, columns, &Ledger::default()).unwrap();
    text
}

/// Returns a report with every kind of content.
pub(crate) fn everything<'a>(cases: &'a [(Case, Observed)], words: &str) -> Report<'a> {
    let mut generated = Generated { seed: 7, ..Generated::default() };
    for (index, answer) in [
        (0, Observed::Rejected(words.into())),
        (1, Observed::Unsupported(words.into())),
        (2, Observed::Died(Death::Crashed(words.into()))),
    ] {
        let made = Made::of(Id::first(7, index)).unwrap();
        generated.count(&Judged::of(made, answer, &Demands::default()));
    }
    let (asked, first) = cases.first().unwrap();
    let sample = Sample { name: asked.name.clone(), call: asked.call.clone(), first: first.clone() };
    let unstable = vec![Unstable { sample, then: Observed::Rejected(words.into()), row: None }];
    let missing = Missing { cases: 1, calls: 0 };
    let report = report(cases, words);
    Report { corpus: cases.len() + 1, generated: Some(generated), unstable, missing, ..report }
}

pub(crate) fn cases(words: &str) -> Vec<(Case, Observed)> {
    vec![
        (case("right", &[0]), right()),
        (case("wrong", &[0]), answer(&[], &[-1.0_f32])),
        (case("refused", &[0]), Observed::Rejected(words.into())),
        (case("dies", &[0]), Observed::Died(Death::Crashed(words.into()))),
        (case("waits", &[0]), Observed::Died(Death::TimedOut(Duration::from_secs(1)))),
        (case("declined", &[0]), Observed::Unsupported(words.into())),
        (case("one-reading", &[]), answer(&[2], &[1.0_f32, -2.0])),
        (case("the-other", &[]), answer(&[2], &[1.0_f32, 2.0])),
    ]
}

#[test]
fn a_summary_shows_the_tables_and_the_findings() {
    let cases = cases("not <today>");
    insta::assert_snapshot!(as_markdown(&[column(everything(&cases, "example"))]));
}

#[test]
fn a_summary_of_several_is_the_matrix() {
    let cases = cases("not <today>");
    let columns = [column(everything(&cases, "example")), column(report(&cases[..1], "an|other"))];
    insta::assert_snapshot!(as_markdown(&columns));
}

#[test]
fn a_suite_has_a_test_case_for_everything() {
    let cases = cases("not <today>");
    insta::assert_snapshot!(as_junit(&[column(everything(&cases, "example"))]));
}

/// Returns the lines of a summary outside of preformatted blocks.
fn outside(text: &str) -> Vec<&str> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        match line {
            "<pre>" => inside = true,
            "</pre>" => inside = false,
            _ if !inside => lines.push(line),
            _ => assert!(!line.contains('<') && !line.contains('>'), "{line}"),
        }
    }
    assert!(!inside, "a block that does not end");
    lines
}

#[test]
fn no_word_of_a_backend_breaks_out_of_a_summary() {
    let cases = cases(HOSTILE);
    let hostile = || Column { name: HOSTILE.into(), ..column(everything(&cases, HOSTILE)) };
    for columns in [vec![hostile()], vec![hostile(), hostile()]] {
        is_ours(
            &as_markdown(&columns),
            &["## PARTIAL (the run was stopped), does not conform: <code>", "## 2 backends", "### "],
        );
    }
}

/// Checks that a summary has only the format's own markup, and only headings that start with one of `headings`.
pub(crate) fn is_ours(text: &str, headings: &[&str]) {
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    let mut cells = 0;
    for line in outside(text) {
        // The format writes only this markup: code, details and their summaries.
        let rest = ["<code>", "</code>", "<details>", "</details>", "<summary>", "</summary>"]
            .iter()
            .fold(line.to_owned(), |line, tag| line.replace(tag, ""));
        assert!(!rest.contains(['<', '>', '`', '*', '_', '[', ']', '@', '~', '$', '\\']), "{line}");
        assert!(!line.contains("://") && !line.contains("www."), "{line}");
        assert_eq!(line.matches("<code>").count(), line.matches("</code>").count(), "{line}");
        let is_row = line.starts_with('|');
        assert!(is_row || !rest.contains('|'), "{line}");
        cells = match (is_row, cells) {
            (false, _) => 0,
            (true, 0) => line.matches('|').count(),
            (true, cells) => {
                assert_eq!(line.matches('|').count(), cells, "{line}");
                cells
            }
        };
        let ours = headings.iter().any(|start| line.starts_with(start));
        assert!(!line.starts_with('#') || ours, "{line}");
    }
}

#[rstest]
#[case::many_short_findings(30_000, 10)]
#[case::few_long_findings(500, 100_000)]
#[case::findings_of_markup(300, 20_000)]
fn a_summary_has_room_for_what_fails_or_says_what_it_leaves_out(#[case] failing: usize, #[case] long: usize) {
    let words = "<&`|é".repeat(long / 5);
    let cases: Vec<(Case, Observed)> = (0..failing)
        .map(|at| {
            (
                case(&format!("a-case-with-a-name-of-some-length-{at}"), &[0]),
                Observed::Rejected(words.clone()),
            )
        })
        .collect();
    let text = as_markdown(&[column(report(&cases, "example"))]);
    assert!(text.len() <= markdown::LIMIT && markdown::LIMIT < 1 << 20, "{}", text.len());
    let shown = text.matches("FAIL ").count();
    let left: usize = text
        .lines()
        .find_map(|line| line.strip_suffix(" more findings are left out: a summary has no room for them."))
        .map_or(0, |count| count.parse().unwrap());
    assert_eq!(shown + left, failing);
    assert!(shown >= 25, "{shown}");
    assert!(text.ends_with("</code>\n"), "the rest is there");
    assert!(outside(&text).len() > 10);
}

#[test]
fn as_many_reasons_and_backends_as_there_may_be_fit() {
    // Reasons that differed in digits alone would be one kind.
    let letters = |at: usize| {
        at.to_string().chars().filter_map(|c| char::from_digit(c.to_digit(10)? + 10, 36)).collect::<String>()
    };
    let cases: Vec<(Case, Observed)> = (0..5_000)
        .map(|at| {
            let why = format!("{}{}", letters(at), "|".repeat(9_000));
            (case(&format!("case-{at}"), &[0]), Observed::Unsupported(why))
        })
        .collect();
    let text = as_markdown(&[column(report(&cases, "example"))]);
    assert!(text.len() <= markdown::LIMIT && text.contains("| and 4500 more | "), "{}", text.len());
    let columns: Vec<Column<'_>> = (0..400)
        .map(|_| Column { name: "|".repeat(9_000), ..column(report(&cases[..1], &"<".repeat(9_000))) })
        .collect();
    let text = as_markdown(&columns);
    assert!(
        text.len() <= markdown::LIMIT && text.contains("350 more backends are left out"),
        "{}",
        text.len()
    );
}

proptest! {
    #[test]
    fn whatever_a_backend_says_is_junit(words in ".*|[\\x00-\\x7f\u{fffd}-\u{ffff}]*") {
        let cases = cases(&words);
        let columns = [column(everything(&cases, &words)), Column { name: words.clone(), ..column(report(&cases, &words)) }];
        let text = as_junit(&columns);
        prop_assert_eq!(crate::junit_schema::errors(&text), Vec::<String>::new());
        prop_assert_eq!(as_junit(&columns), text);
    }
}

#[test]
fn hostile_words_are_junit_and_stay_words() {
    let cases = cases(HOSTILE);
    let text = as_junit(&[column(everything(&cases, HOSTILE))]);
    assert_eq!(crate::junit_schema::errors(&text), Vec::<String>::new());
    let document = roxmltree::Document::parse(&text).unwrap();
    let count = |tag: &str| document.descendants().filter(|node| node.has_tag_name(tag)).count();
    // Wrong, refused, a refused call; a changed answer, a question read in two ways. A declined case, and the
    // generated calls beside those that fail, each of which counts once.
    assert_eq!((count("failure"), count("error"), count("skipped")), (5, 4, 2));
    let refused = document.descendants().find(|node| node.attribute("name") == Some("refused")).unwrap();
    let failure = refused.first_element_child().unwrap();
    assert!(
        failure
            .attribute("message")
            .unwrap()
            .contains("</code></pre></details><script>x</script>]]>&amp;<!--")
    );
    assert!(
        failure
            .text()
            .unwrap()
            .contains("  again     cargo xtask conformance --backend example --case refused")
    );
}

#[rstest]
#[case::a_wrong_sum(
    "<testsuites tests='1' failures='0' errors='0'><testsuite name='a' tests='1' failures='0' errors='0'/></testsuites>"
)]
#[case::a_forbidden_character("<testsuites tests='0' failures='0' errors='0' name='\u{1}'/>")]
fn what_is_no_junit_is_told(#[case] text: &str) {
    assert_ne!(crate::junit_schema::errors(text), Vec::<String>::new());
}

/// The numbers of cases that filters left out, and that a run did not reach.
type Left = (usize, usize);

#[rstest]
#[case::everything_accepted(vec![right()], (0, 0), "conforms", "brightgreen")]
#[case::some_left_out(vec![right()], (8, 0), "conforms in 1 of 9 cases", "green")]
#[case::some_declined(vec![right(), Observed::Unsupported("no".into())], (0, 0), "conforms in 1 of 2 cases", "green")]
#[case::stopped(vec![right()], (0, 1), "partial", "yellow")]
#[case::a_failure(vec![right(), Observed::Rejected("no".into())], (0, 0), "1 of 2 fail", "red")]
#[case::a_death(vec![Observed::Died(Death::Crashed("x".into()))], (0, 0), "1 of 1 fail", "red")]
#[case::nothing_taken_up(vec![Observed::Unsupported("no".into())], (0, 0), "shows nothing", "lightgrey")]
#[case::nothing_asked(vec![], (0, 0), "shows nothing", "lightgrey")]
fn a_badge_says_no_more_than_the_report(
    #[case] answers: Vec<Observed>,
    #[case] (filtered, missing): Left,
    #[case] message: &str,
    #[case] color: &str,
) {
    let cases: Vec<(Case, Observed)> =
        answers.into_iter().enumerate().map(|(at, answer)| (case(&at.to_string(), &[0]), answer)).collect();
    let mut text = String::new();
    let report = report(&cases, "example");
    let corpus = cases.len() + filtered + missing;
    let report = Report { corpus, missing: Missing { cases: missing, calls: 0 }, ..report };
    badge::write(&mut text, &[column(report)]).unwrap();
    let expected = format!(
        "{{\n  \"schemaVersion\": 1,\n  \"label\": \"norm reductions\",\n  \"message\": \"{message}\",\n  \"color\": \"{color}\"\n}}\n"
    );
    assert_eq!(text, expected);
}

#[test]
fn a_badge_of_contradicting_answers_does_not_say_conforms() {
    let cases = &cases("no")[6..];
    let mut text = String::new();
    badge::write(&mut text, &[column(report(cases, "example"))]).unwrap();
    assert!(text.contains("\"is inconsistent\"") && text.contains("\"red\""), "{text}");
}

#[rstest]
#[case::none(&[], "shows nothing", "lightgrey")]
#[case::all(&[Some(right()), Some(right())], "2 of 2 conform", "green")]
#[case::one(&[Some(right()), Some(Observed::Rejected("no".into()))], "1 of 2 conform", "yellow")]
#[case::what_shows_nothing_is_not_counted(&[None, Some(right())], "1 of 2 conform", "yellow")]
#[case::nobody(&[Some(Observed::Rejected("no".into())), Some(Observed::Unsupported("no".into()))], "0 of 2 conform", "red")]
fn a_badge_of_several_runs_counts_those_that_conform(
    #[case] runs: &[Option<Observed>],
    #[case] message: &str,
    #[case] color: &str,
) {
    let runs: Vec<Vec<(Case, Observed)>> = runs
        .iter()
        .map(|answer| answer.iter().map(|answer| (case("one", &[0]), answer.clone())).collect())
        .collect();
    let columns: Vec<Column<'_>> = runs.iter().map(|cases| column(report(cases, "example"))).collect();
    let mut text = String::new();
    badge::write(&mut text, &columns).unwrap();
    assert!(text.contains(&format!("\"message\": \"{message}\",\n  \"color\": \"{color}\"")), "{text}");
}

#[test]
fn a_run_that_was_stopped_is_not_among_those_that_conform() {
    let cases = [(case("right", &[0]), right())];
    let stopped = Report { corpus: 2, missing: Missing { cases: 1, calls: 0 }, ..report(&cases, "example") };
    let mut text = String::new();
    badge::write(&mut text, &[column(stopped), column(report(&cases, "example"))]).unwrap();
    assert!(text.contains("\"1 of 2 conform\""), "{text}");
}
