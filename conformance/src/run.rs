//! Drives one backend through the cases it was selected for.
//!
//! [`prepare`] rules on every case and holds its file against the reference; a corpus that
//! disagrees with the reference judges nobody. [`Run`] then asks the backend, one call after another in
//! the order they are given. Nothing is skipped: what goes in comes out with a verdict, unless the backend
//! [is halted](Driver::is_halted), which ends the run.

mod asked;
pub mod hazards;
pub mod measured;
pub mod neighbours;
pub mod probe;
pub mod property;
pub mod readings;
pub mod repeat;
pub mod support;
pub mod tally;

pub use asked::{Asked, Judged, judge_call};

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use normative_reference::{Call, TensorError};
use thiserror::Error;

use crate::corpus::Case;
use crate::corpus::claim::{self, ClaimError};
use crate::drive::Driver;
use crate::judge::verdict::{Demands, Evaluator, Sheet, Verdict};
use crate::observed::{Death, Observed};
use crate::parallel;
use crate::run::probe::Doubts;

/// A case, ruled on and found to agree with the reference.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    /// The case.
    pub case: &'a Case,
    /// Everything an answer may be.
    pub sheet: Sheet,
}

/// Why a case cannot be run.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// The file and the reference disagree.
    #[error(transparent)]
    Claim(#[from] ClaimError),
    /// The reference cannot hold the result.
    #[error("{file}:{line}: case {name}: {source}", file = file.display())]
    TooLarge {
        /// The case's file.
        file: std::path::PathBuf,
        /// The line its case starts on, from 1.
        line: usize,
        /// The expanded case's name.
        name: String,
        /// What is too large.
        source: TensorError,
    },
}

/// Rules on every case, by the oracle.
///
/// # Errors
/// Every case whose file and the reference disagree.
pub fn prepare<'a>(
    cases: impl IntoIterator<Item = &'a Case>,
) -> Result<Vec<Prepared<'a>>, Vec<PrepareError>> {
    prepare_by(Evaluator::Oracle, cases)
}

/// Rules on every case, with values that this evaluator computes.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_by<'a>(
    evaluator: Evaluator,
    cases: impl IntoIterator<Item = &'a Case>,
) -> Result<Vec<Prepared<'a>>, Vec<PrepareError>> {
    let cases: Vec<&Case> = cases.into_iter().collect();
    let (mut prepared, mut errors) = (Vec::with_capacity(cases.len()), Vec::new());
    for one in parallel::each(&cases, |case| prepare_one(evaluator, case)) {
        match one {
            Ok(one) => prepared.push(one),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(prepared) } else { Err(errors) }
}

fn prepare_one(evaluator: Evaluator, case: &Case) -> Result<Prepared<'_>, PrepareError> {
    let mut sheet = Sheet::by(evaluator, &case.call).map_err(|source| {
        let (file, name) = (case.file.clone(), case.name.clone());
        PrepareError::TooLarge { file, line: case.line, name, source }
    })?;
    sheet.whole = case.claim.is_of_the_whole();
    claim::check(case, &sheet)?;
    Ok(Prepared { case, sheet })
}

impl Asked for &Prepared<'_> {
    fn name(&self) -> String {
        self.case.name.clone()
    }

    fn call(&self) -> &Call {
        &self.case.call
    }

    fn sheet(&self) -> &Sheet {
        &self.sheet
    }
}

/// Most calls handed to a backend together: as many as a worker is sent at once, so that the next are made while
/// it answers all of these.
const MAX_BATCH: usize = crate::drive::WINDOW;

/// Calls handed over at first. A worker that does something after its answer is found out by the next call of its batch, so
/// they are several.
const FIRST_BATCH: usize = 16;

/// How long a batch should take, the making of the next one included: who watches or stops a run hears of every batch.
const BATCH_TIME: Duration = Duration::from_millis(50);

/// Asks a backend one call after another and judges its answers, in order. Cases and generated calls alike.
pub struct Run<'b, I: Iterator, B: Driver + ?Sized = dyn Driver> {
    asked: I,
    /// The calls to ask next, made while the last ones were answered.
    ahead: VecDeque<I::Item>,
    backend: &'b mut B,
    demands: &'b Demands,
    batch: usize,
    judged: VecDeque<Judged<I::Item>>,
}

impl<'b, I: Iterator<Item: Asked>, B: Driver + ?Sized> Run<'b, I, B> {
    /// A run over these calls.
    pub fn over(asked: I, backend: &'b mut B, demands: &'b Demands) -> Self {
        Self { asked, ahead: VecDeque::new(), backend, demands, batch: FIRST_BATCH, judged: VecDeque::new() }
    }

    /// Who is asked.
    pub const fn backend(&mut self) -> &mut B {
        self.backend
    }

    fn ask(&mut self) {
        let (started, batch) = (Instant::now(), self.batch);
        if self.ahead.is_empty() {
            self.ahead.extend(self.asked.by_ref().take(batch));
        }
        let asked: Vec<I::Item> = self.ahead.drain(..batch.min(self.ahead.len())).collect();
        let due = batch.saturating_sub(self.ahead.len());
        let mut make = || self.ahead.extend(self.asked.by_ref().take(due));
        if asked.is_empty() {
            return;
        }
        let calls: Vec<&Call> = asked.iter().map(Asked::call).collect();
        let answers = self.backend.ask_all_while(&calls, &mut make);
        self.batch = next_batch(calls.len(), started.elapsed());
        if self.backend.is_halted() {
            // What was made is not asked, and has no verdict.
            self.ahead.clear();
            let judged = asked.into_iter().zip(answers);
            self.judged.extend(judged.map(|(asked, answer)| Judged::of(asked, answer, self.demands)));
            return;
        }
        let missing = format!("{} answers came to {} calls", answers.len(), calls.len());
        let missing = std::iter::repeat_with(|| Observed::Died(Death::Crashed(missing.clone())));
        let judged = asked.into_iter().zip(answers.into_iter().chain(missing));
        self.judged.extend(judged.map(|(asked, answer)| Judged::of(asked, answer, self.demands)));
    }
}

/// How many calls to hand over after so many took so long.
fn next_batch(calls: usize, took: Duration) -> usize {
    let in_time = BATCH_TIME.as_secs_f64() / took.as_secs_f64().max(f64::MIN_POSITIVE) * calls as f64;
    // One that was fast by chance is not followed by a hundred times as many.
    (in_time as usize).clamp(1, (calls * 2).min(MAX_BATCH))
}

impl<I: Iterator<Item: Asked>, B: Driver + ?Sized> Iterator for Run<'_, I, B> {
    type Item = Judged<I::Item>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.judged.is_empty() && !self.backend.is_halted() {
            self.ask();
        }
        self.judged.pop_front()
    }
}

/// Asks `backend` every case, and what tells why some were refused: the verdicts, in order.
pub fn run(prepared: &[Prepared<'_>], backend: &mut dyn Driver, demands: &Demands) -> Vec<Verdict> {
    let mut doubts = Doubts::of(&demands.capabilities);
    let note = |judged: Judged<&Prepared<'_>>| {
        doubts.offer(&judged);
        judged.verdict
    };
    let mut verdicts: Vec<Verdict> = Run::over(prepared.iter(), &mut *backend, demands).map(note).collect();
    let settled = doubts.settle(&mut |calls| backend.ask_all(calls));
    for (one, verdict) in prepared.iter().zip(&mut verdicts) {
        settled.apply(&one.case.name, verdict);
    }
    verdicts
}
