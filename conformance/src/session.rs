//! A whole run of one backend, from its first question to its report.
//!
//! [`Job`] says what is asked. [`Job::judge`] asks it: cases, then generated calls, then calls that tell why some were
//! refused, then some of both again; where some fail, it makes one of each kind small. With a [`Recorder`] every answer is on file before anything else is done with it,
//! and a run that was cut off goes on where it ended. [`Judge`] makes a report again from a record, [`merge`] makes one
//! record of those of several parts. Whichever way a report comes about, `gather` makes it, so that the same
//! answers give the same report.
//!
//! Nothing here prints, parses an option or starts a process: a [`Watch`] is told what happens.
//!
//! ```no_run
//! use normative_conformance::corpus::{load, load_ledger};
//! use normative_present::column::Column;
//! use normative_present::terminal::{self, Detail};
//! use normative_conformance::run::prepare;
//! use normative_conformance::session::Job;
//! # use normative_conformance::{Answer, Backend, Identity, reference::Call};
//! # struct Mine;
//! # impl Backend for Mine {
//! #     fn identity(&self) -> Identity {
//! #         Identity { name: "mine".into(), version: "1".into(), report_bugs_to: "me".into() }
//! #     }
//! #     fn answer(&mut self, _: &Call) -> Answer {
//! #         Answer::Unsupported("not yet".into())
//! #     }
//! # }
//!
//! let corpus = load("cases".as_ref()).expect("well-formed cases");
//! let ledger = load_ledger("cases/clauses".as_ref()).expect("well-formed clauses");
//! let prepared = prepare(&corpus.cases).expect("cases that agree with the reference");
//! let job = Job::of(corpus.cases.len(), &prepared);
//! let report = job.judge(&mut Mine, None, &mut ()).expect("a run without a record");
//! let mut text = String::new();
//! let column = Column { name: "mine".into(), report, again: "cargo run".into(), repro: None };
//! terminal::write(&mut text, &column, &ledger, Detail::Defects).expect("a String takes it");
//! println!("{text}");
//! ```

mod ask;
mod calls;
mod error;
mod faults;
mod gather;
mod lanes;
pub mod merge;
mod part;
mod rebuild;
mod recorder;
mod small;
mod watch;

pub use calls::Calls;
pub use error::SessionError;
pub use part::Part;
pub use rebuild::{Differs, Judge, Rebuilt};
pub use recorder::{Recorder, read, read_all};
pub use watch::{Stage, Watch};

use normative_backend::Capabilities;
use normative_reference::{Choice, Family, Spec};

use crate::corpus::Corpus;
use crate::defect::rules::WrongRules;
use crate::drive::Driver;
use crate::judge::accuracy::Class;
use crate::judge::verdict::{Demands, Evaluator};
use crate::report::Report;
use crate::report::record::{self, Header, Machine, Options};
use crate::run::Prepared;
use crate::run::property::Id;
use crate::run::repeat;

/// How often a backend is asked at most to make a call small, unless somebody says.
const SHRINK: usize = 200;

/// What is asked, of whomever.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// How many cases the corpus has, those that are not asked among them.
    pub corpus: usize,
    /// The cases that are asked.
    pub prepared: Vec<&'a Prepared<'a>>,
    /// The generated calls that are asked.
    pub calls: Calls,
    /// Which part of the whole this is: the cases are of this part already, the generated calls are picked by it.
    pub part: Option<Part>,
    /// The accuracy class demanded.
    pub accuracy: Option<Class>,
    /// The readings demanded.
    pub readings: Vec<Choice>,
    /// How many calls are asked again.
    pub repeat: usize,
    /// How often the backend is asked at most to make a failing call small; one call of each group of failures is.
    pub shrink: usize,
    /// What computes the values that generated calls, and calls made small, are judged by. Those of the cases are computed
    /// [already](crate::run::prepare_by).
    pub evaluator: Evaluator,
    /// The families that are left out because the backend does not claim them.
    pub left_out: Vec<Family>,
    /// Simple wrong implementations that failures are held against when they are grouped, where there are any.
    pub rules: Option<&'a dyn WrongRules>,
}

impl<'a> Job<'a> {
    /// These cases of a corpus of so many, and the usual generated calls of all specs, with nothing demanded beyond the
    /// specs.
    pub fn of(corpus: usize, prepared: &'a [Prepared<'a>]) -> Self {
        let (part, accuracy, readings) = (None, None, Vec::new());
        let (calls, repeat, shrink) = (Calls::default(), repeat::USUAL, SHRINK);
        let (prepared, left_out) = (prepared.iter().collect(), Vec::new());
        let evaluator = Evaluator::Oracle;
        Self {
            corpus,
            prepared,
            calls,
            part,
            accuracy,
            readings,
            repeat,
            shrink,
            evaluator,
            left_out,
            rules: None,
        }
    }

    /// Leaves out every family that the backend does not claim: its cases, which then are not of the corpus either, and
    /// its generated calls of a row.
    pub fn leave_out_unclaimed(&mut self, corpus: &Corpus, capabilities: &Capabilities) {
        let claimed = |spec: Spec| capabilities.claims(spec.family());
        self.prepared.retain(|one| claimed(one.case.call.spec()));
        self.corpus = corpus.cases.iter().filter(|case| claimed(case.call.spec())).count();
        if let Calls::Row { specs, .. } = &mut self.calls {
            specs.retain(|&spec| claimed(spec));
        }
        self.left_out = Family::ALL.into_iter().filter(|&family| !capabilities.claims(family)).collect();
    }

    /// What is demanded of this backend.
    pub fn demands(&self, backend: &dyn Driver) -> Demands {
        let (accuracy, readings) = (self.accuracy, self.readings.clone());
        Demands { capabilities: backend.capabilities(), accuracy, readings }
    }

    /// The generated calls that are asked of a backend that says this of itself.
    pub fn ids(&self, capabilities: &Capabilities) -> Vec<Id> {
        self.calls.ids(self.part, capabilities.slow)
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
            backend: record::Backend::of(&backend.identity(), &capabilities),
            machines: vec![machine],
            options: Options { timeout, memory, repeat: self.repeat },
            corpus: self.corpus,
            digest: record::digest(corpus),
            cases: self.prepared.len(),
            seed: self.calls.seed(),
            calls: self.ids(&capabilities).len(),
            part: self.part.map(|part| (part.index, part.of)),
            accuracy: self.accuracy.map(|class| class.name().to_owned()),
            readings: self.readings.iter().map(ToString::to_string).collect(),
            left_out: self.left_out.iter().map(ToString::to_string).collect(),
            again,
        }
    }

    /// Asks the backend everything, or as much as `watch` lets it, and reports.
    ///
    /// # Errors
    /// [`SessionError`], where a call cannot be made, or the record cannot be written or is not of this run.
    pub fn judge(
        &self,
        backend: &mut dyn Driver,
        recorder: Option<&mut Recorder<'_>>,
        watch: &mut dyn Watch,
    ) -> Result<Report<'a>, SessionError> {
        ask::run(self, backend, recorder, watch)
    }
}

/// How a backend was asked, for the head of a record.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the backend was asked for by.
    pub name: String,
    /// Seconds an answer may take.
    pub timeout: u64,
    /// Bytes of address space its process may have, where limited.
    pub memory: Option<u64>,
    /// What repeats the run.
    pub again: String,
    /// Where the run comes from.
    pub origin: Origin,
}

/// Where a run comes from: nothing that a verdict depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The commit of the suite, where it is known.
    pub commit: Option<String>,
    /// When it began, in UTC, where it is known.
    pub started: Option<String>,
    /// Where it runs.
    pub machine: Machine,
}

impl Default for Origin {
    /// This machine, and nothing else.
    fn default() -> Self {
        Self { commit: None, started: None, machine: Machine::here() }
    }
}
