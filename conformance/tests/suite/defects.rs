//! Tests defects: failures are grouped by common properties of their calls, none is lost, and reports lead with them.

use std::collections::BTreeSet;
use std::time::Duration;

use normative_conformance::corpus::Ledger;
use normative_conformance::display::grouped;
use normative_conformance::judge::fault::{Fault, Severity};
use normative_conformance::judge::verdict::Verdict;
use normative_conformance::reference::{Call, Dtype, Spec};
use normative_conformance::report::Report;
use normative_conformance::report::defect::{Defect, Witness};
use normative_conformance::report::finding::{self, of_defect};
use normative_conformance::run::property;
use normative_conformance::run::{prepare, run};
use normative_conformance::{Answer, Demands};
use normative_present::column::Column;
use normative_present::matrix;
use normative_present::repro::Repro;
use normative_present::terminal::{self, Detail};
use normative_present::{junit, markdown, page};

use crate::example::CORPUS;
use crate::reference_backend::{Policy, otherwise};

fn spoils(call: &Call) -> Option<Answer> {
    let dtype = call.data.dtype();
    if dtype == Dtype::F16 {
        return Some(Answer::Rejected("no kernel for f16".into()));
    }
    if call.spec() != Spec::Bnns && call.data.shape().contains(&0) {
        return Some(Answer::Tensor(ndarray::arr1(&[7.0_f32]).into_dyn().into()));
    }
    None
}

/// Returns the report of the spoiled reference on the corpus and some generated calls.
pub(crate) fn report() -> Report<'static> {
    let prepared = prepare(&CORPUS.cases).unwrap();
    let demands = Demands::default();
    let mut spoiled = otherwise("spoiled", Policy::new(), spoils);
    let verdicts = run(&prepared, &mut spoiled, &demands);
    let results = prepared.iter().map(|one| one.case).zip(verdicts).collect();
    let generated = property::run(1, 2000, &Spec::ALL, &mut spoiled, &demands).unwrap();
    let report = Report::of(spoiled.identity, results, CORPUS.cases.len());
    let mut report = Report { generated: Some(generated), ..report };
    // Cached as in a run, because every format would search for them again, which takes long.
    report.grouped = Some(report.defects());
    report
}

pub(crate) fn column(report: Report<'_>) -> Column<'_> {
    let repro = Repro { before: "make".into(), after: "alone".into() };
    Column { name: "spoiled".into(), report, again: "again".into(), repro: Some(repro) }
}

pub(crate) fn written(column: &Column<'_>, detail: Detail<'_>) -> String {
    let mut text = String::new();
    terminal::write(&mut text, column, &Ledger::default(), detail).unwrap();
    text
}

#[test]
fn two_causes_are_two_defects_and_no_failure_is_lost() {
    let report = report();
    let defects = report.defects();

    let names: Vec<String> = defects.iter().map(Defect::name).collect();
    let of = |severity: Severity| defects.iter().filter(move |defect| defect.severity() == severity);
    let refused: Vec<_> = of(Severity::Refused).collect();
    assert_eq!(refused.len(), 1, "{names:?}");
    assert_eq!(refused[0].dtypes, BTreeSet::from([Dtype::F16]));
    assert_eq!(refused[0].faults[0].0, Fault::RefusedValid);
    assert!(refused[0].name().contains("for f16"), "{names:?}");
    assert!(names.iter().any(|name| name.contains("a dim of 0")), "{names:?}");

    let failures = report.failures().count() + report.generated.as_ref().unwrap().finds.len();
    let all: Vec<Witness<'_>> = defects.iter().flat_map(|defect| defect.failures.iter().copied()).collect();
    assert_eq!(all.len(), failures, "every failure is in a defect");
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), failures, "and in one only");
    assert_eq!(report.severities().values().sum::<usize>(), failures);
    assert_eq!(report.by_failure(&defects).len(), failures);
    for defect in &defects {
        assert_eq!(defect.specs.values().sum::<usize>(), defect.failures.len());
    }

    let severities: Vec<Severity> = defects.iter().map(Defect::severity).collect();
    assert!(severities.is_sorted(), "the worst comes first: {severities:?}");

    // The last 24 lines of 80 columns show the defects, and the next steps.
    let column = column(report);
    let (short, all) = (written(&column, Detail::Brief("show")), written(&column, Detail::All));
    assert!(short.len() * 4 < all.len(), "{} and {}", short.len(), all.len());
    let last: Vec<&str> = short.lines().rev().take(24).collect();
    assert!(
        last.iter().any(|line| line.contains(&format!("explain {} failures: ", grouped(failures)))),
        "{last:?}"
    );
    assert!(last.iter().any(|line| line.starts_with("next: again --")), "{last:?}");
    // They also say what the first defect asked, expected and got.
    assert!(last.iter().any(|line| line.starts_with("defect 1: ")), "{last:?}");
    for label in ["clause", "call", "data", "result"] {
        assert!(last.iter().any(|line| line.starts_with(&format!("  {label}  "))), "{label}: {last:?}");
    }
    assert!(last.iter().any(|line| line.starts_with("      make ") && line.ends_with(" alone")), "{last:?}");
    assert!(last.iter().take(names.len() + 4).all(|line| line.chars().count() <= 80), "{last:?}");
    // Every failure has both commands: one repeats it here, the other shows it without this project.
    let with = |start: &str| all.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((with("FAIL "), with("  repro     make ")), (failures, failures));
}

#[test]
fn calls_that_a_lost_backend_was_not_asked_count_with_the_deaths_before_them() {
    let cases = &CORPUS.cases[..40];
    let late = |at: usize| {
        let crash = || Verdict::Crashed("not asked after 3 calls in a row without an answer in time".into());
        if at < 3 { Verdict::TimedOut(Duration::from_secs(4)) } else { crash() }
    };
    let results = cases.iter().enumerate().map(|(at, case)| (case, late(at))).collect();
    let spoiled = otherwise("late", Policy::new(), spoils);
    let report = Report::of(spoiled.identity, results, CORPUS.cases.len());
    let defects = report.defects();
    assert_eq!(defects.len(), 1, "{defects:?}");
    assert_eq!(defects[0].faults, [(Fault::Crashed, 37), (Fault::TimedOut, 3)]);
    assert!(matches!(defects[0].smallest, Witness::Case(0..3, _)), "{:?}", defects[0].smallest);
}

#[test]
fn a_condition_says_how_many_calls_meet_it_and_conform() {
    let report = report();
    let found = report.defects().into_iter().find(|defect| !defect.condition.is_empty()).unwrap();
    let endings = [
        (0, "; every such call fails"),
        (1, " fail, 1 such call conforms"),
        (1234, " fail, 1,234 such calls conform"),
    ];
    for (conforming, ending) in endings {
        let lines = of_defect(&Defect { conforming, ..found.clone() });
        let condition = lines.iter().find(|line| line.label == "where").unwrap();
        assert!(condition.text.ends_with(ending), "{}", condition.text);
    }
}

#[test]
fn every_format_leads_with_the_same_defects_and_says_the_same_twice() {
    let (one, other) = (report(), report());
    let defects = one.defects();
    let failures: usize = defects.iter().map(|defect| defect.failures.len()).sum();
    let (columns, again) = ([column(one.clone())], [column(other)]);
    let of = |columns: &[Column<'_>]| {
        let [mut markdown, mut junit, mut page, mut matrix] = [const { String::new() }; 4];
        markdown::write(&mut markdown, columns, &Ledger::default()).unwrap();
        junit::write(&mut junit, columns, &Ledger::default()).unwrap();
        page::write(&mut page, columns, &Ledger::default(), "this suite").unwrap();
        matrix::write(&mut matrix, columns).unwrap();
        [markdown, junit, page, matrix]
    };
    let written = of(&columns);
    assert_eq!(written, of(&again));
    let [markdown, junit, page, matrix] = written;

    let (severities, count) = (one.severities(), defects.len());
    let split: Vec<String> =
        severities.iter().map(|(one, count)| format!("{} {}", one.word(), grouped(*count))).collect();
    let explained = format!("{count} defects explain {} failures: {}", grouped(failures), split.join(", "));
    assert!(markdown.contains(&format!("\n### {explained}\n")), "{markdown}");
    assert!(markdown.find(&explained) < markdown.find(" findings: "));
    assert_eq!(markdown.matches("\n  explains  ").count(), count);

    // Every failing call is in the suite of its defect, with the smallest first, and counts once.
    assert_eq!(crate::junit_schema::errors(&junit), Vec::<String>::new());
    let document = roxmltree::Document::parse(&junit).unwrap();
    let of_run = finding::all(&one, &Ledger::default(), "again").len() - failures;
    let failing =
        document.descendants().filter(|node| ["failure", "error"].contains(&node.tag_name().name()));
    assert_eq!(failing.count(), failures + of_run);
    let suites = document.descendants().filter(|node| node.has_tag_name("testsuite"));
    let suites: Vec<_> = suites.take(count).collect();
    for (at, (suite, defect)) in suites.iter().zip(&defects).enumerate() {
        let title = format!("{} of {count}: {}", at + 1, defect.name());
        assert_eq!(suite.attribute("name"), Some(format!("spoiled defect {title}").as_str()));
        assert_eq!(suite.attribute("failures"), Some(defect.failures.len().to_string().as_str()));
        let tests: Vec<_> = suite.children().filter(|node| node.has_tag_name("testcase")).collect();
        let name = tests[0].attribute("name").unwrap();
        assert!(name == defect.smallest.name() || name.starts_with(&format!("{}/", defect.smallest.name())));
        for test in tests {
            assert!(test.attribute("classname").unwrap().starts_with("spoiled "));
            let text = test.first_element_child().unwrap().text().unwrap();
            assert!(text.starts_with(&format!("\n  defect    {title}\n")), "{text}");
        }
    }

    // The page has each defect with its commands, and as many failures of it as it counts.
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let data: serde_json::Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let shown = data["backends"][0]["defects"].as_array().unwrap();
    assert_eq!(shown.len(), count);
    for (at, (shown, defect)) in shown.iter().zip(&defects).enumerate() {
        assert_eq!(
            (&shown["name"], &shown["failures"]),
            (&defect.name().into(), &defect.failures.len().into())
        );
        let repro =
            |line: &serde_json::Value| line[0] == "repro" && line[1].as_str().unwrap().starts_with("make ");
        assert!(shown["lines"].as_array().unwrap().iter().any(repro), "{shown}");
        let behind = data["failures"]["rows"].as_array().unwrap().iter().filter(|row| row[4] == at).count();
        assert_eq!(behind, defect.failures.len());
    }

    // A cell counts the defects that show in its spec.
    for (spec, tally) in one.tallies() {
        // An operator that the backend does not list was not asked for in generated calls.
        let calls = one.generated.as_ref().unwrap().tallies.get(&spec).copied().unwrap_or_default();
        let shown = defects.iter().filter(|defect| defect.specs.contains_key(&spec)).count();
        let fails = tally.fails + calls.fails;
        let cell = format!("  {shown} defect{}, {fails} calls", if shown == 1 { "" } else { "s" });
        let row = matrix.lines().find(|line| line.starts_with(&format!("{spec} "))).unwrap();
        assert_eq!(row.ends_with(&cell), fails > 0, "{row}: {cell}");
    }
    let all = matrix.lines().find(|line| line.starts_with("all ")).unwrap();
    assert!(all.ends_with(&format!("  {count} defects, {failures} calls")), "{all}");
}
