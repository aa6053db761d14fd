//! Writes reports as JUnit XML, which CI systems read.
//!
//! A test case is a case of the corpus, a generated call that counts against the backend, or all other generated
//! calls of a spec together, so that each failure counts once. If more than a few fail, the failures with one cause form a suite, smallest call
//! first. These suites come before those of specs, because viewers show suites in file order. Few viewers
//! show properties, so the cause is the first line of a failure instead. The class of a test case is its
//! backend and spec, in any suite: viewers follow a test by class and name.
//!
//! One suite per backend is for facts that belong to no single call: completeness, changed answers, questions
//! that no single reading explains. Hazards and mixed questions pass there, with details as output. A failure
//! is a wrong answer, an error a crash or hang, a skipped test a declined call. The output has no times, so
//! the same reports give the same bytes. Characters that XML cannot hold are removed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use normative_reference::Spec;
use quick_junit::{NonSuccessKind, Report as Suites, TestCase, TestCaseStatus, TestSuite};

use crate::SUITE;
use crate::column::Column;
use crate::outcome::outcome;
use crate::terminal::write_lines;
use crate::{repro, safety};
use normative_conformance::corpus::Ledger;
use normative_conformance::display::plain;
use normative_conformance::judge::verdict::Verdict;
use normative_conformance::report::defect::Defect;
use normative_conformance::report::defects::FEW;
use normative_conformance::report::finding::{self, Finding, FindingKind, Line};
use normative_conformance::run::property::Find;
use normative_conformance::run::tally::Tally;

/// Writes all suites.
///
/// # Errors
/// Errors of `out`.
pub fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>], ledger: &Ledger) -> fmt::Result {
    let mut suites = Suites::new(SUITE);
    for column in columns {
        suites.add_test_suites(of_column(column, ledger));
    }
    out.write_str(&suites.to_string().map_err(|_| fmt::Error)?)
}

fn of_column(column: &Column<'_>, ledger: &Ledger) -> Vec<TestSuite> {
    let Column { report, again, repro, .. } = column;
    let asked: BTreeSet<String> = report
        .results
        .iter()
        .map(|(case, _)| case.name.clone())
        .chain(report.finds().map(Find::name))
        .collect();
    let findings = finding::all(report, ledger, again).into_iter();
    let findings = findings.map(|finding| repro::told(finding, repro.as_ref()));
    // A finding about one call goes to its test case, a finding about several answers to the run.
    let (of_calls, of_run): (Vec<Finding>, Vec<Finding>) =
        findings.partition(|Finding { kind, name, .. }| {
            asked.contains(name) && !matches!(kind, FindingKind::Nondeterministic | FindingKind::Inconsistent)
        });
    let of_calls: BTreeMap<&str, &Finding> =
        of_calls.iter().map(|finding| (finding.name.as_str(), finding)).collect();
    let defects = if of_calls.len() > FEW { report.defects() } else { Vec::new() };
    let mut suites = OfBackend::of(column, &defects);
    for (case, verdict) in &report.results {
        suites.add(case.call.spec(), &case.name, of_calls.get(case.name.as_str()).copied(), verdict);
    }
    if let Some(generated) = &report.generated {
        for find in &generated.finds {
            let name = find.name();
            suites.add(find.call.spec(), &name, of_calls.get(name.as_str()).copied(), &find.verdict);
        }
        for (&spec, tally) in &generated.tallies {
            let name = format!("generated calls of seed {} without a test of their own", generated.seed);
            if let Some(status) = of_tally(tally) {
                suites.add_to_spec(spec, &name, status);
            }
        }
    }
    let mut suites = suites.all();
    suites.push(of_the_run(column, &of_run));
    suites
}

/// A defect, and the test cases of its failing calls; true marks the smallest.
struct OfDefect {
    title: String,
    tests: Vec<(bool, TestCase)>,
}

/// The suites of a backend: one per defect, then one per spec.
struct OfBackend {
    backend: String,
    defects: Vec<OfDefect>,
    /// The defect of each failing call, by the call's name, and true if it is the smallest there.
    by_failure: BTreeMap<String, (usize, bool)>,
    specs: BTreeMap<Spec, TestSuite>,
}

impl OfBackend {
    fn of(Column { name, report, .. }: &Column<'_>, defects: &[Defect<'_>]) -> Self {
        let by_failure = report.by_failure(defects).into_iter().map(|(name, at)| {
            let is_smallest = defects.get(at).is_some_and(|defect| defect.is_shown_by(&name));
            (name, (at, is_smallest))
        });
        let by_failure = by_failure.collect();
        let title = |(at, defect): (usize, &Defect<'_>)| OfDefect {
            title: format!("{} of {}: {}", at + 1, defects.len(), defect.name()),
            tests: Vec::new(),
        };
        let defects = defects.iter().enumerate().map(title).collect();
        Self { backend: clean(name), defects, by_failure, specs: BTreeMap::new() }
    }

    /// Adds the result of a call. Its class and name do not depend on the suite, because viewers know a test
    /// by them.
    fn add(&mut self, spec: Spec, name: &str, finding: Option<&Finding>, verdict: &Verdict) {
        let Some(&(at, is_smallest)) = self.by_failure.get(name) else {
            return self.add_to_spec(spec, name, status(finding, verdict));
        };
        let class = self.class(spec);
        let Some(OfDefect { title, tests }) = self.defects.get_mut(at) else { return };
        let finding = finding.cloned().map(|mut finding| {
            finding.lines.insert(0, Line::new("defect", title));
            finding
        });
        tests.push((is_smallest, test(&class, name, status(finding.as_ref(), verdict))));
    }

    fn add_to_spec(&mut self, spec: Spec, name: &str, status: TestCaseStatus) {
        let class = self.class(spec);
        let test = test(&class, name, status);
        self.specs.entry(spec).or_insert_with(|| TestSuite::new(class)).add_test_case(test);
    }

    fn class(&self, spec: Spec) -> String {
        format!("{} {spec}", self.backend)
    }

    /// Returns all suites; in a defect's suite the smallest call comes first.
    fn all(self) -> Vec<TestSuite> {
        let Self { backend, defects, specs, .. } = self;
        let of_defect = |OfDefect { title, mut tests }: OfDefect| {
            tests.sort_by_key(|(is_smallest, _)| !is_smallest);
            let mut suite = TestSuite::new(format!("{backend} defect {}", clean(&title)));
            for (_, test) in tests {
                suite.add_test_case(test);
            }
            suite
        };
        defects.into_iter().map(of_defect).chain(specs.into_values()).collect()
    }
}

/// Returns the suite for facts that belong to no single call.
fn of_the_run(column: &Column<'_>, findings: &[Finding]) -> TestSuite {
    let (report, name) = (&column.report, clean(&column.name));
    let mut suite = TestSuite::new(name.clone());
    let mut asked = TestCaseStatus::success();
    if !report.is_complete() || report.executed() == 0 {
        asked = TestCaseStatus::non_success(NonSuccessKind::Error);
        asked.set_message(clean(&outcome(report)));
    }
    suite.add_test_case(test(&name, "everything was asked", asked));
    // These are not failures: each passes, with its details as output.
    for (heading, lines) in safety::sections(column) {
        let mut text = String::from("\n");
        // Writing to a String cannot fail.
        let _ = write_lines(&mut text, &lines);
        let mut told = test(&name, &heading, TestCaseStatus::success());
        told.set_system_out(unmarked(&text));
        suite.add_test_case(told);
    }
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
        // Not a finding against the backend, but not a success either.
        (None, Verdict::Unsupported(_) | Verdict::Fails(_) | Verdict::Crashed(_) | Verdict::TimedOut(_)) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(clean(&verdict.reason()));
            status
        }
    }
}

fn against(finding: &Finding, reason: &str) -> TestCaseStatus {
    let kind = match finding.kind {
        FindingKind::Crash | FindingKind::Timeout => NonSuccessKind::Error,
        FindingKind::Fail
        | FindingKind::Nondeterministic
        | FindingKind::Inconsistent
        | FindingKind::UnexpectedPass
        | FindingKind::OtherReason
        | FindingKind::Stale
        | FindingKind::Missing
        | FindingKind::Flaky => NonSuccessKind::Failure,
    };
    let mut text = String::from("\n");
    // Writing to a String cannot fail.
    let _ = write_lines(&mut text, &finding.lines);
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(finding.kind.word()).set_message(clean(reason)).set_description(unmarked(&text));
    status
}

/// Returns the status of a spec's generated calls apart from those that fail, which have tests of their own; `None` if
/// all fail.
fn of_tally(tally: &Tally) -> Option<TestCaseStatus> {
    if tally.conforms > 0 {
        return Some(TestCaseStatus::success());
    }
    let mut status = TestCaseStatus::skipped();
    status
        .set_message(format!("of {} calls {} are unsupported, none conforms", tally.run, tally.unsupported));
    (tally.unsupported > 0).then_some(status)
}

/// Returns one line that XML can hold.
fn clean(text: &str) -> String {
    unmarked(&plain(text))
}

/// Replaces the two characters, other than control characters, that XML cannot hold.
fn unmarked(text: &str) -> String {
    text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
