//! A call to ask, and its judged answer.

use crate::observed::Observed;
use normative_reference::Call;

use crate::judge::hazard;
use crate::judge::verdict::{Demands, Sheet, Verdict, judge};

/// A call to ask, with all answers that its spec allows.
pub trait Asked {
    /// Returns the name in reports and records.
    fn name(&self) -> String;
    /// Returns the call.
    fn call(&self) -> &Call;
    /// Returns all answers that the spec allows.
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

/// A call with its answer and verdict.
#[derive(Clone, Debug)]
pub struct Judged<T> {
    /// The call asked.
    pub asked: T,
    /// The backend's answer.
    pub answer: Observed,
    /// The verdict on it.
    pub verdict: Verdict,
}

impl<T: Asked> Judged<T> {
    /// Judges an answer, and looks for a hazard in it.
    pub fn of(asked: T, answer: Observed, demands: &Demands) -> Self {
        let verdict = judge_call(asked.call(), asked.sheet(), &answer, demands);
        Self { asked, answer, verdict }
    }
}
