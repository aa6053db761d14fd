//! The property run: generated calls, judged like cases.
//!
//! The property is that every answer is what the reference says it may be, and that a question is read
//! the same way wherever it is met. Calls stand in an endless row; which call stands where depends on
//! the seed and the place alone, so each can be made again by itself. No verdict is kept but those
//! against the backend: a run may be as long as there is time.

mod id;

use std::collections::BTreeMap;

use normative_backend::Capabilities;
use normative_reference::{Call, Spec, TensorError};

use crate::corpus::cited;
use crate::corpus::{self, ClauseRef, Ledger};
use crate::drive::Driver;
use crate::judge::verdict::{Demands, Evaluator, Sheet, Verdict};
use crate::run::hazards::Hazards;
use crate::run::measured::Measured;
use crate::run::neighbours::Neighbours;
use crate::run::probe::{Doubts, Settled};
use crate::run::readings::Answers;
use crate::run::support::Support;
use crate::run::tally::Tally;
use crate::run::{Asked, Judged, Run};

pub use id::{Id, calls_of_rounds, row};

/// What the call of this place is called in reports: a name as cases have one.
pub fn name(id: Id, call: &Call) -> String {
    corpus::name(&format!("generated-{id}"), call.spec(), call.data.dtype())
}

/// A generated call that speaks against the backend.
#[derive(Clone, Debug)]
pub struct Find {
    /// Which one.
    pub id: Id,
    /// The call.
    pub call: Call,
    /// What is wrong.
    pub verdict: Verdict,
}

/// What came of generated calls.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// The row they stand in.
    pub seed: u64,
    /// The counts of each spec that was called, in spec order.
    pub tallies: BTreeMap<Spec, Tally>,
    /// Every call that speaks against the backend, in the order of the row.
    pub finds: Vec<Find>,
    /// Every call that conforms, in the order in which they were judged.
    pub conforming: Vec<Id>,
    /// What the answers say of readings.
    pub readings: Answers<Id>,
    /// What was measured, over all answers.
    pub measured: Measured,
    /// Why calls were declined, in the backend's words, and how many.
    pub unsupported: BTreeMap<String, usize>,
    /// Where calls are declined whose neighbours are not.
    pub neighbours: Neighbours,
    /// Which element types are supported.
    pub support: Support,
    /// Answers that are accepted and are not the norm.
    pub hazards: Hazards<Id>,
}

/// A generated call, with everything its answer may be.
#[derive(Clone, Debug)]
pub struct Made {
    /// Which one.
    pub id: Id,
    /// The call.
    pub call: Call,
    /// What an answer may be.
    pub sheet: Sheet,
}

impl Made {
    /// The call of this place, of data that lie row-major, ruled on by the oracle.
    ///
    /// # Errors
    /// [`TensorError`] when the reference cannot hold a result, which no call that is generated asks for.
    pub fn of(id: Id) -> Result<Self, TensorError> {
        Self::by(Evaluator::Oracle, id, &Capabilities::default())
    }

    /// The call of this place as it is asked of a backend that says this of itself, with values that this evaluator computes.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn by(evaluator: Evaluator, id: Id, capabilities: &Capabilities) -> Result<Self, TensorError> {
        let call = id.call_for(capabilities);
        let sheet = Sheet::by(evaluator, &call)?;
        Ok(Self { id, call, sheet })
    }
}

impl Asked for Made {
    fn name(&self) -> String {
        self.id.to_string()
    }

    fn call(&self) -> &Call {
        &self.call
    }

    fn sheet(&self) -> &Sheet {
        &self.sheet
    }
}

/// Makes the first `calls` calls of these specs, and those that tell why some of them were refused.
///
/// # Errors
/// As [`Made::of`].
pub fn run(
    seed: u64,
    calls: usize,
    specs: &[Spec],
    backend: &mut dyn Driver,
    demands: &Demands,
) -> Result<Generated, TensorError> {
    let mut generated = Generated { seed, ..Generated::default() };
    // Without a spec the row has no end and no call.
    let calls = if specs.is_empty() { 0 } else { calls };
    let mut failed = Ok(());
    let capabilities = &demands.capabilities;
    let made =
        row(seed, specs).take(calls).map_while(|id| match Made::by(Evaluator::Oracle, id, capabilities) {
            Ok(made) => Some(made),
            Err(error) => {
                failed = Err(error);
                None
            }
        });
    let (mut doubts, mut held) = (Doubts::of(&demands.capabilities), Vec::new());
    for judged in Run::over(made, &mut *backend, demands) {
        if doubts.offer(&judged) { held.push(judged) } else { generated.count(&judged) }
    }
    failed?;
    let settled = doubts.settle(&mut |calls| backend.ask_all(calls));
    generated.count_settled(held, &settled);
    Ok(generated)
}

impl Generated {
    /// Counts what came of one call.
    pub fn count(&mut self, judged: &Judged<Made>) {
        self.neighbours.count(
            &name(judged.asked.id, &judged.asked.call),
            &judged.asked.call,
            &judged.verdict,
        );
        self.count_beside(judged);
    }

    /// Counts everything but the neighbours.
    fn count_beside(&mut self, Judged { asked: Made { id, call, sheet }, verdict, .. }: &Judged<Made>) {
        self.tallies.entry(call.spec()).or_default().count(verdict, sheet.entries.len() > 1);
        self.support.count(call, sheet.takes_all(), verdict);
        if let Some(accuracy) = verdict.accuracy() {
            self.measured.add(call, accuracy);
        }
        match verdict {
            Verdict::Conforms { accepting, hazard, .. } => {
                if let Some(hazard) = hazard {
                    self.hazards.add(call, hazard, *id);
                }
                self.readings.add(call, accepting, *id);
                self.conforming.push(*id);
            }
            Verdict::Unsupported(why) => *self.unsupported.entry(why.clone()).or_default() += 1,
            Verdict::Fails(_) | Verdict::Crashed(_) | Verdict::TimedOut(_) => {
                self.finds.push(Find { id: *id, call: call.clone(), verdict: verdict.clone() });
            }
        }
    }

    /// Counts what came of calls that were held back until it was [settled](Settled) what their refusals mean.
    pub fn count_settled(&mut self, held: Vec<Judged<Made>>, settled: &Settled) {
        for mut judged in held {
            let name = judged.asked.name();
            settled.apply(&name, &mut judged.verdict);
            // That the type or the form is not supported is known of all its calls, and hides nothing.
            if settled.is_unsupported(&name) { self.count_beside(&judged) } else { self.count(&judged) }
        }
        self.finds.sort_by_key(|find| find.id);
        self.conforming.sort_unstable();
    }

    /// The counts over all specs.
    pub fn total(&self) -> Tally {
        Tally::sum(self.tallies.values())
    }
}

/// The clause that decides against an answer.
pub(crate) fn clause(call: &Call, verdict: &Verdict, ledger: &Ledger) -> ClauseRef {
    let mismatch = match verdict {
        Verdict::Fails(misses) => misses.first().map(|miss| &miss.mismatch),
        _ => None,
    };
    cited::clause(call, mismatch, ledger)
}

impl Find {
    /// A name as cases have one.
    pub fn name(&self) -> String {
        name(self.id, &self.call)
    }

    /// The clause that the backend does not keep to.
    pub fn clause(&self, ledger: &Ledger) -> ClauseRef {
        clause(&self.call, &self.verdict, ledger)
    }
}
