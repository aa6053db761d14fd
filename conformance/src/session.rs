//! Runs one backend from its first call to its report.
//!
//! [`Job`] lists the calls. [`Job::judge`] asks them: cases, then generated calls, then calls that explain
//! refusals, then some calls again; if calls fail, it makes one of each kind small. With a [`Recorder`], every
//! answer is written to file first, and a run that was cut off can be resumed. [`Judge`] makes a report again
//! from a record. In all cases `gather` makes the report, so that the same answers give the same report.
//!
//! Nothing here prints, parses an option or starts a process: a [`Watch`] is informed of progress.
//!
//! ```no_run
//! use normative_conformance::corpus::{load, load_ledger};
//! use normative_present::column::Column;
//! use normative_present::terminal::{self, Detail};
//! use normative_conformance::run::prepare;
//! use normative_conformance::session::Job;
//! use normative_conformance::{Answer, Stub};
//!
//! let corpus = load("cases".as_ref()).expect("well-formed cases");
//! let ledger = load_ledger("cases/clauses".as_ref()).expect("well-formed clauses");
//! let prepared = prepare(&corpus.cases).expect("cases that agree with the reference");
//! let job = Job::of(corpus.cases.len(), &prepared);
//! let mut mine = Stub::new("mine", |_| Answer::Unsupported("not yet".into()));
//! let report = job.judge(&mut mine, None, &mut ()).expect("a run without a record");
//! let mut text = String::new();
//! let column = Column { name: "mine".into(), report, again: "cargo run".into(), repro: None };
//! terminal::write(&mut text, &column, &ledger, Detail::All).expect("a String takes it");
//! println!("{text}");
//! ```

mod ask;
mod calls;
mod error;
mod gather;
mod lanes;
mod rebuild;
mod recorder;
mod refute;
mod small;
mod watch;

pub use calls::Calls;
pub use error::SessionError;
pub use rebuild::{Differs, Judge, Rebuilt};
pub use recorder::{Recorder, read, read_all};
pub use watch::{Stage, Watch};

use normative_backend::Capabilities;
use normative_reference::{Choice, Family, Spec};

use crate::corpus::Corpus;
use crate::defect::rules::WrongRules;
use crate::drive::Driver;
use crate::judge::accuracy::Class;
use crate::judge::verdict::Demands;
use crate::report::Report;
use crate::report::defects::PAIR;
use crate::report::record::{self, Header, Machine, Options};
use crate::run::Prepared;
use crate::run::property::{Id, declared_row};
use crate::run::repeat;

/// The default limit of calls to a backend to make one call small.
const SHRINK: usize = 200;

/// The calls to ask, for any backend.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The number of cases in the corpus, with those that are not asked.
    pub corpus: usize,
    /// The cases to ask.
    pub prepared: Vec<&'a Prepared<'a>>,
    /// The generated calls to ask.
    pub calls: Calls,
    /// The accuracy class demanded.
    pub accuracy: Option<Class>,
    /// The readings demanded.
    pub readings: Vec<Choice>,
    /// The number of calls asked again.
    pub repeat: usize,
    /// The most calls to the backend to make a failing call small; one call of each group of failures is made small.
    pub shrink: usize,
    /// Failures up to this number are not grouped, so no call of them is made small.
    pub few: usize,
    /// The families left out because the backend does not claim them.
    pub left_out: Vec<Family>,
    /// Simple wrong implementations that failures are compared with when they are grouped, if any.
    pub rules: Option<&'a dyn WrongRules>,
}

impl<'a> Job<'a> {
    /// Returns a job of these cases, from a corpus with `corpus` cases, and the usual generated calls of all
    /// specs. Nothing is demanded beyond the specs.
    pub fn of(corpus: usize, prepared: &'a [Prepared<'a>]) -> Self {
        let (accuracy, readings) = (None, Vec::new());
        let (calls, repeat, shrink) = (Calls::default(), repeat::USUAL, SHRINK);
        let (prepared, left_out) = (prepared.iter().collect(), Vec::new());
        Self { corpus, prepared, calls, accuracy, readings, repeat, shrink, few: PAIR, left_out, rules: None }
    }

    /// Leaves out every family that the backend does not claim: its cases, also from the size of the corpus,
    /// and its generated calls of a row.
    pub fn leave_out_unclaimed(&mut self, corpus: &Corpus, capabilities: &Capabilities) {
        let claimed = |spec: Spec| capabilities.claims(spec.family());
        self.prepared.retain(|one| claimed(one.case.call.spec()));
        self.corpus = corpus.cases.iter().filter(|case| claimed(case.call.spec())).count();
        if let Some(specs) = self.calls.specs() {
            specs.retain(|&spec| claimed(spec));
        }
        self.left_out = Family::ALL.into_iter().filter(|&family| !capabilities.claims(family)).collect();
    }

    /// Returns the demands on this backend.
    pub fn demands(&self, backend: &dyn Driver) -> Demands {
        let (accuracy, readings) = (self.accuracy, self.readings.clone());
        Demands { capabilities: backend.capabilities(), accuracy, readings }
    }

    /// Returns the generated calls for a backend with these capabilities.
    pub fn ids(&self, capabilities: &Capabilities) -> Vec<Id> {
        self.calls.ids(capabilities)
    }

    /// The generated calls that this report of the job is of.
    pub fn asked(&self, report: &Report<'_>) -> Vec<Id> {
        match &self.calls {
            Calls::Timed { seed, specs, .. } => {
                let asked = report.generated.as_ref().map_or(0, |generated| generated.total().run);
                declared_row(*seed, specs, &report.capabilities.declared).take(asked).collect()
            }
            _ => self.ids(&report.capabilities),
        }
    }

    /// The head of the record of a run of this job.
    pub fn header(&self, corpus: &Corpus, backend: &dyn Driver, settings: Settings) -> Header {
        let capabilities = backend.capabilities();
        let Settings { name, timeout, memory, again, origin: Origin { commit, started, machine } } = settings;
        Header {
            format: record::FORMAT,
            suite: env!("CARGO_PKG_VERSION").to_owned(),
            commit,
            started,
            name,
            backend: record::RecordedBackend::of(&backend.identity(), &capabilities),
            machines: vec![machine],
            options: Options { timeout, memory, repeat: self.repeat },
            corpus: self.corpus,
            digest: record::digest(corpus),
            cases: self.prepared.len(),
            seed: self.calls.seed(),
            calls: self.calls.time().is_none().then(|| self.ids(&capabilities).len()),
            accuracy: self.accuracy.map(|class| class.name().to_owned()),
            readings: self.readings.iter().map(ToString::to_string).collect(),
            left_out: self.left_out.iter().map(ToString::to_string).collect(),
            again,
        }
    }

    /// Asks the backend everything, or until `watch` stops it, and reports.
    ///
    /// # Errors
    /// Returns [`SessionError`] if a call cannot be made, or the record cannot be written or is of another run.
    pub fn judge(
        &self,
        backend: &mut dyn Driver,
        recorder: Option<&mut Recorder<'_>>,
        watch: &mut dyn Watch,
    ) -> Result<Report<'a>, SessionError> {
        ask::run(self, backend, recorder, watch)
    }
}

/// The settings of a run, for the header of a record.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The name that selected the backend.
    pub name: String,
    /// The seconds that an answer may take.
    pub timeout: u64,
    /// The bytes of address space that its process may have, if limited.
    pub memory: Option<u64>,
    /// The command that repeats the run.
    pub again: String,
    /// The origin of the run.
    pub origin: Origin,
}

/// The origin of a run. No verdict depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The commit of the suite, if known.
    pub commit: Option<String>,
    /// The start of the run in UTC, if known.
    pub started: Option<String>,
    /// The machine of the run.
    pub machine: Machine,
}

impl Default for Origin {
    /// Returns this machine, and nothing else.
    fn default() -> Self {
        Self { commit: None, started: None, machine: Machine::here() }
    }
}
