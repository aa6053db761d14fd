//! What each test does: asks a worker, judges, and says what is wrong in the words of the report.

use std::env;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use libtest_mimic::{Completion, Failed};
use normative_conformance::corpus::{Case, Claim, Ledger};
use normative_conformance::drive::{Limits, Program};
use normative_conformance::reference::{Question, Spec};
use normative_conformance::report::Report;
use normative_conformance::report::finding::{self, Finding, Kind};
use normative_conformance::run::{Prepared, prepare};
use normative_conformance::session::{Calls, Job};
use normative_conformance::{Driver as _, Observed, Verdict, Worker};

use crate::causes::Causes;
use crate::corpus;
use crate::known::Known;
use crate::name::{CALLS, SEED, Test};
use crate::outcome::{Outcome, declined, show};

/// The variable that says how many seconds an answer may take.
const TIMEOUT: &str = "NORMATIVE_TIMEOUT";

/// The variable that says how many seconds the backend may take to start.
const HELLO_TIMEOUT: &str = "NORMATIVE_HELLO_TIMEOUT";

/// The workers, and what came of asking them.
pub(crate) struct Judge {
    /// The argument that makes a worker of this executable.
    worker: &'static str,
    /// Those that nobody is asking anything: as many as tests ran at a time.
    idle: Mutex<Vec<Worker>>,
    /// What is expected to fail.
    known: Option<Known>,
    /// What came of the cases, where they were asked together.
    causes: Causes,
    /// Whether to ask no test after the first failure.
    fail_fast: bool,
    failed: AtomicBool,
    asked: AtomicBool,
    executed: AtomicBool,
}

impl Judge {
    /// A judge of this executable, started with `worker`.
    pub(crate) fn of(worker: &'static str, known: Option<Known>, fail_fast: bool) -> Self {
        let flag = || AtomicBool::new(false);
        let (idle, causes, failed) = (Mutex::default(), Causes::default(), flag());
        Self { worker, idle, known, causes, fail_fast, failed, asked: flag(), executed: flag() }
    }

    /// Asks all these cases together, so that their tests show causes rather than failures, or a baseline that is written names
    /// causes. Where that cannot be done, each test asks for itself, and says why.
    pub(crate) fn ask_together(&mut self, tests: &[Test]) -> Outcome {
        let mut cases = Vec::new();
        for test in tests {
            if let Test::Case { topic, name } = test {
                cases.extend(corpus::file(topic)?.iter().find(|case| case.name == *name));
            }
        }
        let mut worker = start(self.worker)?;
        let prepared = prepared(cases)?;
        let report = judged(&mut worker, &prepared, prepared.len(), Calls::none())?;
        if let Some(known) = &self.known {
            known.note(&report);
            return Ok(Completion::Completed);
        }
        let fails = report.failures().next().is_some();
        let ledger = if fails { corpus::whole_ledger()? } else { Ledger::default() };
        self.causes = Causes::of(&report, finding::all(&report, &ledger, ""));
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        Ok(Completion::Completed)
    }

    /// A table of the failing cases by cause; `None` where all of them were shown.
    pub(crate) fn summary(&self) -> Option<String> {
        self.causes.summary()
    }

    /// What is wrong with the backend, and with no case in particular.
    pub(crate) fn of_no_case(&self) -> Option<String> {
        self.causes.of_no_case()
    }

    /// Writes the baseline, where that is wanted.
    pub(crate) fn save(&self) -> Result<(), String> {
        self.known.as_ref().map_or(Ok(()), Known::save)
    }

    /// Whether something was asked, and the backend took up none of it.
    pub(crate) fn shows_nothing(&self) -> bool {
        self.asked.load(Ordering::Relaxed) && !self.executed.load(Ordering::Relaxed)
    }

    /// Runs a test.
    pub(crate) fn test(&self, test: &Test) -> Outcome {
        if self.fail_fast && self.failed.load(Ordering::Relaxed) {
            return Ok(Completion::ignored_with("not asked: --fail-fast"));
        }
        let outcome = match test {
            Test::TakesUp => self.asking(takes_up),
            Test::Case { topic, name } => match self.causes.outcome(name, test) {
                Some(outcome) => self.noted(outcome),
                None => self.asking(|worker| self.case(worker, topic, name, test)),
            },
            Test::Readings(spec, question) => {
                self.asking(|worker| self.readings(worker, *spec, *question, test))
            }
            Test::Generated(spec) => self.asking(|worker| self.generated(worker, *spec, test)),
            Test::Baseline => show(self.known.as_ref().map_or_else(|| Ok(Vec::new()), Known::stale)?, test),
        };
        self.failed.fetch_or(outcome.is_err(), Ordering::Relaxed);
        outcome
    }

    /// Runs a test of a worker's answers.
    fn asking(&self, test: impl FnOnce(&mut Worker) -> Outcome) -> Outcome {
        let worker = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut worker = worker.map_or_else(|| start(self.worker), Ok)?;
        let outcome = test(&mut worker);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        self.noted(outcome)
    }

    /// Notes that something was asked, and whether it was taken up.
    fn noted(&self, outcome: Outcome) -> Outcome {
        self.asked.store(true, Ordering::Relaxed);
        if !matches!(outcome, Ok(Completion::Ignored { .. })) {
            self.executed.store(true, Ordering::Relaxed);
        }
        outcome
    }

    fn case(&self, worker: &mut Worker, topic: &str, name: &str, test: &Test) -> Outcome {
        let case = corpus::file(topic)?.iter().find(|case| case.name == name);
        let case = case.ok_or_else(|| format!("{topic} has no case {name}"))?;
        let prepared = prepared([case])?;
        let report = judged(worker, &prepared, 1, Calls::none())?;
        let unsupported = all_unsupported(&report);
        let fails = report.failures().next().is_some();
        let ledger = if fails { corpus::ledger(case.call.spec())? } else { Ledger::default() };
        settle(finding::all(&self.held(report, test), &ledger, ""), unsupported, test)
    }

    /// The open cases of a spec about one question, together.
    fn readings(&self, worker: &mut Worker, spec: Spec, question: Question, test: &Test) -> Outcome {
        let is_about =
            |case: &&Case| matches!(case.claim, Claim::Open { question: about, .. } if about == question);
        let cases = corpus::of_spec(spec)?;
        let prepared = prepared(cases.into_iter().filter(is_about))?;
        // The cases that it leaves out may tell more of the question.
        let corpus = prepared.len() + 1;
        let report = judged(worker, &prepared, corpus, Calls::none())?;
        let unsupported = all_unsupported(&report);
        let report = self.held(report, test);
        // What fails by itself is a test by itself; other questions have theirs.
        let name = format!(": {question}");
        let twice = finding::all(&report, &Ledger::default(), "").into_iter();
        let twice =
            twice.filter(|finding| finding.kind == Kind::Inconsistent && finding.name.ends_with(&name));
        settle(twice, unsupported, test)
    }

    fn generated(&self, worker: &mut Worker, spec: Spec, test: &Test) -> Outcome {
        let calls = Calls::Row { seed: SEED, calls: Some(CALLS), specs: vec![spec] };
        let report = judged(worker, &[], 1, calls)?;
        let generated = report.generated.as_ref().filter(|generated| generated.total().executed() == 0);
        let reason = generated.map(|generated| generated.unsupported.keys().next());
        let unsupported = reason.map(|reason| declined(reason.map_or("", String::as_str)));
        settle(finding::all(&self.held(report, test), &corpus::ledger(spec)?, ""), unsupported, test)
    }

    /// A test's report, with what it says of the failures that are known.
    fn held<'a>(&self, report: Report<'a>, test: &Test) -> Report<'a> {
        match &self.known {
            Some(known) => known.hold(report, test),
            None => report,
        }
    }
}

fn start(argument: &str) -> Result<Worker, Failed> {
    let program = Program { args: vec![argument.into()], ..Program::new(env::current_exe()?) };
    let seconds = |name: &str, usual: Duration| match env::var(name) {
        Ok(seconds) => seconds
            .parse()
            .map(Duration::from_secs)
            .map_err(|_| format!("{name}: expected a number of seconds, got {seconds:?}")),
        Err(_) => Ok(usual),
    };
    let usual = Limits::default();
    let (answer, hello) = (seconds(TIMEOUT, usual.answer)?, seconds(HELLO_TIMEOUT, usual.hello)?);
    Ok(Worker::start(program, Limits { answer, hello, ..usual })?)
}

/// The report of a run without a record. No test asks anything again: what the process answered before would be in it.
fn judged<'a>(
    worker: &mut Worker,
    prepared: &'a [Prepared<'a>],
    corpus: usize,
    calls: Calls,
) -> Result<Report<'a>, Failed> {
    let job = Job { calls, repeat: 0, shrink: 0, ..Job::of(corpus, prepared) };
    Ok(job.judge(worker, None, &mut ())?)
}

fn prepared<'a>(cases: impl IntoIterator<Item = &'a Case>) -> Result<Vec<Prepared<'a>>, Failed> {
    prepare(cases)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n").into())
}

/// Case after case, until one is taken up.
fn takes_up(worker: &mut Worker) -> Outcome {
    for topic in corpus::topics() {
        let cases = corpus::file(topic)?;
        let calls: Vec<_> = cases.iter().map(|case| &case.call).collect();
        let answers = worker.ask_all(&calls);
        if answers.iter().any(|answer| !matches!(answer, Observed::Unsupported(_))) {
            return Ok(Completion::Completed);
        }
    }
    Err("the backend says that it supports no case".into())
}

/// Why, if no call was taken up.
fn all_unsupported(report: &Report<'_>) -> Option<Completion> {
    let mut verdicts = report.results.iter().map(|(_, verdict)| verdict);
    let reason = |verdict: &Verdict| match verdict {
        Verdict::Unsupported(why) => Some(why.clone()),
        _ => None,
    };
    let first = reason(verdicts.next()?)?;
    verdicts.all(|verdict| reason(verdict).is_some()).then(|| declined(&first))
}

/// What is wrong is shown, also where nothing was taken up: it may be known to fail.
fn settle(
    findings: impl IntoIterator<Item = Finding>,
    unsupported: Option<Completion>,
    test: &Test,
) -> Outcome {
    show(findings, test).map(|completion| unsupported.unwrap_or(completion))
}
