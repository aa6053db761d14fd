//! The progress of a run on a terminal, and its times. A run stops on Ctrl-C, or at the maximum of failures.

use std::time::{Duration, Instant};

use normative_conformance::Verdict;
use normative_conformance::display::grouped;
use normative_conformance::session::{Stage, Watch};

use crate::interrupt;
use crate::note::note;
use crate::progress::Progress;

/// A watcher of a run that shows progress on standard error.
pub(crate) struct Terminal {
    /// The backend's name, if others are judged at the same time.
    name: Option<String>,
    progress: Progress,
    /// The start of the stage.
    started: Instant,
    /// The number of next verdicts that are on record.
    on_record: usize,
    /// The time of asking and judging; `None` if some answers are on record.
    spent: Option<Duration>,
    /// When generated calls end, where time ends them.
    until: Option<Instant>,
    /// Failures until the run stops, where there is to be an end of them. Those on record do not count.
    left: Option<usize>,
}

impl Terminal {
    /// Starts before the first call. `max_failures` limits the failures of the run.
    pub(crate) fn new(name: Option<String>, max_failures: Option<usize>, time: Option<Duration>) -> Self {
        let progress = Progress::new(0, None);
        let (started, spent) = (Instant::now(), Some(Duration::ZERO));
        let until = time.and_then(|time| started.checked_add(time));
        Self { name, progress, started, on_record: 0, spent, until, left: max_failures }
    }

    /// Prints a note on this backend, with its name if others are judged at the same time.
    pub(crate) fn note(&self, text: &str) {
        match &self.name {
            Some(name) => note(format_args!("{name}: {text}")),
            None => note(text),
        }
    }

    /// Adds to the time of the run, which answers on record make unknown.
    fn spend(&mut self, took: Duration, on_record: usize) {
        self.spent = self.spent.filter(|_| on_record == 0).map(|spent| spent + took);
    }
}

impl Watch for Terminal {
    fn begins(&mut self, stage: Stage, calls: usize, on_record: usize) {
        let name = self.name.as_deref();
        self.progress = match stage {
            Stage::Cases | Stage::Calls | Stage::Probes => Progress::new(calls, name),
            Stage::Defects => Progress::step(format!("grouping {} failures", grouped(calls)), name),
        };
        self.started = Instant::now();
        self.on_record = on_record;
    }

    fn judged(&mut self, verdict: &Verdict) {
        let is_on_record = self.on_record > 0;
        self.on_record = self.on_record.saturating_sub(1);
        self.progress.count(verdict.is_failure(), self.until);
        // Failures on record were counted by the run that asked those calls.
        if verdict.is_failure() && !is_on_record {
            self.left = self.left.map(|left| left.saturating_sub(1));
        }
    }

    fn ends(&mut self, stage: Stage, asked: usize, on_record: usize) {
        self.progress.finish();
        let took = self.started.elapsed();
        let seconds = took.as_secs_f64();
        let what = match stage {
            Stage::Cases => "cases",
            Stage::Calls => "generated calls",
            Stage::Probes => {
                self.spend(took, on_record);
                return self.note(&format!("{asked} more calls to find out why others were refused"));
            }
            Stage::Defects => {
                let run = self.spent.filter(|spent| !spent.is_zero());
                let part = run.map(|spent| seconds / spent.as_secs_f64());
                let part = part.map(|part| format!(", {part:.2} of the time of the run")).unwrap_or_default();
                return self.note(&format!("{asked} failures grouped in {seconds:.2} s{part}"));
            }
        };
        self.spend(took, on_record);
        let on_record = match on_record {
            0 => String::new(),
            some => format!(", {some} of them on record"),
        };
        self.note(&format!("{asked} {what}{on_record} in {seconds:.2} s"));
    }

    fn stops(&self) -> bool {
        interrupt::wanted() || self.left == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::of_many(Some(2), &[false, false, true])]
    #[case::of_one(Some(1), &[false, true, true])]
    #[case::of_any_number(None, &[false, false, false])]
    fn a_run_stops_at_the_last_failure_wanted(#[case] max: Option<usize>, #[case] stops: &[bool]) {
        let (mut terminal, mut stopped) = (Terminal::new(None, max, None), Vec::new());
        let (fails, declines) = (Verdict::Crashed("SIGSEGV".into()), Verdict::Unsupported("not this".into()));
        terminal.begins(Stage::Cases, 4, 0);
        for verdicts in [[&declines, &declines], [&declines, &fails], [&fails, &declines]] {
            for verdict in verdicts {
                terminal.judged(verdict);
            }
            stopped.push(terminal.stops());
        }
        assert_eq!(stopped, stops);
    }

    #[test]
    fn failures_on_record_do_not_stop_a_resumed_run() {
        let mut terminal = Terminal::new(None, Some(1), None);
        let fails = Verdict::Crashed("SIGSEGV".into());
        terminal.begins(Stage::Cases, 4, 2);
        for stops in [false, false, true] {
            terminal.judged(&fails);
            assert_eq!(terminal.stops(), stops);
        }
    }
}
