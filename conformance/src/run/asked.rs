//! A call to be asked, and what came of it.

use crate::observed::Observed;
use normative_reference::Call;

use crate::judge::hazard;
use crate::judge::verdict::{Demands, Sheet, Verdict, judge};

/// A call to be asked, with everything its answer may be.
pub trait Asked {
    /// What it is called in reports and records.
    fn name(&self) -> String;
    /// The call.
    fn call(&self) -> &Call;
    /// What an answer may be.
    fn sheet(&self) -> &Sheet;
}

/// Judges an answer to a call, as [`judge`] does, and looks for a hazard in it.
pub fn judge_call(call: &Call, sheet: &Sheet, answer: &Observed, demands: &Demands) -> Verdict {
    let mut verdict = judge(sheet, answer, demands);
    if let (Verdict::Conforms { accepting, hazard, .. }, Observed::Tensor(tensor)) = (&mut verdict, answer) {
        let found = hazard::of(call, tensor, accepting.combinations(), &demands.capabilities);
        *hazard = found.map(Box::new);
    }
    verdict
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
