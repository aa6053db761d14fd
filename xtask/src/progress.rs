//! How far a run has come, on standard error, where a person is watching.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};
use normative_conformance::Verdict;

use crate::note::is_quiet;

/// Whether a person is watching, and wants to.
pub(crate) fn is_watched() -> bool {
    std::io::stderr().is_terminal() && !is_quiet()
}

/// A bar that counts verdicts.
pub(crate) struct Progress {
    bar: ProgressBar,
    failed: usize,
}

impl Progress {
    /// A bar for so many verdicts.
    pub(crate) fn new(verdicts: usize) -> Self {
        let bar = if is_watched() {
            let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {per_sec}, {eta} left {msg}");
            ProgressBar::new(verdicts as u64)
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        } else {
            ProgressBar::hidden()
        };
        Self { bar, failed: 0 }
    }

    /// One more.
    pub(crate) fn count(&mut self, verdict: &Verdict) {
        self.failed += usize::from(verdict.is_failure());
        if self.failed > 0 {
            self.bar.set_message(format!("{} failed", self.failed));
        }
        self.bar.inc(1);
    }

    /// No more.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
