//! Judging one backend: its worker, its record, and the calls to ask.
//!
//! `conformance` does this once, `matrix` for several backends.

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

/// The default time for an answer in seconds; `--timeout` changes it.
pub const PATIENCE: u64 = 10;

/// The settings of a run, for any backend.
#[derive(Clone)]
pub struct Judging<'a> {
    /// All cases.
    pub corpus: &'a Corpus,
    /// The clauses.
    pub ledger: &'a Ledger,
    /// The calls to ask, and the demands on the answers.
    pub job: Job<'a>,
    /// The limits of a worker.
    pub limits: Limits,
    /// Set to ask only the families that the backend claims.
    pub claimed: bool,
    /// The number of failures that stop the run, if limited.
    pub max_failures: Option<usize>,
    /// The maximum number of workers for one backend.
    pub jobs: usize,
    /// Set when other backends run at the same time, so notes must name this one.
    pub among: bool,
}

impl<'a> Judging<'a> {
    /// Returns settings for the whole run, with no demands beyond the specs.
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

    /// Starts a worker within the limits.
    ///
    /// # Errors
    /// Those of [`Worker::start`].
    pub fn worker(&self, program: Program) -> Result<Worker, StartError> {
        Worker::start(program, self.limits)
    }

    /// Asks one backend, and writes its answers to the record at `path`. `again` is the command that repeats the run.
    ///
    /// # Errors
    /// The worker does not start, or the record cannot be written or resumed.
    pub fn run(
        &mut self,
        name: &str,
        program: &Program,
        again: String,
        path: PathBuf,
        resume: bool,
    ) -> Result<Report<'a>> {
        let worker = self.worker(program.clone()).map_err(|error| match error {
            // Keep it as the cause: `matrix` excludes unavailable backends by its type.
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
        let capabilities = worker.capabilities();
        if let Some(calls) = self.job.calls.usual(&capabilities) {
            let of = if capabilities.slow { " of a backend that declares itself slow" } else { "" };
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
        let size = jobs::workers(self.jobs, header.calls.map_or(usize::MAX, |calls| header.cases + calls));
        let mut terminal =
            Terminal::new(self.among.then(|| name.to_owned()), self.max_failures, self.job.calls.time());
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
        Ok(report)
    }
}
