//! Counts which element types of each spec a backend supports, over all answers, and their accuracy.
//!
//! A type is supported if a tensor answers a call that no reading refuses, right or wrong. If there is no such
//! answer, the backend's words tell why. The type is then missing, unless the spec leaves its types to the
//! implementation. Nothing here is a verdict: refusals count as failures elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use normative_backend::Extent;
use normative_reference::{Call, Dtype, Family, Outcome, Reading, Spec, rule};

use crate::judge::compare::{Accuracy, Mismatch};
use crate::judge::verdict::Verdict;
use crate::run::measured::Precision;

/// The support of each element type of each spec.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Support(BTreeMap<(Spec, Dtype), Served>);

/// The counts of the calls of one spec and element type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Served {
    /// The number of calls that no reading refuses.
    pub valid: usize,
    /// The number of them answered with a tensor, right or wrong.
    pub answered: usize,
    /// The number of them that crashed the backend or timed out.
    pub died: usize,
    /// The reasons for the other ones, refused or unsupported, in the backend's words, with counts.
    pub words: BTreeMap<String, usize>,
    /// The number of answers that no reading accepts, of all calls.
    pub wrong: usize,
    measured: Option<Accuracy>,
}

/// The state of support of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Every valid call is answered.
    Supported,
    /// Some valid calls are answered.
    InPart,
    /// No valid call is answered, and some brought the backend down.
    Died,
    /// No valid call is answered, and the spec or the claim leaves the types to the implementation.
    Refused,
    /// No valid call is answered, though the spec lists the type.
    Missing,
    /// No valid call was asked.
    NotAsked,
}

impl State {
    /// Returns its word in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::InPart => "in part",
            Self::Died => "died",
            Self::Refused => "refused",
            Self::Missing => "MISSING",
            Self::NotAsked => "not asked",
        }
    }
}

impl Support {
    /// Counts the verdict on a call. `valid` is true if no reading of the call refuses it.
    pub fn count(&mut self, call: &Call, valid: bool, verdict: &Verdict) {
        let served = self.0.entry((call.spec(), call.data.dtype())).or_default();
        if let Some(accuracy) = verdict.accuracy() {
            served.measured = Some(served.measured.map_or(*accuracy, |sum| sum.and(accuracy)));
        }
        let refusal = refusal(verdict);
        served.wrong += usize::from(matches!(verdict, Verdict::Fails(_)) && refusal.is_none());
        if !valid || tells_refusal(verdict) {
            return;
        }
        served.valid += 1;
        match (verdict, refusal) {
            (_, Some(why)) => *served.words.entry(why.to_owned()).or_default() += 1,
            (Verdict::Crashed(_) | Verdict::TimedOut(_), _) => served.died += 1,
            _ => served.answered += 1,
        }
    }

    /// Adds the counts of other calls.
    pub fn extend(&mut self, others: &Self) {
        for (&of, other) in &others.0 {
            let served = self.0.entry(of).or_default();
            served.valid += other.valid;
            served.answered += other.answered;
            served.died += other.died;
            served.wrong += other.wrong;
            for (why, count) in &other.words {
                *served.words.entry(why.clone()).or_default() += count;
            }
            served.measured = match (served.measured, other.measured) {
                (Some(one), Some(other)) => Some(one.and(&other)),
                (one, other) => one.or(other),
            };
        }
    }

    /// Returns every type that a spec lists, for each spec with an asked call.
    pub fn listed(&self) -> impl Iterator<Item = (Spec, Dtype, Served)> {
        let specs: BTreeSet<Spec> = self.0.keys().map(|&(spec, _)| spec).collect();
        specs.into_iter().flat_map(move |spec| {
            let of =
                move |&dtype: &Dtype| (spec, dtype, self.0.get(&(spec, dtype)).cloned().unwrap_or_default());
            spec.rules().dtypes.iter().map(of)
        })
    }
}

impl Served {
    /// Returns the state of the type, for a spec and the extent that the backend claims of its family.
    pub fn state(&self, spec: Spec, extent: Extent) -> State {
        match self {
            Self { valid: 0, .. } => State::NotAsked,
            Self { answered: 0, died: 1.., .. } => State::Died,
            Self { answered: 0, .. } if leaves_types(spec) || extent == Extent::ValuesAlone => State::Refused,
            Self { answered: 0, .. } => State::Missing,
            Self { answered, valid, .. } if answered < valid => State::InPart,
            _ => State::Supported,
        }
    }

    /// Returns the accuracy of the floats over all answers, right or wrong. `None` if no error was measured.
    pub fn precision(&self) -> Option<Precision> {
        self.measured.map(Precision::from).filter(|precision| precision.elements > 0)
    }
}

/// Returns true if every reading of a call describes an answer.
pub fn is_valid(call: &Call) -> bool {
    let refuses = |outcome: &Outcome| matches!(outcome, Outcome::Rejected(_) | Outcome::OutOfScope(_));
    !rule(call).alternatives.iter().any(|reading| refuses(&reading.outcome))
}

/// Returns true if the implementation chooses its types: OpenVINO's T is "any supported numeric type", and
/// WebNN lets an implementation support fewer than it lists (`opSupportLimits`).
fn leaves_types(spec: Spec) -> bool {
    matches!(spec.family(), Family::OpenVino | Family::WebNn)
}

/// Returns true if the answer tells a question that some reading answers with a refusal, such as integer
/// overflow. Such a call does not show if the type is supported.
fn tells_refusal(verdict: &Verdict) -> bool {
    let Verdict::Conforms { accepting, .. } = verdict else { return false };
    accepting.told().iter().any(|choice| choice.question.readings().contains(&Reading::Reject))
}

/// Returns the reason why a valid call was refused or unsupported, in the backend's words.
fn refusal(verdict: &Verdict) -> Option<&str> {
    match (verdict, verdict.mismatch()) {
        (Verdict::Unsupported(why), _) => Some(why),
        (_, Some(Mismatch::Rejected { message })) => Some(message),
        _ => None,
    }
}
