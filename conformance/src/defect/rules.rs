//! Simple wrong rules, and which failures are answered just as one of them answers.
//!
//! What a call has in common with others tells under which conditions answers are wrong; what came tells how. A rule is a whole
//! implementation that is wrong in one way ("the first of the axes alone is reduced"), so it says of every call what comes
//! of that mistake. A rule explains a run where the answers that fail are its answers, and where it is right wherever the
//! backend is. That is still evidence and no proof: two mistakes may answer alike.
//!
//! Nothing here is a verdict, and no verdict depends on it.

use std::collections::BTreeMap;
use std::fmt;

use normative_reference::Call;

use crate::judge::compare::Mismatch;
use crate::judge::verdict::{Demands, Sheet, Verdict, judge};
use crate::observed::Observed;
use crate::parallel;
use crate::shrink::Class;

/// Failures of each class that every rule is tried on, so that most need not be tried on more.
const TRIED: usize = 100;

/// Failures of a group that every rule is tried on first.
const GLANCED: usize = 6;

/// The part of the failures of a group that a rule has to answer so to be named with it.
const NEARLY: f64 = 0.9;

/// Conforming calls on which a rule fails, as a part of the failures that it explains: more speak against it.
const AGAINST: usize = 20;

/// Calls that conform and are looked at together.
const PART: usize = 512;

/// Implementations that are wrong in one way each.
pub trait WrongRules: fmt::Debug + Sync {
    /// The mistake of each rule, in a sentence.
    fn sentences(&self) -> Vec<&'static str>;

    /// What the rules at these places answer to a call, in their order. Nothing for one that answers as an
    /// implementation without a mistake does.
    fn answers(&self, call: &Call, wanted: &[usize]) -> Vec<Option<Observed>>;
}

/// How the answers of a run agree with a rule.
#[derive(Clone, Debug)]
pub struct Likeness {
    /// What the rule gets wrong.
    pub sentence: &'static str,
    /// Failing calls, by their places, that are answered as it answers them.
    pub same: Vec<usize>,
    /// Failing calls on which it fails in the same way, with another answer.
    pub similar: Vec<usize>,
    /// Calls on which it fails, and the backend does not.
    pub against: usize,
}

/// How alike two failures are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alike {
    /// As far as their verdicts say, one answer.
    Same,
    /// They fail in one way.
    Similar,
    /// They fail in two ways, or one does not fail.
    Not,
}

impl Alike {
    /// The likeness of two verdicts on one call.
    pub fn of(one: &Verdict, other: &Verdict) -> Self {
        if Class::of(one).is_none() || Class::of(one) != Class::of(other) {
            return Self::Not;
        }
        let (Verdict::Fails(one), Verdict::Fails(other)) = (one, other) else { return Self::Same };
        let (Some(one), Some(other)) = (one.first(), other.first()) else { return Self::Similar };
        let same = match (&one.mismatch, &other.mismatch) {
            // Each runtime refuses in its own words.
            (Mismatch::Rejected { .. }, Mismatch::Rejected { .. }) => true,
            (Mismatch::Element(one), Mismatch::Element(other)) => {
                (&one.index, one.got, one.wrong) == (&other.index, other.got, other.wrong)
            }
            (one, other) => one == other,
        };
        if same { Self::Same } else { Self::Similar }
    }
}

impl Likeness {
    /// Whether what speaks for the rule outweighs what speaks against it.
    pub const fn holds(&self) -> bool {
        self.against * AGAINST <= self.same.len()
    }
}

/// How the answers of a run agree with each rule that some failure agrees with: calls, each with the verdict on its answer
/// where it fails, and nothing where it conforms.
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

/// How alike an answer that fails is to those of the rules wanted.
fn alike(rules: &dyn WrongRules, (call, given): (&Call, Option<&Verdict>), wanted: &[usize]) -> Vec<Alike> {
    let alike = |verdict: Option<Verdict>| match (given, verdict) {
        (Some(given), Some(verdict)) => Alike::of(given, &verdict),
        _ => Alike::Not,
    };
    verdicts(rules, call, wanted).into_iter().map(alike).collect()
}

/// The verdict on what each of the rules wanted answers; nothing where that is the right answer.
fn verdicts(rules: &dyn WrongRules, call: &Call, wanted: &[usize]) -> Vec<Option<Verdict>> {
    let answers = rules.answers(call, wanted);
    let sheet = if answers.iter().any(Option::is_some) { Sheet::of(call).ok() } else { None };
    let verdict = |answer: Option<Observed>| Some(judge(sheet.as_ref()?, &answer?, &Demands::default()));
    answers.into_iter().map(verdict).collect()
}

/// What a rule gets wrong that answers nearly all failures of a group so, though it fails on calls that conform as well.
/// `so` are calls that conform and meet the condition of the group: a rule that fails on more than a few of those is none for
/// it. Of several rules it is the one that fails on fewest of them, and then of `others` that conform.
pub fn likest(
    rules: &dyn WrongRules,
    failing: &[(&Call, Option<&Verdict>)],
    so: &[&Call],
    others: &[&Call],
) -> Option<&'static str> {
    let sentences = rules.sentences();
    let mut wanted: Vec<usize> = (0..sentences.len()).collect();
    // Few calls rule out nearly all.
    for count in [GLANCED, TRIED] {
        let looked: Vec<_> = failing.iter().step_by(failing.len().div_ceil(count).max(1)).collect();
        let alike = parallel::each(&looked, |one| alike(rules, **one, &wanted));
        let same = |at: &usize| alike.iter().filter(|alike| alike[*at] == Alike::Same).count();
        let kept = (0..wanted.len()).filter(|at| same(at) as f64 >= NEARLY * looked.len() as f64);
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
    let best = (0..wanted.len()).min_by_key(|&at| (so[at], others[at], at))?;
    (so[best] * AGAINST <= failing.len()).then(|| sentences[wanted[best]])
}

/// The rules wanted that fail on few enough calls that conform, each with how many, to explain so many failures.
/// A wrong guess is soon contradicted, so calls are looked at in parts, and the next only for the rules that are left.
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

/// On how many of these calls each of the rules wanted fails.
fn failures(rules: &dyn WrongRules, calls: &[&Call], wanted: &[usize]) -> Vec<usize> {
    let verdicts = parallel::each(calls, |call| verdicts(rules, call, wanted));
    let fails = |at: usize| {
        move |of_call: &&Vec<Option<Verdict>>| of_call[at].as_ref().is_some_and(Verdict::is_failure)
    };
    (0..wanted.len()).map(|at| verdicts.iter().filter(fails(at)).count()).collect()
}

/// Some failures of each class, from all parts of the run.
fn sample(told: &[(&Call, Option<&Verdict>)], failing: &[usize]) -> Vec<usize> {
    let mut classes: BTreeMap<Option<Class>, Vec<usize>> = BTreeMap::new();
    for &at in failing {
        classes.entry(told[at].1.and_then(Class::of)).or_default().push(at);
    }
    let some = |places: Vec<usize>| {
        let step = places.len().div_ceil(TRIED).max(1);
        places.into_iter().step_by(step)
    };
    classes.into_values().flat_map(some).collect()
}
