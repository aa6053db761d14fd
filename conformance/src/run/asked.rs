//! A call to be asked, and what came of it.

use crate::observed::Observed;
use normative_reference::Call;

use crate::judge::hazard::judge_call;
use crate::judge::verdict::{Demands, Sheet, Verdict};

/// A call to be asked, with everything its answer may be.
pub trait Asked {
    /// What it is called in reports and records.
    fn name(&self) -> String;
    /// The call.
    fn call(&self) -> &Call;
    /// What an answer may be.
    fn sheet(&self) -> &Sheet;
}

/// What came of a call.
#[derive(Clone, Debug)]
pub struct Judged<T> {
    /// What was asked.
    pub asked: T,
    /// What the backend answered.
    pub answer: Observed,
    /// What that proves.
    pub verdict: Verdict,
}

impl<T: Asked> Judged<T> {
    /// Judges an answer, and looks for a hazard in it.
    pub fn of(asked: T, answer: Observed, demands: &Demands) -> Self {
        let verdict = judge_call(asked.call(), asked.sheet(), &answer, demands);
        Self { asked, answer, verdict }
    }
}
