//! The property run: judges generated calls like cases.
//!
//! The property: every answer is one that the reference allows, and every question is read the same way
//! wherever it comes up. Calls form an endless row. Each call depends only on the seed and its place, so it can
//! be made again by itself. Only verdicts against the backend are kept in full, so a run may take any time.

mod id;

use std::collections::BTreeMap;

use normative_backend::Capabilities;
use normative_reference::{Call, Spec, TensorError};

use crate::corpus::cited;
use crate::corpus::{self, ClauseRef, Ledger};
use crate::drive::Driver;
use crate::judge::verdict::{Demands, Sheet, Verdict};
use crate::run::hazards::Hazards;
use crate::run::measured::Measured;
use crate::run::neighbours::Neighbours;
use crate::run::probe::{Doubts, Settled};
use crate::run::readings::Answers;
use crate::run::support::Support;
use crate::run::tally::Tally;
use crate::run::{Asked, Judged, Run};

pub use id::{Id, calls_of_rounds, declared_row, row};

/// Returns the name of a generated call in reports, in the form of a case name.
pub fn name(id: Id, call: &Call) -> String {
    corpus::name(&format!("generated-{id}"), call.spec(), call.data.dtype())
}

/// A generated call that speaks against the backend.
#[derive(Clone, Debug)]
pub struct Find {
    /// The identifier of the call.
    pub id: Id,
    /// The call.
    pub call: Call,
    /// The verdict.
    pub verdict: Verdict,
}

/// The results of generated calls.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// The seed of the row.
    pub seed: u64,
    /// The counts of each spec that was called, in spec order.
    pub tallies: BTreeMap<Spec, Tally>,
    /// Every call that speaks against the backend, in row order.
    pub finds: Vec<Find>,
    /// Every conforming call, in the order of judging.
    pub conforming: Vec<Id>,
    /// The statements of the answers about readings.
    pub readings: Answers<Id>,
    /// The accuracy over all answers.
    pub measured: Measured,
    /// The reasons for unsupported calls, in the backend's words, and their counts.
    pub unsupported: BTreeMap<String, usize>,
    /// The unsupported calls that have answered neighbours.
    pub neighbours: Neighbours,
    /// The element types and their support.
    pub support: Support,
    /// The accepted answers that are not the norm.
    pub hazards: Hazards<Id>,
}

/// A generated call, with all answers that its spec allows.
#[derive(Clone, Debug)]
pub struct Made {
    /// The identifier of the call.
    pub id: Id,
    /// The call.
    pub call: Call,
    /// All answers that the spec allows.
    pub sheet: Sheet,
}

impl Made {
    /// Returns the call of this place with row-major data.
    ///
    /// # Errors
    /// Returns [`TensorError`] when the reference cannot hold a result, which a generated call never asks for.
    pub fn of(id: Id) -> Result<Self, TensorError> {
        Self::for_backend(id, &Capabilities::default())
    }

    /// Returns the call of this place for a backend with these capabilities.
    ///
    /// # Errors
    /// Fails like [`of`](Self::of).
    pub fn for_backend(id: Id, capabilities: &Capabilities) -> Result<Self, TensorError> {
        let call = id.call_for(capabilities);
        let sheet = Sheet::of(&call)?;
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

/// Asks the first `calls` calls of these specs, and the calls that explain refusals.
///
/// # Errors
/// Fails like [`Made::of`].
pub fn run(
    seed: u64,
    calls: usize,
    specs: &[Spec],
    backend: &mut dyn Driver,
    demands: &Demands,
) -> Result<Generated, TensorError> {
    let mut generated = Generated { seed, ..Generated::default() };
    let mut failed = Ok(());
    let capabilities = &demands.capabilities;
    let ids = declared_row(seed, specs, &capabilities.declared);
    let made = ids.take(calls).map_while(|id| match Made::for_backend(id, capabilities) {
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
    /// Counts the verdict on one call.
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

    /// Counts calls that were held back until the meaning of their refusals was [settled](Settled).
    pub fn count_settled(&mut self, held: Vec<Judged<Made>>, settled: &Settled) {
        for mut judged in held {
            let name = judged.asked.name();
            settled.apply(&name, &mut judged.verdict);
            // A type or form that is unsupported for all its calls hides nothing, so it is not counted there.
            if settled.is_unsupported(&name) { self.count_beside(&judged) } else { self.count(&judged) }
        }
        self.finds.sort_by_key(|find| find.id);
        self.conforming.sort_unstable();
    }

    /// Returns the counts over all specs.
    pub fn total(&self) -> Tally {
        Tally::sum(self.tallies.values())
    }
}

/// Returns the clause that decides against an answer.
pub fn clause(call: &Call, verdict: &Verdict, ledger: &Ledger) -> ClauseRef {
    cited::clause(call, verdict.mismatch(), ledger)
}

impl Find {
    /// Returns a name in the form of a case name.
    pub fn name(&self) -> String {
        name(self.id, &self.call)
    }

    /// Returns the clause that the backend violates.
    pub fn clause(&self, ledger: &Ledger) -> ClauseRef {
        clause(&self.call, &self.verdict, ledger)
    }
}
