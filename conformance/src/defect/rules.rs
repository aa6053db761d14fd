//! Compares failures with simple wrong rules, and finds rules that give the same answers.
//!
//! Traits of calls show when answers are wrong; the answers show how. A rule is a whole implementation with one
//! mistake ("only the first of the axes is reduced"), so it has an answer to every call. A rule explains a run
//! if it gives the failing answers, and is right wherever the backend is. That is evidence and not a proof: two
//! mistakes may give the same answers.
//!
//! Nothing here is a verdict, and no verdict depends on it.

use std::collections::BTreeMap;
use std::fmt;

use normative_reference::tensor::same_bits;
use normative_reference::textbook::to_f64;
use normative_reference::{Call, Choice, Dtype};

use crate::judge::compare::{ElementMismatch, Mismatch};
use crate::judge::verdict::{Demands, Sheet, Verdict, judge};
use crate::observed::Observed;
use crate::parallel;
use crate::shrink::FailureClass;

/// The number of failures of each class that every rule is tried on first, to rule most of them out.
const TRIED: usize = 100;

/// The number of failures of a group that every rule is tried on first.
const GLANCED: usize = 12;

/// The part of those that a rule must reproduce to be tried on more.
const OFTEN: f64 = 0.75;

/// The part of a group's failures that a rule must reproduce to be named.
const NEARLY: f64 = 0.9;

/// A rule that fails on `k` conforming calls must explain at least this many times `k` failures.
const AGAINST: usize = 20;

/// Two wrong values are one if the right value is at least so many times as far away as they are from each other. Sums of
/// 1,000 terms in f32 differ by less, if the value is wrong by more than a tenth.
const FARTHER: f64 = 1024.0;

/// The number of conforming calls that are checked together.
const PART: usize = 512;

/// Implementations with one mistake each.
pub trait WrongRules: fmt::Debug + Sync {
    /// Returns the mistake of each rule, in a sentence.
    fn sentences(&self) -> Vec<&'static str>;

    /// Returns the answers of the rules with these indices, in their order. `None` for a rule that answers like
    /// an implementation without a mistake.
    fn answers(&self, call: &Call, wanted: &[usize]) -> Vec<Option<Observed>>;
}

/// The agreement of a run's answers with a rule.
#[derive(Clone, Debug)]
pub struct Likeness {
    /// The mistake of the rule.
    pub sentence: &'static str,
    /// The failing calls, by their indices, with the rule's answer.
    pub same: Vec<usize>,
    /// The failing calls on which it fails in the same way, with another answer or with one that many mistakes give.
    pub similar: Vec<usize>,
    /// The number of calls on which it fails, and the backend does not.
    pub against: usize,
}

/// The likeness of two failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alike {
    /// The answers are the same, as far as their verdicts say.
    Same,
    /// They fail in the same way.
    Similar,
    /// They fail in different ways, or one does not fail.
    Not,
}

impl Alike {
    /// Returns the likeness of two verdicts on one call.
    pub fn of(one: &Verdict, other: &Verdict) -> Self {
        if FailureClass::of(one).is_none() || FailureClass::of(one) != FailureClass::of(other) {
            return Self::Not;
        }
        let (Verdict::Fails(one), Verdict::Fails(other)) = (one, other) else { return Self::Same };
        let (Some(one), Some(other)) = (one.first(), other.first()) else { return Self::Similar };
        let same = match (&one.mismatch, &other.mismatch) {
            // Each runtime has its own words for a refusal.
            (Mismatch::Rejected { .. }, Mismatch::Rejected { .. }) => true,
            (Mismatch::Element(one), Mismatch::Element(other)) => {
                (&one.index, one.wrong) == (&other.index, other.wrong) && is_same_value(one, other)
            }
            (one, other) => one == other,
        };
        if same { Self::Same } else { Self::Similar }
    }
}

/// Returns true if two wrong elements are one value, but for the order in which it was summed.
fn is_same_value(one: &ElementMismatch, other: &ElementMismatch) -> bool {
    let [due, a, b] = [one.expected, one.got, other.got].map(|bits| to_f64(one.dtype, bits));
    let is_near = matches!(one.dtype, Dtype::F32 | Dtype::F64) && (a - b).abs() * FARTHER <= (a - due).abs();
    same_bits(one.dtype, one.got, other.got) || is_near && due.is_finite() && a.is_finite()
}

impl Likeness {
    /// Returns true if the evidence for the rule outweighs that against it.
    pub const fn holds(&self) -> bool {
        self.against * AGAINST <= self.same.len()
    }
}

/// Returns the agreement of a run's answers with each rule that matches a failure. Each call has the verdict on
/// its answer if that fails, and `None` if it conforms.
pub fn likenesses(rules: &dyn WrongRules, told: &[(&Call, Option<&Verdict>)]) -> Vec<Likeness> {
    let sentences = rules.sentences();
    let failing: Vec<usize> = (0..told.len()).filter(|&at| told[at].1.is_some()).collect();
    let mut wanted: Vec<usize> = (0..sentences.len()).collect();
    let tried = parallel::each(&sample(told, &failing), |&at| alike(rules, told[at], &wanted));
    wanted.retain(|&rule| tried.iter().any(|alike| alike[rule] == Alike::Same));
    let left = uncontradicted(rules, told, wanted, failing.len());
    let wanted: Vec<usize> = left.iter().map(|(rule, _)| *rule).collect();
    let alike = parallel::each(&failing, |&at| alike(rules, told[at], &wanted));
    let of = |column: usize, kind: Alike| -> Vec<usize> {
        failing.iter().zip(&alike).filter(|(_, alike)| alike[column] == kind).map(|(&at, _)| at).collect()
    };
    let likeness = |(column, (rule, against)): (usize, (usize, usize))| Likeness {
        sentence: sentences[rule],
        same: of(column, Alike::Same),
        similar: of(column, Alike::Similar),
        against,
    };
    left.into_iter().enumerate().map(likeness).filter(Likeness::holds).collect()
}

/// Returns true if the rule with this sentence fails on a call in another way than the backend does, or not at all.
pub fn contradicts(rules: &dyn WrongRules, sentence: &str, call: &Call, verdict: &Verdict) -> bool {
    is_alike(rules, sentence, (call, Some(verdict)), Alike::Not)
}

/// Returns true if the rule with this sentence gives the answer to a call.
pub fn gives(rules: &dyn WrongRules, sentence: &str, call: &Call, verdict: Option<&Verdict>) -> bool {
    is_alike(rules, sentence, (call, verdict), Alike::Same)
}

fn is_alike(rules: &dyn WrongRules, sentence: &str, told: (&Call, Option<&Verdict>), kind: Alike) -> bool {
    let rule = rules.sentences().iter().position(|one| *one == sentence);
    rule.is_some_and(|rule| alike(rules, told, &[rule]) == [kind])
}

/// Returns the likeness of a failing answer to those of the wanted rules.
fn alike(rules: &dyn WrongRules, (call, given): (&Call, Option<&Verdict>), wanted: &[usize]) -> Vec<Alike> {
    let alike = |verdict: Option<Verdict>| match (given, verdict) {
        (Some(given), Some(verdict)) => Alike::of(given, &verdict),
        _ => Alike::Not,
    };
    verdicts(rules, call, wanted).into_iter().map(alike).collect()
}

/// Returns the verdict on the answer of each wanted rule; `None` if that is the right answer.
fn verdicts(rules: &dyn WrongRules, call: &Call, wanted: &[usize]) -> Vec<Option<Verdict>> {
    let answers = rules.answers(call, wanted);
    let sheet = if answers.iter().any(Option::is_some) { Sheet::of(call).ok() } else { None };
    let verdict = |answer: Option<Observed>| Some(judge(sheet.as_ref()?, &answer?, &Demands::default()));
    answers.into_iter().map(verdict).collect()
}

/// Returns true for each wanted rule that gives an answer which exactly these combinations of readings accept, where an
/// implementation without its mistake gives another.
pub fn accepted(
    rules: &dyn WrongRules,
    call: &Call,
    wanted: &[usize],
    combinations: &[Vec<Choice>],
) -> Vec<bool> {
    let is_same = |verdict: Option<Verdict>| {
        let Some(Verdict::Conforms { accepting, .. }) = verdict else { return false };
        accepting.combinations() == combinations
    };
    verdicts(rules, call, wanted).into_iter().map(is_same).collect()
}

/// Returns the mistake of a rule that reproduces nearly all failures of a group, though it also fails on conforming
/// calls. `so` are conforming calls that meet the group's condition: a rule that fails on more than a few of them is
/// out. A rule that is `named` already for other failures wins, then the one that fails on fewest of these, then on
/// fewest conforming `others`.
pub fn likest(
    rules: &dyn WrongRules,
    failing: &[(&Call, Option<&Verdict>)],
    so: &[&Call],
    others: &[&Call],
    named: &[&'static str],
) -> Option<&'static str> {
    let sentences = rules.sentences();
    let mut wanted: Vec<usize> = (0..sentences.len()).collect();
    // A few calls rule out nearly all rules.
    for (count, part) in [(GLANCED, OFTEN), (TRIED, NEARLY)] {
        let looked: Vec<_> = failing.iter().step_by(failing.len().div_ceil(count).max(1)).collect();
        let alike = parallel::each(&looked, |one| alike(rules, **one, &wanted));
        let same = |at: &usize| alike.iter().filter(|alike| alike[*at] == Alike::Same).count();
        let kept = (0..wanted.len()).filter(|at| same(at) as f64 >= part * looked.len() as f64);
        wanted = kept.map(|at| wanted[at]).collect();
        if wanted.is_empty() {
            return None;
        }
    }
    let some = |calls: &[&Call]| -> Vec<usize> {
        let looked: Vec<&Call> = calls.iter().step_by(calls.len().div_ceil(TRIED).max(1)).copied().collect();
        failures(rules, &looked, &wanted)
    };
    let (so, others) = (some(so), some(others));
    let is_new = |at: usize| !named.contains(&sentences[wanted[at]]);
    let fits = (0..wanted.len()).filter(|&at| so[at] * AGAINST <= failing.len());
    fits.min_by_key(|&at| (is_new(at), so[at], others[at], at)).map(|best| sentences[wanted[best]])
}

/// Returns the wanted rules that fail on few enough conforming calls for `failing` failures, each with that count. A
/// wrong guess is soon contradicted, so calls are checked in parts, and later parts only for the remaining rules.
fn uncontradicted(
    rules: &dyn WrongRules,
    told: &[(&Call, Option<&Verdict>)],
    wanted: Vec<usize>,
    failing: usize,
) -> Vec<(usize, usize)> {
    let mut left: Vec<(usize, usize)> = wanted.into_iter().map(|rule| (rule, 0)).collect();
    let conforming: Vec<&Call> =
        told.iter().filter(|(_, given)| given.is_none()).map(|(call, _)| *call).collect();
    for part in conforming.chunks(PART) {
        if left.is_empty() {
            break;
        }
        let wanted: Vec<usize> = left.iter().map(|(rule, _)| *rule).collect();
        for ((_, against), more) in left.iter_mut().zip(failures(rules, part, &wanted)) {
            *against += more;
        }
        left.retain(|(_, against)| against * AGAINST <= failing);
    }
    left
}

/// Returns, for each wanted rule, the number of these calls on which it fails.
fn failures(rules: &dyn WrongRules, calls: &[&Call], wanted: &[usize]) -> Vec<usize> {
    let verdicts = parallel::each(calls, |call| verdicts(rules, call, wanted));
    let fails = |at: usize| {
        move |of_call: &&Vec<Option<Verdict>>| of_call[at].as_ref().is_some_and(Verdict::is_failure)
    };
    (0..wanted.len()).map(|at| verdicts.iter().filter(fails(at)).count()).collect()
}

/// Samples failures of each class, from all parts of the run.
fn sample(told: &[(&Call, Option<&Verdict>)], failing: &[usize]) -> Vec<usize> {
    let mut classes: BTreeMap<Option<FailureClass>, Vec<usize>> = BTreeMap::new();
    for &at in failing {
        classes.entry(told[at].1.and_then(FailureClass::of)).or_default().push(at);
    }
    let some = |places: Vec<usize>| {
        let step = places.len().div_ceil(TRIED).max(1);
        places.into_iter().step_by(step)
    };
    classes.into_values().flat_map(some).collect()
}
