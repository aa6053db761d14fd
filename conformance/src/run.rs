//! Asks one backend the selected cases and judges its answers.
//!
//! [`prepare`] rules on every case and compares its file with the reference; if they disagree, nothing is
//! judged. [`Run`] then asks the backend, one call after another in the given order. Nothing is skipped: every
//! call gets a verdict, unless the backend [is halted](Driver::is_halted), which ends the run.

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
use crate::judge::verdict::{Demands, Sheet, Verdict};
use crate::observed::{Death, Observed};
use crate::parallel;
use crate::run::probe::Doubts;

/// A case whose file agrees with the reference, and its ruling.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    /// The case.
    pub case: &'a Case,
    /// All answers that the spec allows.
    pub sheet: Sheet,
}

/// The reason why a case cannot be run.
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
        /// The error about its size.
        source: TensorError,
    },
}

/// Rules on every case.
///
/// # Errors
/// Returns an error for every case whose file and the reference disagree.
pub fn prepare<'a>(
    cases: impl IntoIterator<Item = &'a Case>,
) -> Result<Vec<Prepared<'a>>, Vec<PrepareError>> {
    let cases: Vec<&Case> = cases.into_iter().collect();
    let (mut prepared, mut errors) = (Vec::with_capacity(cases.len()), Vec::new());
    for one in parallel::each(&cases, |case| prepare_one(case)) {
        match one {
            Ok(one) => prepared.push(one),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(prepared) } else { Err(errors) }
}

fn prepare_one(case: &Case) -> Result<Prepared<'_>, PrepareError> {
    let mut sheet = Sheet::of(&case.call).map_err(|source| {
        let (file, name) = (case.file.clone(), case.name.clone());
        PrepareError::TooLarge { file, line: case.line, name, source }
    })?;
    sheet.whole = case.claim.is_of_the_whole();
    if !case.clauses.is_empty() {
        claim::check(case, &sheet)?;
    }
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

/// The most calls handed to a backend together: as many as a worker is sent at once. The next ones are made
/// while it answers these.
const MAX_BATCH: usize = crate::drive::WINDOW;

/// The size of the first batch. Two calls, because the next call of a batch exposes a worker that misbehaves after its
/// answer; and no more, because a worker that answers nothing is given up only after a batch.
const FIRST_BATCH: usize = 2;

/// The target time of a batch, including the making of the next one. Observers of a run act between batches.
const BATCH_TIME: Duration = Duration::from_millis(50);

/// A run over cases or generated calls: asks a backend one call after another, and judges in order.
pub struct Run<'b, I: Iterator, B: Driver + ?Sized = dyn Driver> {
    asked: I,
    /// The calls to ask next, made while the backend answered the last ones.
    ahead: VecDeque<I::Item>,
    backend: &'b mut B,
    demands: &'b Demands,
    batch: usize,
    judged: VecDeque<Judged<I::Item>>,
}

impl<'b, I: Iterator<Item: Asked>, B: Driver + ?Sized> Run<'b, I, B> {
    /// Returns a run over these calls.
    pub fn over(asked: I, backend: &'b mut B, demands: &'b Demands) -> Self {
        Self { asked, ahead: VecDeque::new(), backend, demands, batch: FIRST_BATCH, judged: VecDeque::new() }
    }

    /// Returns the backend.
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
            // Calls made ahead are not asked and get no verdict.
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

/// Returns the size of the next batch, from the size and the time of the last.
fn next_batch(calls: usize, took: Duration) -> usize {
    let in_time = BATCH_TIME.as_secs_f64() / took.as_secs_f64().max(f64::MIN_POSITIVE) * calls as f64;
    // Growth is at most twofold, because a single batch may be fast by chance.
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

/// Asks `backend` every case, and then the calls that explain refusals. Returns the verdicts, in order.
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
