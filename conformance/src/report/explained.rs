//! Finds conforming answers that a defect explains. They tell no reading.
//!
//! A mistake meets open calls as well, and there its answer may be right by another reading. A reading that only such
//! answers tell is not taken, and what they contradict is not inconsistent. Their verdicts stay.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Call, Choice, Expected};

use crate::defect::Group;
use crate::defect::rules::{WrongRules, accepted};
use crate::defect::traits::{self, Trait};
use crate::judge::fault::Fault;
use crate::judge::verdict::Sheet;
use crate::parallel;
use crate::run::readings::{Place, ReadingProfile, Row};

/// Of the calls that meet a condition, at least this many fail for each that conforms and that it does not explain. So
/// hardly any call meets the condition and escapes the mistake.
const AGAINST: usize = 4;

/// The same where no other answer speaks against a reading, so that the condition is the only evidence.
const AGAINST_ALONE: usize = 20;

/// A conforming answer to an open call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open<'t> {
    /// Its index among the calls that were grouped.
    pub(super) at: usize,
    pub(super) call: &'t Call,
    /// The combinations of readings that accept it.
    pub(super) accepted: &'t [Vec<Choice>],
}

impl Open<'_> {
    /// Returns true if it tells nothing, given the profile of other answers and strong evidence that a defect explains it.
    /// Weak evidence is enough against an answer that contradicts the others.
    pub(super) fn tells_nothing<W>(&self, strong: bool, profile: &ReadingProfile<W>) -> bool {
        let row = |choice: &Choice| profile.get(&Place::of(self.call, choice.question));
        let agrees = |choice: &Choice, row: &Row<W>| row.readings().contains(&choice.reading);
        let fits = |takes: &dyn Fn(&Choice) -> bool| self.accepted.iter().any(|one| one.iter().all(takes));
        let is_known = fits(&|choice| row(choice).is_some_and(|row| agrees(choice, row)));
        let is_possible = fits(&|choice| row(choice).is_none_or(|row| agrees(choice, row)));
        !is_possible || strong && !is_known
    }

    /// Returns true if the plain reading of every question accepts it.
    fn is_plain(&self) -> bool {
        let is_plain = |choice: &Choice| choice.question.readings().first() == Some(&choice.reading);
        self.accepted.iter().any(|choices| choices.iter().all(is_plain))
    }

    /// Returns true if the answer has one of these faults by a reading that does not accept it.
    fn fails(&self, faults: &BTreeSet<Fault>) -> bool {
        let Ok(sheet) = Sheet::of(self.call) else { return false };
        let is_accepted = |choices: &Vec<Vec<Choice>>| choices.iter().any(|one| self.accepted.contains(one));
        let (given, due): (Vec<_>, Vec<_>) =
            sheet.entries.iter().partition(|entry| is_accepted(&entry.choices));
        let fault = |due: &Expected| given.first().and_then(|given| fault(&given.expected, due));
        due.iter().filter_map(|entry| fault(&entry.expected)).any(|fault| faults.contains(&fault))
    }
}

/// Returns the fault of an answer that one reading expects by another.
fn fault(given: &Expected, due: &Expected) -> Option<Fault> {
    let form = |expected: &Expected| match expected {
        Expected::Rejection(_) | Expected::Anything(_) => None,
        Expected::Exactly(tensor) => Some((tensor.dtype(), tensor.shape().to_vec())),
        Expected::Converted(converted) => Some((converted.best.dtype(), converted.best.shape().to_vec())),
        Expected::Near(near) => Some((near.dtype, near.shape.clone())),
    };
    match (given, due) {
        (_, Expected::Anything(_))
        | (Expected::Anything(_), _)
        | (Expected::Rejection(_), Expected::Rejection(_)) => None,
        (Expected::Rejection(_), _) => Some(Fault::RefusedValid),
        (_, Expected::Rejection(_)) => Some(Fault::AcceptedInvalid),
        _ if form(given) == form(due) => Some(Fault::WrongValue),
        _ => Some(Fault::OutputShape),
    }
}

/// Returns, for each group of failures with its faults, the conforming answers that it explains, by their index in
/// `open`: the rule of the group gives the same answers, or they meet its condition, which hardly any other answer does.
/// True marks strong evidence.
pub(super) fn explained(
    groups: &[(&Group, BTreeSet<Fault>)],
    open: &[Open<'_>],
    rules: Option<&dyn WrongRules>,
) -> Vec<BTreeMap<usize, bool>> {
    let sentences = rules.map_or_else(Vec::new, WrongRules::sentences);
    let number = |group: &Group| sentences.iter().position(|&sentence| Some(sentence) == group.rule);
    let numbers: Vec<Option<usize>> = groups.iter().map(|(group, _)| number(group)).collect();
    let wanted: Vec<usize> = numbers.iter().flatten().copied().collect();
    // For each answer, the traits of its call, and the wanted rules that give it.
    let known = parallel::each(open, |one| {
        let given = match rules {
            Some(rules) if !wanted.is_empty() => accepted(rules, one.call, &wanted, one.accepted),
            _ => Vec::new(),
        };
        let given: Vec<usize> =
            wanted.iter().zip(given).filter_map(|(&rule, is)| is.then_some(rule)).collect();
        (traits::of(one.call), given)
    });
    let is_open: BTreeSet<usize> = open.iter().map(|one| one.at).collect();
    let of_group = |((group, faults), number): (&(&Group, BTreeSet<Fault>), &Option<usize>)| {
        // A call that some readings refuse is not said to be valid, but it meets the same mistake.
        let meets = |at: usize| {
            let has = |of_call: &Trait| known[at].0.binary_search(of_call).is_ok();
            group.condition.iter().all(|of_call| *of_call == traits::VALID || has(of_call))
        };
        let met: Vec<usize> = (0..open.len()).filter(|&at| meets(at)).collect();
        let (like, unlike): (Vec<usize>, Vec<usize>) =
            met.into_iter().partition(|&at| open[at].fails(faults));
        let determined = group.conforming.iter().filter(|at| !is_open.contains(at)).count();
        let against = determined + unlike.len();
        let is_beyond = |times: usize| against * times <= group.failures.len();
        let is_told = !group.condition.is_empty() && is_beyond(AGAINST);
        let by_condition = like.into_iter().filter(|_| is_told);
        let by_condition = by_condition.map(|at| (at, is_beyond(AGAINST_ALONE) && !open[at].is_plain()));
        let by_rule =
            (0..open.len()).filter(|&at| number.is_some_and(|number| known[at].1.contains(&number)));
        let by_rule = by_rule.filter(|&at| open[at].fails(faults)).map(|at| (at, true));
        by_condition.chain(by_rule).collect()
    };
    groups.iter().zip(&numbers).map(of_group).collect()
}
