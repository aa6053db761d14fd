//! Judging one backend: a worker, a record, and everything that is to be asked.
//!
//! What `conformance` does once, `matrix` does for one backend after another.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, anyhow};
use normative_conformance::corpus::{Corpus, Ledger};
use normative_conformance::drive::{Limits, Program, StartError, Worker};
use normative_conformance::judge::accuracy::Class;
use normative_conformance::reference::Choice;
use normative_conformance::report::Report;
use normative_conformance::report::record::{self, Header};
use normative_conformance::run::Prepared;
use normative_conformance::run::property::Id;
use normative_conformance::run::repeat::{self, Pool};
use normative_conformance::{Backend as _, Capabilities, Demands};

use crate::note::note;
use crate::partition::Part;
use crate::property::Property;
use crate::recorder::Recorder;
use crate::session::Session;

/// What is asked, of whomever.
pub(crate) struct Judging<'a> {
    /// All cases there are.
    pub(crate) corpus: &'a Corpus,
    /// What the clauses say.
    pub(crate) ledger: &'a Ledger,
    /// Those that are asked.
    pub(crate) prepared: &'a [Prepared<'a>],
    /// Which generated calls are asked.
    pub(crate) property: &'a Property,
    /// Which part of the whole this is.
    pub(crate) part: Option<Part>,
    /// The accuracy class demanded.
    pub(crate) accuracy: Option<Class>,
    /// The readings demanded.
    pub(crate) readings: Vec<Choice>,
    /// How long an answer may take.
    pub(crate) patience: Duration,
    /// Bytes of address space a worker may have, where limited.
    pub(crate) memory: Option<u64>,
    /// How many calls are asked again.
    pub(crate) repeat: usize,
}

impl<'a> Judging<'a> {
    /// Cases and generated calls in whole, with nothing demanded beyond the specs.
    pub(crate) fn of(
        corpus: &'a Corpus,
        ledger: &'a Ledger,
        prepared: &'a [Prepared<'a>],
        property: &'a Property,
        patience: Duration,
    ) -> Self {
        let (part, accuracy, memory, readings) = (None, None, None, Vec::new());
        Self {
            corpus,
            ledger,
            prepared,
            property,
            part,
            accuracy,
            readings,
            patience,
            memory,
            repeat: repeat::USUAL,
        }
    }

    /// A worker within the limits set.
    ///
    /// # Errors
    /// As [`Worker::start`].
    pub(crate) fn worker(&self, program: Program) -> Result<Worker, StartError> {
        let limits = Limits { answer: self.patience, memory: self.memory, ..Limits::default() };
        Worker::start(program, limits)
    }

    /// What is demanded of that worker.
    pub(crate) fn demands(&self, worker: &Worker) -> Demands {
        let (accuracy, readings) = (self.accuracy, self.readings.clone());
        Demands { capabilities: worker.capabilities(), accuracy, readings }
    }

    /// The generated calls that are asked of a backend that says this of itself.
    pub(crate) fn ids(&self, capabilities: &Capabilities) -> Vec<Id> {
        self.property.ids(self.part, capabilities.slow)
    }

    /// Asks one backend, and keeps its answers in the record at `path`. `again` is the command that repeats it.
    ///
    /// # Errors
    /// When the worker does not start, or the record cannot be written, or not be resumed.
    pub(crate) fn run(
        &self,
        name: &str,
        program: Program,
        again: String,
        path: PathBuf,
        resume: bool,
    ) -> Result<Report<'a>> {
        let worker = self.worker(program).map_err(|error| match error {
            StartError::Unavailable(why) => anyhow!("{name} is {why}"),
            error => anyhow::Error::new(error).context("the worker did not start"),
        })?;
        let demands = self.demands(&worker);
        let ids = self.ids(&demands.capabilities);
        if let Some((calls, why)) = self.property.usual(demands.capabilities.slow) {
            note(format_args!("{name}: {calls} generated calls: {why}"));
        }
        let header = Header {
            format: record::FORMAT,
            suite: env!("CARGO_PKG_VERSION").to_owned(),
            name: name.to_owned(),
            backend: record::Backend::of(&worker.identity(), &demands.capabilities),
            machines: vec![record::Machine::here()],
            options: record::Options {
                timeout: self.patience.as_secs(),
                memory: self.memory,
                repeat: self.repeat,
            },
            corpus: self.corpus.cases.len(),
            digest: record::digest(self.corpus),
            cases: self.prepared.len(),
            seed: self.property.seed(),
            calls: ids.len(),
            part: self.part.map(|part| (part.index, part.of)),
            accuracy: self.accuracy.map(|class| class.name().to_owned()),
            readings: demands.readings.iter().map(ToString::to_string).collect(),
            again,
        };
        let recorder = Recorder::open(path, &header, resume)?;
        let (ledger, pool) = (self.ledger, Pool::new(self.repeat));
        let session = Session { worker, demands: &demands, recorder, ledger, header: &header, pool };
        session.run(self.prepared, &ids)
    }
}
