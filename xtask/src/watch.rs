//! What a person sees of a run as it goes: how far it has come, and how long it took. Ctrl-C stops it.

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
}

impl Terminal {
    /// Before anything is asked.
    pub(crate) fn new() -> Self {
        Self { progress: Progress::new(0), started: Instant::now() }
    }
}

impl Watch for Terminal {
    fn begins(&mut self, _: Stage, calls: usize) {
        *self = Self { progress: Progress::new(calls), started: Instant::now() };
    }

    fn judged(&mut self, verdict: &Verdict) {
        self.progress.count(verdict);
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
        interrupt::wanted()
    }
}
