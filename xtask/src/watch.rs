//! What a person sees of a run as it goes: how far it has come, and how long it took. Ctrl-C stops it, and so does the
//! last failure that was wanted.

use std::time::Instant;

use normative_conformance::Verdict;
use normative_conformance::session::{Stage, Watch};

use crate::interrupt;
use crate::note::note;
use crate::progress::Progress;

/// A person in front of a terminal, or nobody.
pub(crate) struct Terminal {
    progress: Progress,
    started: Instant,
    /// Failures until the run stops, where there is to be an end of them.
    left: Option<usize>,
}

impl Terminal {
    /// Before anything is asked. The run stops after so many failures, where there is to be an end of them.
    pub(crate) fn new(max_failures: Option<usize>) -> Self {
        Self { progress: Progress::new(0), started: Instant::now(), left: max_failures }
    }
}

impl Watch for Terminal {
    fn begins(&mut self, _: Stage, calls: usize) {
        self.progress = Progress::new(calls);
        self.started = Instant::now();
    }

    fn judged(&mut self, verdict: &Verdict) {
        self.progress.count(verdict);
        if verdict.is_failure() {
            self.left = self.left.map(|left| left.saturating_sub(1));
        }
    }

    fn ends(&mut self, stage: Stage, asked: usize, on_record: usize) {
        self.progress.finish();
        let what = match stage {
            Stage::Cases => "cases",
            Stage::Calls => "generated calls",
            Stage::Probes => {
                return note(format_args!("{asked} calls more, to tell why others were refused"));
            }
        };
        let on_record = match on_record {
            0 => String::new(),
            some => format!(", {some} of them on record"),
        };
        let seconds = self.started.elapsed().as_secs_f64();
        note(format_args!("{asked} {what}{on_record} in {seconds:.2} s"));
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
        let (mut terminal, mut stopped) = (Terminal::new(max), Vec::new());
        let (fails, declines) = (Verdict::Crashed("SIGSEGV".into()), Verdict::Unsupported("not this".into()));
        terminal.begins(Stage::Cases, 4);
        for verdicts in [[&declines, &declines], [&declines, &fails], [&fails, &declines]] {
            for verdict in verdicts {
                terminal.judged(verdict);
            }
            stopped.push(terminal.stops());
        }
        assert_eq!(stopped, stops);
    }
}
