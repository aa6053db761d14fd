//! Reports as JUnit XML, which CI systems read.
//!
//! One suite a backend and spec, in which every case is a test case, and so are every generated call that speaks against
//! the backend and all generated calls together; and one suite a backend for what is not of one call: whether everything
//! was asked, answers that changed, questions that no single reading explains. A failure is an answer that is wrong, an error a call
//! that brought the backend down, a skipped test a call that it declined. No times and no time stamps: the same reports
//! give the same bytes. What XML cannot hold is taken out of a backend's words.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use normative_reference::Spec;
use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

use crate::corpus::Ledger;
use crate::display::plain;
use crate::judge::verdict::Verdict;
use crate::present::matrix::Column;
use crate::present::terminal::{outcome, write_lines};
use crate::report::Report;
use crate::report::finding::{self, Finding, Kind};
use crate::run::property::Find;
use crate::run::tally::Tally;

/// Writes all suites.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>], ledger: &Ledger) -> fmt::Result {
    let mut suites = Suites::new("normative");
    for column in columns {
        suites.add_test_suites(of_column(column, ledger));
    }
    out.write_str(&suites.to_string().map_err(|_| fmt::Error)?)
}

fn of_column(Column { name, report, again }: &Column<'_>, ledger: &Ledger) -> Vec<TestSuite> {
    let generated = report.generated.iter().flat_map(|generated| &generated.finds);
    let asked: BTreeSet<String> =
        report.results.iter().map(|(case, _)| case.name.clone()).chain(generated.map(Find::name)).collect();
    // What speaks of one call is told with it, what several answers show together is told of the run.
    let (of_calls, of_run): (Vec<Finding>, Vec<Finding>) =
        finding::all(report, ledger, again).into_iter().partition(|Finding { kind, name, .. }| {
            asked.contains(name) && !matches!(kind, Kind::Nondeterministic | Kind::Inconsistent)
        });
    let of_calls: BTreeMap<&str, &Finding> =
        of_calls.iter().map(|finding| (finding.name.as_str(), finding)).collect();
    let mut suites: BTreeMap<Spec, TestSuite> = BTreeMap::new();
    let named = |spec: Spec| format!("{} {spec}", clean(name));
    for (case, verdict) in &report.results {
        let spec = case.call.spec();
        let status = status(of_calls.get(case.name.as_str()).copied(), verdict);
        let suite = suites.entry(spec).or_insert_with(|| TestSuite::new(named(spec)));
        suite.add_test_case(test(&named(spec), &case.name, status));
    }
    if let Some(generated) = &report.generated {
        for find in &generated.finds {
            let (spec, name) = (find.call.spec(), find.name());
            let status = status(of_calls.get(name.as_str()).copied(), &find.verdict);
            let suite = suites.entry(spec).or_insert_with(|| TestSuite::new(named(spec)));
            suite.add_test_case(test(&named(spec), &name, status));
        }
        let unexpected: BTreeSet<Spec> = generated
            .finds
            .iter()
            .filter(|find| !report.expects(&find.name()))
            .map(|find| find.call.spec())
            .collect();
        for (&spec, tally) in &generated.tallies {
            let name = format!("all generated calls of seed {}", generated.seed);
            let suite = suites.entry(spec).or_insert_with(|| TestSuite::new(named(spec)));
            suite.add_test_case(test(&named(spec), &name, of_tally(tally, unexpected.contains(&spec))));
        }
    }
    let mut suites: Vec<TestSuite> = suites.into_values().collect();
    suites.push(of_the_run(name, report, &of_run));
    suites
}

/// What is not of one call.
fn of_the_run(name: &str, report: &Report<'_>, findings: &[Finding]) -> TestSuite {
    let name = clean(name);
    let mut suite = TestSuite::new(name.clone());
    let mut asked = TestCaseStatus::success();
    if !report.is_complete() || report.executed() == 0 {
        asked = TestCaseStatus::non_success(NonSuccessKind::Error);
        asked.set_message(clean(&outcome(report)));
    }
    suite.add_test_case(test(&name, "everything was asked", asked));
    for finding in findings {
        let title = format!("{} {}", finding.kind.word().to_lowercase(), finding.name);
        suite.add_test_case(test(&name, &title, against(finding, "the answers contradict each other")));
    }
    suite
}

fn test(class: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut test = TestCase::new(clean(name), status);
    test.set_classname(class.to_owned());
    test
}

fn status(finding: Option<&Finding>, verdict: &Verdict) -> TestCaseStatus {
    match (finding, verdict) {
        (Some(finding), _) => against(finding, &verdict.reason()),
        (None, Verdict::Conforms { .. }) => TestCaseStatus::success(),
        // What nobody holds against the backend, but did not go well either.
        (None, Verdict::Unsupported(_) | Verdict::Fails(_) | Verdict::Crashed(_) | Verdict::TimedOut(_)) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(clean(&verdict.reason()));
            status
        }
    }
}

fn against(finding: &Finding, reason: &str) -> TestCaseStatus {
    let kind = match finding.kind {
        Kind::Crash | Kind::Timeout => NonSuccessKind::Error,
        Kind::Fail
        | Kind::Nondeterministic
        | Kind::Inconsistent
        | Kind::UnexpectedPass
        | Kind::OtherReason
        | Kind::Stale
        | Kind::Missing
        | Kind::Flaky => NonSuccessKind::Failure,
    };
    let mut text = String::from("\n");
    // A String takes whatever is written.
    let _ = write_lines(&mut text, &finding.lines);
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(finding.kind.word()).set_message(clean(reason)).set_description(unmarked(&text));
    status
}

/// Generated calls that are accepted have no test case of their own. `fails`: whether some fail that are not known to.
fn of_tally(tally: &Tally, fails: bool) -> TestCaseStatus {
    let counts = format!(
        "of {} calls {} conform, {} fail, {} died, {} are unsupported",
        tally.run, tally.conforms, tally.fails, tally.died, tally.unsupported
    );
    let mut status = match (fails, tally.executed()) {
        (true, _) => TestCaseStatus::non_success(NonSuccessKind::Failure),
        (false, 0) => TestCaseStatus::skipped(),
        (false, _) => return TestCaseStatus::success(),
    };
    status.set_type(Kind::Fail.word()).set_message(counts);
    status
}

/// One line that XML can hold.
fn clean(text: &str) -> String {
    unmarked(&plain(text))
}

/// Text without the two characters, other than control characters, that XML cannot hold.
fn unmarked(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
