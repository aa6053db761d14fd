//! Tests defects: failures are grouped by common properties of their calls, none is lost, and reports lead with them.

use std::collections::BTreeSet;
use std::time::Duration;

use normative_conformance::corpus::Ledger;
use normative_conformance::defect::rules::Likeness;
use normative_conformance::defect::{Example, Group, Small, groups, traits};
use normative_conformance::display::grouped;
use normative_conformance::judge::fault::{Fault, Severity};
use normative_conformance::judge::verdict::Verdict;
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Spec, Tensor};
use normative_conformance::report::Report;
use normative_conformance::report::defect::{Defect, Witness};
use normative_conformance::report::finding::{self, of_defect};
use normative_conformance::run::property;
use normative_conformance::run::{prepare, run};
use normative_conformance::shrink::{self, FailureClass, FailureErrors};
use normative_conformance::{Answer, Demands};
use normative_present::column::Column;
use normative_present::matrix;
use normative_present::repro::Repro;
use normative_present::terminal::{self, Detail};
use normative_present::{junit, markdown, page};
use rstest::rstest;

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
        markdown::write(&mut markdown, columns, &[], &Ledger::default()).unwrap();
        junit::write(&mut junit, columns, &Ledger::default()).unwrap();
        page::write(&mut page, columns, &[], &Ledger::default(), "this suite").unwrap();
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

/// Returns an L1 norm over all elements.
fn norm_of(dtype: Dtype, shape: &[usize]) -> Call {
    let data = Tensor::from_bits(dtype, shape, &vec![1; shape.iter().product()]).unwrap();
    Call::new(
        Operator::OpenVino { norm: Norm::L1, keep_dims: None },
        data,
        Axes::list(&(0..shape.len() as i64).collect::<Vec<_>>()),
    )
}

fn example(call: &Call, class: Option<FailureClass>) -> Example {
    Example { traits: traits::of(call), class, error: None }
}

/// Returns all f32 matrices of these dims, each with a wrong value, and right ones of f64. Those of `grave` have the error
/// that is given for it, in place of about 2^-15.
fn matrices_of_f32(grave: impl Fn(usize, usize) -> bool, error: impl Fn(usize) -> f64) -> Vec<Example> {
    let dims = (1..=12).flat_map(|rows| (1..=16).map(move |columns| (rows, columns)));
    let of_dims = |(rows, columns): (usize, usize)| {
        let at = rows * 16 + columns;
        let error = if grave(rows, columns) { error(at) } else { -15.0 - (at % 3) as f64 };
        let wrong = example(&norm_of(Dtype::F32, &[rows, columns]), WRONG);
        [Example { error: Some(error), ..wrong }, example(&norm_of(Dtype::F64, &[rows, columns]), None)]
    };
    dims.flat_map(of_dims).collect()
}

#[test]
fn a_rare_grave_error_is_told_apart_from_mild_ones_of_the_same_type_and_lengths() {
    let (mut apart, mut all) = (0, 0);
    for wanted in 2..=16 {
        let of_dims: [&dyn Fn(usize, usize) -> bool; 3] = [
            &|_, columns| columns == wanted,
            &|rows, columns| rows * columns == wanted + 2,
            &|rows, columns| columns % 8 == wanted / 2 && rows * columns >= 65,
        ];
        for grave in of_dims {
            let examples = matrices_of_f32(grave, |_| -1.0);
            let rare = examples.iter().filter(|one| one.error == Some(-1.0)).count();
            // The least number that is evidence for two traits.
            if rare < 4 {
                continue;
            }
            all += 1;
            let found = groups(&examples, &[]).groups();
            let sizes: Vec<usize> = found.iter().map(|group| group.failures.len()).collect();
            apart += usize::from(sizes == [192 - rare, rare]);
        }
    }
    assert!(all >= 30 && apart * 10 >= all * 9, "{apart} of {all}");
}

#[rstest]
#[case::without_a_gap(|at: usize| -((at * 7 % 15) as f64))]
#[case::by_chance(|_| -1.0)]
fn errors_that_nothing_but_their_size_tells_apart_are_one_group(#[case] error: fn(usize) -> f64) {
    let examples = matrices_of_f32(|rows, columns| (rows * 16 + columns) * 7 % 11 < 4, error);
    assert_eq!(groups(&examples, &[]).groups().len(), 1);
}

/// Errors in ulp are of floats alone, so integers that fail beside them are not mild.
#[test]
fn integers_that_fail_under_the_same_condition_are_not_told_apart_by_errors() {
    let of = |dtype: Dtype, shape: &[usize], error: Option<f64>, class| {
        let call = norm_of(dtype, shape);
        Example { error, ..example(&call, class) }
    };
    let mild = |dim: usize| [3, 10, 17, 29].contains(&dim);
    let examples = (1..=30).flat_map(|dim| {
        let error = if mild(dim) { -15.0 } else { -1.0 };
        [
            of(Dtype::F32, &[2, dim], Some(error), WRONG),
            of(Dtype::I32, &[2, dim], None, WRONG),
            of(Dtype::F32, &[dim], None, None),
            of(Dtype::I32, &[dim], None, None),
        ]
    });
    assert_eq!(groups(&examples.collect::<Vec<_>>(), &[]).groups().len(), 1);
}

const WRONG: Option<FailureClass> =
    Some(FailureClass { fault: Fault::WrongValue, detail: shrink::ClassDetail::Nothing });

/// Returns thirty failing calls over i8 of rank 2, and passing ones of rank 1 or of other types.
fn matrices_of_i8() -> Vec<(Call, Option<FailureClass>)> {
    let shapes = (1..=30).map(|dim| [2, dim]);
    let failing = shapes.clone().map(|shape| (norm_of(Dtype::I8, &shape), WRONG));
    let of_rank_one = (1..=10).map(|dim| (norm_of(Dtype::I8, &[dim]), None));
    let other = shapes.flat_map(|shape| [Dtype::F32, Dtype::U8].map(|dtype| (norm_of(dtype, &shape), None)));
    failing.chain(of_rank_one).chain(other).collect()
}

fn words(group: &Group) -> Vec<String> {
    group.condition.iter().map(ToString::to_string).collect()
}

#[test]
fn a_condition_holds_of_the_smallest_call_that_fails() {
    let examples: Vec<Example> = matrices_of_i8().iter().map(|(call, class)| example(call, *class)).collect();
    let learned = groups(&examples, &[]);
    let [group] = &learned.clone().groups()[..] else { panic!("one group") };
    assert!(group.condition.len() == 2 && group.conforming.is_empty(), "{:?}", words(group));

    // The shrunk call shows that the backend fails on a vector as well.
    let small = Small::of(&norm_of(Dtype::I8, &[1]));
    let [group] = &learned.joined(&[Some(small)]).groups()[..] else { panic!("one group") };
    assert_eq!(words(group), ["signed integer data"]);
    assert_eq!((group.failures.len(), group.conforming.len()), (30, 10));
}

#[test]
fn a_failure_that_does_not_meet_the_condition_is_a_group_of_its_own() {
    let mut calls = matrices_of_i8();
    calls.push((norm_of(Dtype::F64, &[]), WRONG));
    let examples: Vec<Example> = calls.iter().map(|(call, class)| example(call, *class)).collect();
    let [large, single] = &groups(&examples, &[]).groups()[..] else { panic!("two groups") };
    assert_eq!((large.failures.len(), single.failures.as_slice()), (30, &[calls.len() - 1][..]));
    assert!(words(large).contains(&"signed integer data".to_owned()), "{:?}", words(large));
}

#[rstest]
#[case::a_crash(Fault::Crashed)]
#[case::a_hang(Fault::TimedOut)]
#[case::a_wrong_shape(Fault::OutputShape)]
#[case::a_refusal(Fault::RefusedValid)]
fn calls_that_fail_in_two_ways_are_two_groups_even_where_they_shrink_to_one_call(#[case] rare: Fault) {
    let mut calls = matrices_of_i8();
    // One call in ten of the same condition fails in the rare way.
    for (call, class) in calls.iter_mut().filter(|(_, class)| class.is_some()).step_by(10) {
        *class = Some(FailureClass::plain(rare));
        assert_eq!(call.data.dtype(), Dtype::I8);
    }
    let examples: Vec<Example> = calls.iter().map(|(call, class)| example(call, *class)).collect();
    let learned = groups(&examples, &[]);
    let small = vec![Some(Small::of(&norm_of(Dtype::I8, &[2, 1]))); learned.examples().count()];
    let found = learned.joined(&small).groups();
    let sizes: Vec<usize> = found.iter().map(|group| group.failures.len()).collect();
    assert_eq!(sizes, [27, 3]);
    assert!(found[1].failures.iter().all(|&at| calls[at].1 == Some(FailureClass::plain(rare))));
}

#[test]
fn groups_of_one_root_are_joined_once_a_rule_is_false_of_its_small_call() {
    let examples: Vec<Example> = matrices_of_i8().iter().map(|(call, class)| example(call, *class)).collect();
    let failing: Vec<usize> = (0..examples.len()).filter(|&at| examples[at].class.is_some()).collect();
    let (first, rest) = failing.split_at(1);
    let rule = |sentence, same: &[usize]| Likeness {
        sentence,
        same: same.to_vec(),
        similar: Vec::new(),
        against: 0,
    };
    let learned = groups(&examples, &[rule("The cause.", rest), rule("By chance.", first)]);
    let small = vec![Some(Small::of(&norm_of(Dtype::I8, &[2, 1]))); learned.examples().count()];
    assert_eq!(learned.clone().joined(&small).groups().len(), 2);
    let found = learned.unruled(|_, rule| rule == "By chance.").joined(&small).groups();
    assert_eq!((found.len(), found[0].failures.len(), found[0].rule), (1, failing.len(), Some("The cause.")));
}

/// Failures are drawn by chance, so conditions fit them badly.
#[test]
fn every_failure_of_a_group_without_a_rule_meets_its_condition() {
    let calls = matrices_of_i8();
    for seed in 0..40_usize {
        let class = |at: usize| match (at * 7 + seed * 13) % (5 + seed % 7) {
            0 => WRONG,
            1 => Some(FailureClass::plain(Fault::OutputShape)),
            _ => calls[at].1,
        };
        let examples: Vec<Example> =
            calls.iter().enumerate().map(|(at, (call, _))| example(call, class(at))).collect();
        let found = groups(&examples, &[]).groups();
        let all: usize = found.iter().map(|group| group.failures.len()).sum();
        assert_eq!(all, examples.iter().filter(|one| one.class.is_some()).count(), "nothing is lost");
        for group in &found {
            for &at in &group.failures {
                let traits = &examples[at].traits;
                assert!(group.condition.iter().all(|part| traits.contains(part)), "{:?}", words(group));
            }
        }
    }
}

#[test]
fn failures_that_a_rule_leaves_over_are_grouped_by_what_they_have_in_common() {
    // A rule gives all but those of eleven columns, which are a cause of their own.
    let examples = matrices_of_f32(|_, _| false, |_| -15.0);
    let is_other =
        |at: usize| examples[at].traits.iter().any(|of_call| of_call.to_string() == "last dim = 11");
    let (other, same): (Vec<usize>, Vec<usize>) =
        (0..examples.len()).filter(|&at| examples[at].class.is_some()).partition(|&at| is_other(at));
    let likeness = Likeness { sentence: "One.", same: same.clone(), similar: Vec::new(), against: 0 };
    let [ruled, rest] = &groups(&examples, &[likeness]).groups()[..] else { panic!("two groups") };
    assert_eq!((&ruled.failures, &rest.failures), (&same, &other));
    assert!(words(rest).contains(&"last dim = 11".to_owned()), "{:?}", words(rest));
}

#[test]
fn groups_of_one_likest_rule_are_one() {
    let mut calls = matrices_of_i8();
    calls.push((norm_of(Dtype::F64, &[]), Some(FailureClass::plain(Fault::OutputShape))));
    let examples: Vec<Example> = calls.iter().map(|(call, class)| example(call, *class)).collect();
    let same = groups(&examples, &[]).likened(|_, _, _| Some("The same.")).groups();
    let [group] = &same[..] else { panic!("one group") };
    assert_eq!((group.failures.len(), group.like), (31, Some("The same.")));
    let others =
        groups(&examples, &[]).likened(|failures, _, _| (failures.len() > 1).then_some("One.")).groups();
    assert_eq!(others.len(), 2);
}

#[test]
fn mild_and_grave_errors_of_one_likest_rule_are_one_group() {
    let examples = matrices_of_f32(|_, columns| columns == 5, |_| -1.0);
    assert_eq!(groups(&examples, &[]).groups().len(), 2);
    let same = groups(&examples, &[]).likened(|_, _, _| Some("The same.")).groups();
    let [group] = &same[..] else { panic!("one group") };
    assert_eq!((group.failures.len(), group.errors), (192, FailureErrors::ALL));
}

#[test]
fn a_condition_that_a_further_failing_call_does_not_meet_is_learned_anew_without_the_part() {
    let examples: Vec<Example> = matrices_of_i8().iter().map(|(call, class)| example(call, *class)).collect();
    let learned = groups(&examples, &[]);
    let [group] = &learned.clone().groups()[..] else { panic!("one group") };
    let part = group.condition[0];
    let mut further = examples[group.failures[0]].traits.clone();
    assert_eq!(learned.clone().refuted(|_| vec![further.clone()]).groups()[0].condition, group.condition);
    further.retain(|of_call| *of_call != part);
    let left = learned.refuted(|_| vec![further.clone()]).groups();
    assert!(!left[0].condition.contains(&part), "{:?}", left[0].condition);
    assert!(left[0].condition.iter().all(|of_call| further.contains(of_call)));
}
