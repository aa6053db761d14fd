//! Judging one backend: a worker, a record, and everything that is to be asked.
//!
//! What `conformance` does once, `matrix` does for several backends.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use normative_conformance::Driver as _;
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::display::counted;
use normative_conformance::drive::{Limits, Program, StartError, Team, Worker};
use normative_conformance::report::Report;
use normative_conformance::run::Prepared;
use normative_conformance::session::{Calls, Job, Recorder, SessionError, Settings};
use normative_rules::rules;

use crate::jobs;
use crate::note::note;
use crate::provenance;
use crate::watch::Terminal;

/// Seconds an answer may take, unless `--timeout` says otherwise.
pub const PATIENCE: u64 = 10;

/// What is asked, of whomever, and how.
#[derive(Clone)]
pub struct Judging<'a> {
    /// All cases there are.
    pub corpus: &'a Corpus,
    /// What the clauses say.
    pub ledger: &'a Ledger,
    /// What is asked.
    pub job: Job<'a>,
    /// What a worker may take.
    pub limits: Limits,
    /// Whether only the families are asked that the backend claims.
    pub claimed: bool,
    /// After how many failures the run stops, where there is to be an end of them.
    pub max_failures: Option<usize>,
    /// How many workers of one backend are asked at once, where there are calls for as many.
    pub jobs: usize,
    /// Whether other backends are judged meanwhile: what is said on the way names this one then.
    pub among: bool,
}

impl<'a> Judging<'a> {
    /// Cases and generated calls in whole, with nothing demanded beyond the specs.
    pub fn of(
        corpus: &'a Corpus,
        ledger: &'a Ledger,
        prepared: &'a [Prepared<'a>],
        calls: Calls,
        limits: Limits,
    ) -> Self {
        let rules = Some(rules());
        let job = Job { calls, rules, ..Job::of(corpus.cases.len(), prepared) };
        Self { corpus, ledger, job, limits, claimed: false, max_failures: None, jobs: 1, among: false }
    }

    /// A worker within the limits set.
    ///
    /// # Errors
    /// As [`Worker::start`].
    pub fn worker(&self, program: Program) -> Result<Worker, StartError> {
        Worker::start(program, self.limits)
    }

    /// Asks one backend, and keeps its answers in the record at `path`. `again` is the command that repeats it.
    ///
    /// # Errors
    /// When the worker does not start, or the record cannot be written, or not be resumed.
    pub fn run(
        &mut self,
        name: &str,
        program: &Program,
        again: String,
        path: PathBuf,
        resume: bool,
    ) -> Result<Report<'a>> {
        let worker = self.worker(program.clone()).map_err(|error| match error {
            // It stays the cause: whoever judges many leaves out what is not there.
            StartError::Unavailable(why) => {
                let text = format!("{name} is {why}");
                anyhow::Error::new(why).context(text)
            }
            error => anyhow::Error::new(error).context("the worker did not start"),
        })?;
        let origin = provenance::origin(program, worker.process_id());
        if self.claimed {
            self.job.leave_out_unclaimed(self.corpus, &worker.capabilities());
        }
        let slow = worker.capabilities().slow;
        if let Some(calls) = self.job.calls.usual(slow) {
            let of = if slow { " of a backend that declares itself slow" } else { "" };
            note(format_args!("{name}: {calls} generated calls, the default{of} (--property N asks N)"));
        }
        let (timeout, memory) = (self.limits.answer.as_secs(), self.limits.memory);
        let settings = Settings { name: name.to_owned(), timeout, memory, again, origin };
        let header = self.job.header(self.corpus, &worker, settings);
        let open = if resume { Recorder::resume } else { Recorder::create };
        let mut recorder = open(path, &header, self.ledger).map_err(|error| match &error {
            SessionError::Complete(path) => {
                let show = format!("cargo xtask report show {}", path.display());
                anyhow!("{error}; {show}")
            }
            _ => error.into(),
        })?;
        let mut team = Team::of(worker);
        let size = jobs::workers(self.jobs, header.cases + header.calls);
        let mut terminal = Terminal::new(self.among.then(|| name.to_owned()), self.max_failures);
        if let Err(error) = team.grow(size) {
            terminal.note(&format!("of {size} workers {} started and are asked: {error}", team.size()));
        }
        let report = self.job.judge(&mut team, Some(&mut recorder), &mut terminal)?;
        let ended = team.restarts();
        if ended > 0 {
            let (one, many) =
                ("worker process ended and was replaced", "worker processes ended and were replaced");
            terminal.note(&counted(ended, one, many));
        }
        if let Some(load) = report.clock.load {
            terminal.note(&load.to_string());
        }
        Ok(report)
    }
}
