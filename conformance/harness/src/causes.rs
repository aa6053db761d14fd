//! Groups failing calls by cause, those of cases and generated ones together. All selected ones are asked before
//! the first test. For each cause, the test of the smallest call fails; the others are ignored, and counted. One
//! mistake may fail thousands of calls, and as many failing tests would hide it.
//!
//! A run with a failure always fails. nextest runs one test at a time, so it shows every failure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use libtest_mimic::{Arguments, Completion, Failed};
use normative_conformance::Verdict;
use normative_conformance::corpus::Case;
use normative_conformance::report::defects::FEW;
use normative_conformance::report::finding::{Finding, FindingKind, Line};
use normative_conformance::report::{Report, hazard};
use normative_present::terminal;

use crate::name::Test;
use crate::outcome::{declined, show};

/// The environment variable that makes every failure a failing test.
pub(crate) const ALL: &str = "NORMATIVE_ALL";

/// The verdicts on all selected calls.
#[derive(Default)]
pub(crate) struct Causes {
    /// The tests that were asked together: a case by its name, generated calls by the name of their test.
    tests: BTreeMap<String, Told>,
    /// The index of the cause of each failing call, and true if the call is the smallest of it. Empty if so few
    /// fail that each is shown.
    by_failure: BTreeMap<String, (usize, bool)>,
    /// Each cause: its name and its number of failing calls.
    defects: Vec<(usize, String)>,
    /// Findings about the backend as a whole.
    others: Vec<Finding>,
    /// The hazards, one sentence each.
    hazards: Vec<String>,
}

/// The outcome of a test.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) findings: Vec<Finding>,
    /// The reason why the backend declined it.
    pub(crate) declined: Option<String>,
}

impl Causes {
    /// Collects the verdicts of a report on cases with their findings, and the tests of its generated calls.
    pub(crate) fn of(report: &Report<'_>, findings: Vec<Finding>, generated: BTreeMap<String, Told>) -> Self {
        let told = |(case, verdict): &(&Case, Verdict)| {
            let declined = match verdict {
                Verdict::Unsupported(why) => Some(why.clone()),
                _ => None,
            };
            (case.name.clone(), Told { declined, ..Told::default() })
        };
        let hazards = report.hazards();
        let hazards = hazards.iter().map(|(kind, met)| hazard::sentence(kind, met)).collect();
        let tests = report.results.iter().map(told).chain(generated).collect();
        let mut causes = Self { tests, hazards, ..Self::default() };
        for finding in findings {
            match causes.tests.get_mut(&finding.name) {
                // The tests of readings report these findings.
                _ if finding.kind == FindingKind::Inconsistent => {}
                Some(told) => told.findings.push(finding),
                None => causes.others.push(finding),
            }
        }
        if report.severities().values().sum::<usize>() > FEW {
            let defects = report.defects();
            let by_failure = report.by_failure(&defects).into_iter().map(|(name, at)| {
                let is_shown = defects.get(at).is_some_and(|defect| defect.is_shown_by(&name));
                (name, (at, is_shown))
            });
            causes.by_failure = by_failure.collect();
            causes.defects = defects.iter().map(|defect| (defect.failures.len(), defect.name())).collect();
        }
        causes
    }

    /// Returns the outcome of a test; `None` if it was not asked.
    pub(crate) fn outcome(&self, name: &str, test: &Test) -> Option<Result<Completion, Failed>> {
        let Told { findings, declined: why } = self.tests.get(name)?;
        let nth = |at: usize| format!("{} of {}", at + 1, self.defects.len());
        let (mut shown, mut too) = (Vec::new(), BTreeSet::new());
        for mut finding in findings.iter().cloned() {
            match self.by_failure.get(&finding.name) {
                Some((at, false)) => {
                    too.insert(at);
                    continue;
                }
                Some((at, true)) => {
                    if let Some((calls, cause)) = self.defects.get(*at) {
                        let text = format!("{}, of {calls} calls: {cause}", nth(*at));
                        finding.lines.insert(0, Line::new("cause", &text));
                    }
                }
                None => {}
            }
            shown.push(finding);
        }
        if shown.is_empty() && !too.is_empty() {
            let too: Vec<String> = too.into_iter().map(|&at| nth(at)).collect();
            return Some(Ok(Completion::ignored_with(format!("fails too, by cause {}", too.join(", ")))));
        }
        let passed = show(shown, test);
        Some(passed.map(|completion| why.as_ref().map_or(completion, |why| declined(why))))
    }

    /// Returns the findings about the backend as a whole, as text.
    pub(crate) fn of_no_case(&self) -> Option<String> {
        let mut text = String::new();
        let written = self.others.iter().try_for_each(|finding| terminal::write_finding(&mut text, finding));
        written.ok().filter(|()| !text.is_empty()).map(|()| text.trim_end().to_owned())
    }

    /// Returns the hazards and a table of the causes, for the end of the run; `None` if both are empty.
    pub(crate) fn summary(&self) -> Option<String> {
        let hazards: Vec<String> = self.hazards.iter().map(|hazard| format!("hazard: {hazard}")).collect();
        let parts = [(!hazards.is_empty()).then(|| hazards.join("\n")), self.of_causes()];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join("\n"))
    }

    fn of_causes(&self) -> Option<String> {
        if self.defects.is_empty() {
            return None;
        }
        let total: usize = self.defects.iter().map(|(calls, _)| calls).sum();
        let s = if self.defects.len() == 1 { "" } else { "s" };
        let mut text = format!(
            "{total} calls fail, by {} cause{s}; the smallest call of each is a test that fails, the others are ignored:\n",
            self.defects.len()
        );
        for (at, (calls, cause)) in self.defects.iter().enumerate() {
            let _ = writeln!(text, "{:>4}  {calls:>6}  {cause}", at + 1);
        }
        let _ = write!(text, "{ALL}=1 makes each a test that fails");
        Some(text)
    }
}

/// Returns true if the command line selects a test, by the rules of `libtest-mimic`.
pub(crate) fn is_wanted(arguments: &Arguments, test: &Test) -> bool {
    let name = test.to_string();
    !arguments.skip.iter().any(|skipped| name.contains(skipped.as_str()))
        && arguments.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use normative_conformance::reference::Family;

    use super::*;

    #[test]
    fn a_command_line_asks_for_the_tests_that_libtest_runs() {
        let topic = "onnx/axes".into();
        let test = Test::Case { topic, family: Family::Onnx, name: "a-case/ReduceL1-13/f32".into() };
        for (words, wanted) in [
            ("", true),
            ("onnx/axes", true),
            ("f64", false),
            ("--skip generated::", true),
            ("--skip a-case", false),
            ("onnx --skip f32", false),
        ] {
            let words = std::iter::once("program").chain(words.split_whitespace()).map(OsString::from);
            assert_eq!(is_wanted(&Arguments::from_iter(words), &test), wanted);
        }
    }
}
