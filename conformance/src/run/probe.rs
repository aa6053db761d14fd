//! Asks further calls, to find out why calls were refused.
//!
//! A refusal alone does not show its cause. A backend that cannot load f16 refuses a call that names an axis
//! twice, and this tells nothing about how it reads axes named twice. So a run derives further calls from its
//! answers and asks them last: the [`twin`] of a call whose refusal is one honest reading; the plainest call of
//! a type (`support`) if the spec leaves types to the implementation; the plainest call of a form (`form`) if
//! the backend claims values alone. The calls depend on the answers alone, so a report made again from a record
//! is the same.
//!
//! Nothing here judges an answer: [`Settled`] takes claims of a verdict back, and never adds a failure.

use std::collections::{BTreeMap, HashMap};

use normative_backend::{Capabilities, Extent};
use normative_reference::{Call, Expected, Outcome, rule};

use crate::digest::Digest;
use crate::judge::compare::Mismatch;
use crate::judge::verdict::{Sheet, Verdict};
use crate::observed::Observed;
use crate::run::asked::{Asked, Judged};

mod form;
mod support;
pub mod twin;

use form::{Form, is_of_form};
use support::Types;

/// Answers whose verdict depends on further calls. The caller offers every answer of a run, in order.
#[derive(Clone, Debug, Default)]
pub struct Doubts {
    doubts: Vec<Doubt>,
    /// The capabilities that the backend states.
    capabilities: Capabilities,
}

/// An answer, and the further calls that it needs.
#[derive(Clone, Debug)]
struct Doubt {
    /// The name of the case or the generated call.
    name: String,
    about: About,
}

#[derive(Clone, Debug)]
enum About {
    /// The refusal is one reading of the call. Every reading accepts its twin.
    Reading { twin: Box<Call> },
    /// The call is valid, and its types are the implementation's choice.
    Types(Types),
    /// The call is valid, and the backend claims values alone: it chooses its own types and forms.
    Form(Form),
}

/// The results of the further calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settled {
    effects: BTreeMap<String, Effect>,
    /// The number of calls asked.
    pub asked: usize,
    /// The causes of refusals that tell no question, by the words in which their twins were refused.
    pub causes: BTreeMap<String, Cause>,
}

/// The refusals that have one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The number of refusals.
    pub calls: usize,
    /// The name of the first.
    pub first: String,
}

/// The change to a verdict.
#[derive(Clone, Debug, PartialEq)]
enum Effect {
    TellsNothing,
    Unsupported(String),
}

impl Doubts {
    /// Returns an empty set for a backend with these capabilities.
    pub fn of(capabilities: &Capabilities) -> Self {
        Self { doubts: Vec::new(), capabilities: capabilities.clone() }
    }

    /// Notes an answer. Returns true if [`Settled::apply`] may change its verdict.
    pub fn offer<T: Asked>(&mut self, Judged { asked, answer, verdict }: &Judged<T>) -> bool {
        self.note(|| asked.name(), asked.call(), answer, verdict)
    }

    fn note(
        &mut self,
        name: impl FnOnce() -> String,
        call: &Call,
        answer: &Observed,
        verdict: &Verdict,
    ) -> bool {
        let extent = || self.capabilities.extent(call.spec().family());
        let is_refusal = matches!(answer, Observed::Rejected(_));
        let about = match verdict {
            Verdict::Conforms { .. } if is_refusal && extent() == Extent::InFull && is_one_reading(call) => {
                twin::of(call).map(|twin| About::Reading { twin: Box::new(twin) })
            }
            Verdict::Fails(_) => match extent() {
                Extent::ValuesAlone => Form::of(call, verdict).map(About::Form),
                Extent::InFull if is_wrong_refusal(verdict) => Types::of(call).map(About::Types),
                Extent::InFull => None,
            },
            _ => None,
        };
        let doubted = about.is_some();
        self.doubts.extend(about.map(|about| Doubt { name: name(), about }));
        doubted
    }

    /// Returns the calls to ask, each once, sorted by key alone, so that parts of a run can be joined.
    pub fn calls(&self) -> Vec<Call> {
        let calls = self.doubts.iter().flat_map(|doubt| doubt.about.calls());
        calls.map(|call| (key(&call), call)).collect::<BTreeMap<_, _>>().into_values().collect()
    }

    /// Asks those calls, all at once, and settles the meaning of the refusals.
    pub fn settle(self, ask: &mut dyn FnMut(&[&Call]) -> Vec<Observed>) -> Settled {
        let calls = self.calls();
        let asked: Vec<&Call> = calls.iter().collect();
        let answers = if asked.is_empty() { Vec::new() } else { ask(&asked) };
        self.settle_by(&calls.iter().map(key).zip(answers).collect())
    }

    /// Settles the meaning of the refusals by the answers to those calls, each under the [`key`] of its call. A
    /// call without an answer settles nothing.
    pub fn settle_by(self, answers: &HashMap<String, Observed>) -> Settled {
        let asked = self.calls().iter().filter(|call| answers.contains_key(&key(call))).count();
        let mut settled = Settled { asked, ..Settled::default() };
        for Doubt { name, about } in self.doubts {
            match about {
                About::Reading { twin } => {
                    let Some(why) = answers.get(&key(&twin)).and_then(refusal) else { continue };
                    let cause = settled.causes.entry(why);
                    let cause = cause.or_insert_with(|| Cause { calls: 0, first: name.clone() });
                    cause.calls += 1;
                    settled.effects.insert(name, Effect::TellsNothing);
                }
                About::Types(types) => {
                    let calls = types.calls();
                    let answers: Vec<_> = calls.iter().map(|call| answers.get(&key(call))).collect();
                    if let Some(why) = types.unsupported(&answers) {
                        settled.effects.insert(name, Effect::Unsupported(why));
                    }
                }
                About::Form(form) => {
                    if let Some(why) = form.unsupported(answers.get(&key(&form.plainest))) {
                        settled.effects.insert(name, Effect::Unsupported(why));
                    }
                }
            }
        }
        settled
    }
}

impl About {
    /// Returns the calls to ask about it.
    fn calls(&self) -> Vec<Call> {
        match self {
            Self::Reading { twin } => vec![Call::clone(twin)],
            Self::Types(types) => types.calls(),
            Self::Form(form) => vec![Call::clone(&form.plainest)],
        }
    }
}

impl Settled {
    /// Returns the changed verdict after the further calls, if it changes. A verdict on another answer than the
    /// doubted refusal stays.
    pub fn verdict(&self, name: &str, verdict: &Verdict) -> Option<Verdict> {
        match (self.effects.get(name)?, verdict) {
            (Effect::TellsNothing, Verdict::Conforms { .. }) => Some(verdict.telling_nothing()),
            (Effect::Unsupported(why), Verdict::Fails(_)) if is_of_form(verdict) => {
                Some(Verdict::Unsupported(why.clone()))
            }
            _ => None,
        }
    }

    /// Replaces the verdict by the [settled one](Self::verdict).
    pub fn apply(&self, name: &str, verdict: &mut Verdict) {
        if let Some(settled) = self.verdict(name, verdict) {
            *verdict = settled;
        }
    }

    /// Returns true if the call of this name is unsupported because of its type or form.
    pub fn is_unsupported(&self, name: &str) -> bool {
        matches!(self.effects.get(name), Some(Effect::Unsupported(_)))
    }
}

/// The verdict on one answer, after calls that tell why it is a refusal. `ask` is called only where there are some.
///
/// # Errors
/// Returns the errors of `ask`.
pub fn settle_alone<E>(
    call: &Call,
    answer: &Observed,
    mut verdict: Verdict,
    capabilities: &Capabilities,
    mut ask: impl FnMut(&[&Call]) -> Result<Vec<Observed>, E>,
) -> Result<Verdict, E> {
    let mut doubts = Doubts::of(capabilities);
    if doubts.note(String::new, call, answer, &verdict) {
        let calls = doubts.calls();
        let answers = ask(&calls.iter().collect::<Vec<_>>())?;
        let settled = doubts.settle_by(&calls.iter().map(key).zip(answers).collect());
        settled.apply("", &mut verdict);
    }
    Ok(verdict)
}

/// Returns true if some readings of a call refuse it, and others do not.
fn is_one_reading(call: &Call) -> bool {
    let ruled_out = |outcome: &Outcome| matches!(outcome, Outcome::Rejected(_));
    // This cheap check settles most refusals: the call is invalid.
    if rule(call).alternatives.iter().all(|alternative| ruled_out(&alternative.outcome)) {
        return false;
    }
    let refuses = |expected: &Expected| matches!(expected, Expected::Rejection(_));
    Sheet::of(call).is_ok_and(|sheet| {
        let refusing = sheet.entries.iter().filter(|entry| refuses(&entry.expected)).count();
        0 < refusing && refusing < sheet.entries.len()
    })
}

/// Returns true if the only fault of the answer is that it is a refusal.
fn is_wrong_refusal(verdict: &Verdict) -> bool {
    let refused = |mismatch: &Mismatch| matches!(mismatch, Mismatch::Rejected { .. });
    matches!(verdict, Verdict::Fails(misses) if misses.iter().all(|miss| refused(&miss.mismatch)))
}

/// Returns the reason why a call was not performed, in the words of the backend or the driver.
fn refusal(answer: &Observed) -> Option<String> {
    match answer {
        Observed::Rejected(why) | Observed::Unsupported(why) => Some(why.clone()),
        Observed::Died(death) => Some(death.to_string()),
        Observed::Tensor(_) | Observed::Oversized { .. } | Observed::ChangedData(_) => None,
    }
}

/// Returns an identifier of a call; records name an answer by it.
pub fn key(call: &Call) -> String {
    Digest::of_call(call).to_string()
}
