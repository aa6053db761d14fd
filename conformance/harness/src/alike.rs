//! Failures that are alike: of each kind the first few are tests that fail, with all that explains them, and the others are
//! counted. A backend with one mistake may fail thousands of cases, and nobody reads them all.
//!
//! It decides nothing about what fails: a run with a failure fails, and nextest, which sees one test at a time, sees each.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use libtest_mimic::{Completion, Failed};
use normative_conformance::report::fault::Severity;

/// The variable that makes every failure a test that fails.
const ALL: &str = "NORMATIVE_ALL";

/// Failures of one kind that are shown.
const SHOWN: usize = 10;

/// The failures so far, counted by kind.
pub(crate) struct Alike {
    /// Whether every failure is shown.
    all: bool,
    /// Whether to ask no test after the first failure.
    fail_fast: bool,
    failed: AtomicBool,
    counts: Mutex<BTreeMap<Severity, usize>>,
}

impl Alike {
    /// Nothing yet. `one_by_one`, as nextest runs tests: every failure is shown, because each process sees one test.
    pub(crate) fn of(fail_fast: bool, one_by_one: bool) -> Self {
        let all = one_by_one || std::env::var_os(ALL).is_some();
        Self { all, fail_fast, failed: AtomicBool::new(false), counts: Mutex::default() }
    }

    /// The completion of a test that `--fail-fast` skips because another failed; `None` where the test is to be run.
    pub(crate) fn left_out(&self) -> Option<Completion> {
        let is_over = self.fail_fast && self.failed.load(Ordering::Relaxed);
        is_over.then(|| Completion::ignored_with("not asked: --fail-fast"))
    }

    /// Counts a failure of this kind, and turns it into an ignored test where enough of its kind are shown already.
    pub(crate) fn settle(
        &self,
        kind: Option<Severity>,
        outcome: Result<Completion, Failed>,
    ) -> Result<Completion, Failed> {
        let Err(failed) = outcome else { return outcome };
        self.failed.store(true, Ordering::Relaxed);
        let Some(kind) = kind else { return Err(failed) };
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(kind).or_default();
        *count += 1;
        if self.all || *count <= SHOWN {
            return Err(failed);
        }
        Ok(Completion::ignored_with(format!("fails too: {}", kind.says())))
    }

    /// A table of the failures by kind, for the end of the run; `None` where all of them were shown.
    pub(crate) fn summary(&self) -> Option<String> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if self.all || counts.values().all(|count| *count <= SHOWN) {
            return None;
        }
        let total: usize = counts.values().sum();
        let mut text = format!(
            "{total} cases fail; of each kind the first {SHOWN} are shown, the others are ignored:\n"
        );
        for (kind, count) in counts.iter() {
            let _ = writeln!(text, "  {count:>6}  {}", kind.says());
        }
        let _ = write!(text, "{ALL}=1 shows all; `normative conformance` groups them by cause");
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(alike: &Alike, kind: Option<Severity>) -> bool {
        alike.settle(kind, Err("why".into())).is_err()
    }

    #[test]
    fn of_each_kind_the_first_few_fail_and_all_are_counted() {
        let alike = Alike::of(false, false);
        assert!((0..SHOWN).all(|_| fails(&alike, Some(Severity::Wrong))));
        assert_eq!(alike.summary(), None);
        assert!(!fails(&alike, Some(Severity::Wrong)) && !fails(&alike, Some(Severity::Wrong)));
        assert!(fails(&alike, Some(Severity::Died)));
        // What is no case is always shown.
        assert!((0..20).all(|_| fails(&alike, None)));
        assert!(alike.settle(Some(Severity::Wrong), Ok(Completion::Completed)).is_ok());
        let summary = alike.summary().unwrap();
        assert!(summary.starts_with("13 cases fail;"), "{summary}");
        assert!(summary.contains("      12  wrong values\n") && summary.contains("       1  no answer\n"));
        assert!(alike.left_out().is_none());
    }

    #[test]
    fn one_test_at_a_time_always_fails() {
        let alike = Alike::of(false, true);
        assert!((0..2 * SHOWN).all(|_| fails(&alike, Some(Severity::Form))));
        assert_eq!(alike.summary(), None);
    }

    #[test]
    fn fail_fast_asks_nothing_after_the_first_failure() {
        let alike = Alike::of(true, false);
        assert!(alike.settle(None, Ok(Completion::Completed)).is_ok() && alike.left_out().is_none());
        assert!(fails(&alike, Some(Severity::Refused)));
        assert!(alike.left_out().is_some());
    }
}
