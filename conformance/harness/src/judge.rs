//! Runs each test: asks a worker, judges, and shows failures as the report does.

use std::collections::BTreeMap;
use std::env;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use libtest_mimic::{Completion, Failed};
use normative_conformance::corpus::{Case, CaseClaim, Ledger};
use normative_conformance::drive::{Limits, Program};
use normative_conformance::reference::{Question, Spec};
use normative_conformance::report::Report;
use normative_conformance::report::finding::{self, Finding, FindingKind};
use normative_conformance::run::property::Generated;
use normative_conformance::run::{Prepared, prepare};
use normative_conformance::session::{Calls, Job};
use normative_conformance::{Driver as _, Observed, Verdict, Worker};

use crate::causes::{Causes, Told};
use crate::corpus;
use crate::known::Known;
use crate::name::{CALLS, SEED, Test};
use crate::outcome::{Outcome, declined, show};

/// The environment variable with the most seconds of an answer.
const TIMEOUT: &str = "NORMATIVE_TIMEOUT";

/// The environment variable with the most seconds of the backend's start.
const HELLO_TIMEOUT: &str = "NORMATIVE_HELLO_TIMEOUT";

/// The workers, and facts about the run.
pub(crate) struct Judge {
    /// The argument that makes a worker of this executable.
    worker: &'static str,
    /// The workers without a call: as many as tests have run at a time.
    idle: Mutex<Vec<Worker>>,
    /// The failures that a baseline expects.
    pub(crate) known: Option<Known>,
    /// The verdicts on the cases that were asked together.
    pub(crate) causes: Causes,
    /// True if no test is asked after the first failure.
    fail_fast: bool,
    failed: AtomicBool,
    asked: AtomicBool,
    executed: AtomicBool,
}

impl Judge {
    /// Returns a judge that starts this executable with `worker` as its argument.
    pub(crate) fn of(worker: &'static str, known: Option<Known>, fail_fast: bool) -> Self {
        let flag = || AtomicBool::new(false);
        let (idle, causes, failed) = (Mutex::default(), Causes::default(), flag());
        Self { worker, idle, known, causes, fail_fast, failed, asked: flag(), executed: flag() }
    }

    /// Asks all these cases and generated calls together, so that tests show causes rather than failures, or a new
    /// baseline names causes of cases. If that fails, each test asks by itself, and shows the error.
    pub(crate) fn ask_together(&mut self, tests: &[Test]) -> Outcome {
        let mut cases = Vec::new();
        for test in tests {
            if let Test::Case { topic, name, .. } = test {
                cases.extend(corpus::file(topic)?.iter().find(|case| case.name == *name));
            }
        }
        let mut worker = start(self.worker)?;
        let prepared = prepared(cases)?;
        let mut report = judged(&mut worker, &prepared, prepared.len(), Calls::none())?;
        if let Some(known) = &self.known {
            known.note(&report);
            return Ok(Completion::Completed);
        }
        let fails = report.failures().next().is_some();
        let ledger = if fails { corpus::whole_ledger()? } else { Ledger::default() };
        let findings = finding::all(&report, &ledger, "");
        let (mut told, mut calls) = (BTreeMap::new(), Generated { seed: SEED, ..Generated::default() });
        for test in tests {
            let Test::Generated(spec) = test else { continue };
            let one = judged(&mut worker, &[], 1, of_spec(*spec))?;
            let findings = finding::all(&one, &corpus::ledger(*spec)?, "");
            told.insert(test.to_string(), Told { findings, declined: none_executed(&one) });
            let Some(one) = one.generated else { continue };
            calls.tallies.extend(one.tallies);
            calls.finds.extend(one.finds);
            calls.conforming.extend(one.conforming);
        }
        report.generated = Some(calls);
        // The groups of the cases alone are no longer those of all failures.
        report.grouped = None;
        self.causes = Causes::of(&report, findings, told);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        Ok(Completion::Completed)
    }

    /// Returns true if the backend declined every call that was asked.
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
            Test::Case { topic, name, .. } => match self.causes.outcome(name, test) {
                Some(outcome) => self.noted(outcome),
                None => self.asking(|worker| self.case(worker, topic, name, test)),
            },
            Test::Readings(spec, question) => {
                self.asking(|worker| self.readings(worker, *spec, *question, test))
            }
            Test::Generated(spec) => match self.causes.outcome(&test.to_string(), test) {
                Some(outcome) => self.noted(outcome),
                None => self.asking(|worker| self.generated(worker, *spec, test)),
            },
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

    /// Notes that a test asked something, and whether the backend did it.
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

    /// Judges the open cases of a spec about one question, together.
    fn readings(&self, worker: &mut Worker, spec: Spec, question: Question, test: &Test) -> Outcome {
        let is_about =
            |case: &&Case| matches!(case.claim, CaseClaim::Open { question: about, .. } if about == question);
        let cases = corpus::of_spec(spec)?;
        let prepared = prepared(cases.into_iter().filter(is_about))?;
        // The corpus counts one case more, because left-out cases may say more about the question.
        let corpus = prepared.len() + 1;
        let report = judged(worker, &prepared, corpus, Calls::none())?;
        let unsupported = all_unsupported(&report);
        let report = self.held(report, test);
        // Failures of single cases, and other questions, have their own tests.
        let name = format!(": {question}");
        let twice = finding::all(&report, &Ledger::default(), "").into_iter();
        let twice = twice
            .filter(|finding| finding.kind == FindingKind::Inconsistent && finding.name.ends_with(&name));
        settle(twice, unsupported, test)
    }

    fn generated(&self, worker: &mut Worker, spec: Spec, test: &Test) -> Outcome {
        let report = judged(worker, &[], 1, of_spec(spec))?;
        let unsupported = none_executed(&report).map(|why| declined(&why));
        settle(finding::all(&self.held(report, test), &corpus::ledger(spec)?, ""), unsupported, test)
    }

    /// Returns a test's report, compared with the known failures.
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

/// Returns the generated calls of a spec.
fn of_spec(spec: Spec) -> Calls {
    Calls::Row { seed: SEED, calls: Some(CALLS), specs: vec![spec] }
}

/// Returns a reason if the backend declined every generated call, or if there are none because it does not list the operator.
fn none_executed(report: &Report<'_>) -> Option<String> {
    let Some(generated) = &report.generated else { return Some("not declared: the operator".to_owned()) };
    let declined = || generated.unsupported.keys().next().cloned().unwrap_or_default();
    (generated.total().executed() == 0).then(declined)
}

/// Returns the report of a run without a record. Nothing is repeated: earlier answers could affect it.
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
    prepare(cases).map_err(|errors| corpus::lines(&errors).into())
}

/// Asks case after case, until the backend does one.
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

/// Returns the reason if the backend declined every case.
fn all_unsupported(report: &Report<'_>) -> Option<Completion> {
    let mut verdicts = report.results.iter().map(|(_, verdict)| verdict);
    let reason = |verdict: &Verdict| match verdict {
        Verdict::Unsupported(why) => Some(why.clone()),
        _ => None,
    };
    let first = reason(verdicts.next()?)?;
    verdicts.all(|verdict| reason(verdict).is_some()).then(|| declined(&first))
}

/// Shows findings even if the backend declined every call, because a known failure may be among them.
fn settle(
    findings: impl IntoIterator<Item = Finding>,
    unsupported: Option<Completion>,
    test: &Test,
) -> Outcome {
    show(findings, test).map(|completion| unsupported.unwrap_or(completion))
}
