//! Groups the failures of a run by cause, the worst first, each with the smallest call that shows it.
//!
//! Groups come from [`mod@crate::defect`]; here they get names, counts and an order. Every unknown failure is in
//! exactly one defect, so that the counts add up. A caller that can ask the backend makes the smallest call of each
//! smaller ([`Causes::smallest`]); the results may join groups, and are shown. Contradictions between answers
//! (readings that do not go together, calls answered in two ways) are not failures of a call, and are listed apart.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Call, Choice, Dtype, Question, rule};

use crate::corpus::{Case, Ledger};
use crate::defect::bound::{self, Stretch};
use crate::defect::rules::{self, WrongRules, contradicts, likenesses};
use crate::defect::traits::Trait;
use crate::defect::{self, Example, Grouping, Small, traits};
use crate::defect::{computed, returned, unwritten};
use crate::display::shell::asking;
use crate::drive::patience::is_not_asked;
use crate::judge::compare::Mismatch;
use crate::judge::fault::{Fault, Severity};
use crate::judge::verdict::Verdict;
use crate::parallel;
use crate::report::Report;
use crate::report::defect::{Defect, Shrunk, Witness};
use crate::report::explained::{Open, explained};
use crate::report::finding::{self, Finding, Line};
use crate::report::label;
use crate::run::property::{self, Find, Id};
use crate::run::readings::{Answers, Place, ReadingProfile};
use crate::shrink::{self, CallSize, Failing, FailureClass, Sort};

/// The most findings that are shown without defects where each is a test or a section of its own.
pub const FEW: usize = 10;

/// The most findings that the terminal shows without defects: so few have no condition that is more than chance.
pub const PAIR: usize = 2;

/// The failures of a report in groups, before the results of smaller calls join some of them.
pub struct Causes<'r, 'a> {
    told: Vec<Told<'r, 'a>>,
    /// The calls of a backend that was given up before them. They show nothing of their own.
    not_asked: Vec<Told<'r, 'a>>,
    grouping: Grouping,
    answers: Answers<Witness<'a>>,
    rules: Option<&'r dyn WrongRules>,
    /// Those of `told` that can speak against a rule, by their indices.
    heard: BTreeSet<usize>,
}

/// An answered call; the verdict is left out for generated calls that conform.
struct Told<'r, 'a> {
    call: Cow<'r, Call>,
    verdict: Option<&'r Verdict>,
    name: Witness<'a>,
}

impl Told<'_, '_> {
    /// Returns the verdict if it is a failure.
    fn failure(&self) -> Option<&Verdict> {
        self.verdict.filter(|verdict| verdict.is_failure())
    }
}

impl<'a> Report<'a> {
    /// Returns the unknown failures, by cause, the worst first. Conforming calls are made again for it, which
    /// takes time if something fails: call it once.
    pub fn defects(&self) -> Vec<Defect<'a>> {
        // A baseline changes the groups, because known failures are left out.
        if let (Some(grouped), None) = (&self.grouped, &self.baseline) {
            return grouped.clone();
        }
        self.defects_among(&|name| !self.expects(name))
    }

    /// Returns the defects of these failures. Other failures count as not asked.
    pub(crate) fn defects_among(&self, unknown: &dyn Fn(&str) -> bool) -> Vec<Defect<'a>> {
        self.causes_among(unknown).defects(&self.shrunk)
    }

    /// Returns the unknown failures, in groups.
    pub fn causes(&self) -> Causes<'_, 'a> {
        self.causes_among(&|name| !self.expects(name))
    }

    fn causes_among(&self, unknown: &dyn Fn(&str) -> bool) -> Causes<'_, 'a> {
        let no_find = |find: &&Find| unknown(&find.name());
        let finds: Vec<&Find> = self.finds().filter(no_find).collect();
        let fails = |(case, verdict): &(&Case, Verdict)| verdict.is_failure() && unknown(&case.name);
        if finds.is_empty() && !self.results.iter().any(fails) {
            let (grouping, answers) = (defect::groups(&[], &[]), Answers::default());
            let (told, not_asked, heard) = (Vec::new(), Vec::new(), BTreeSet::new());
            return Causes { told, not_asked, grouping, answers, rules: None, heard };
        }
        let ids: Vec<Id> =
            self.generated.iter().flat_map(|generated| &generated.conforming).copied().collect();
        let made: Vec<Call> = parallel::each(&ids, |id| id.call_for(&self.capabilities));
        let mut told: Vec<Told<'_, 'a>> = Vec::with_capacity(self.results.len() + finds.len() + ids.len());
        for (at, (case, verdict)) in self.results.iter().enumerate() {
            let is_known = verdict.is_failure() && !unknown(&case.name);
            if !is_known && !matches!(verdict, Verdict::Unsupported(_)) {
                let name = Witness::Case(at, &case.name);
                told.push(Told { call: Cow::Borrowed(&case.call), verdict: Some(verdict), name });
            }
        }
        told.extend(finds.iter().map(|find| Told {
            call: Cow::Borrowed(&find.call),
            verdict: Some(&find.verdict),
            name: Witness::Call(find.id),
        }));
        let conforming = made.into_iter().zip(&ids);
        told.extend(conforming.map(|(call, &id)| Told {
            call: Cow::Owned(call),
            verdict: None,
            name: Witness::Call(id),
        }));
        let died = |one: &Told<'_, '_>| {
            one.failure().and_then(Verdict::fault).is_some_and(|fault| fault.severity() == Severity::Died)
        };
        let is_not_asked = |one: &Told<'_, '_>| one.failure().is_some_and(is_not_asked);
        let has_cause = told.iter().any(|one| died(one) && !is_not_asked(one));
        let (not_asked, told): (Vec<_>, Vec<_>) =
            told.into_iter().partition(|one| has_cause && is_not_asked(one));
        let examples = parallel::each(&told, |one| Example {
            traits: traits::of(&one.call),
            class: one.verdict.and_then(FailureClass::of),
            error: one.verdict.and_then(shrink::error),
        });
        let answers = self.all_answers();
        let heard = heard(&told, &answers.profile());
        let of_each: Vec<_> = heard.iter().map(|&at| (told[at].call.as_ref(), told[at].failure())).collect();
        let mut likenesses = self.rules.map_or_else(Vec::new, |rules| likenesses(rules, &of_each));
        likenesses.extend(computed::likenesses(&of_each));
        likenesses.extend(returned::likenesses(&of_each));
        likenesses.extend(unwritten::likenesses(&of_each));
        for place in likenesses.iter_mut().flat_map(|like| like.same.iter_mut().chain(&mut like.similar)) {
            *place = heard[*place];
        }
        let grouping = defect::groups(&examples, &likenesses);
        Causes { told, not_asked, grouping, answers, rules: self.rules, heard: heard.into_iter().collect() }
    }

    /// Returns the finding of the smallest call of a defect. If the call was made smaller, the finding shows
    /// that one.
    pub fn shown(&self, defect: &Defect<'_>, ledger: &Ledger, again: &str) -> Option<Finding> {
        let finding = match defect.smallest {
            Witness::Case(at, _) => {
                let (case, verdict) = self.results.get(at)?;
                finding::of_case(case, verdict, ledger, again)
            }
            Witness::Call(id) => finding::of_find(self.finds().find(|find| find.id == id)?, ledger, again),
        }?;
        let Some(Shrunk { call, verdict, .. }) = &defect.shrunk else { return Some(finding) };
        let clause = finding::of_clause(&property::clause(call, verdict, ledger), ledger);
        let asked_by = defect.asked_by();
        let again = Line::new(label::AGAIN, &format!("{again} {}", asking(&asked_by)));
        let lines = std::iter::once(clause).chain(finding::of_call(call, verdict)).chain([again]);
        let shown_by = finding.shown_by.map(|_| asked_by);
        Some(Finding { lines: lines.collect(), shown_by, ..finding })
    }

    /// Maps each failure's name to the index of its defect.
    pub fn by_failure(&self, defects: &[Defect<'_>]) -> BTreeMap<String, usize> {
        let (mut named, mut calls) = (BTreeMap::new(), BTreeMap::new());
        for (at, defect) in defects.iter().enumerate() {
            for failure in &defect.failures {
                match failure {
                    Witness::Case(_, name) => named.insert((*name).to_owned(), at),
                    Witness::Call(id) => calls.insert(*id, at),
                };
            }
        }
        named.extend(self.finds().filter_map(|find| Some((find.name(), *calls.get(&find.id)?))));
        named
    }

    /// Returns the severities of unknown failures, of places with several readings, and of calls answered in
    /// two ways.
    pub fn matters(&self) -> BTreeSet<Severity> {
        let unstable = (!self.unstable.is_empty()).then_some(Severity::Wrong);
        let of_failures = self.severities().into_keys();
        of_failures.chain((!self.is_consistent()).then_some(Severity::Readings)).chain(unstable).collect()
    }

    /// Returns the number of unknown failures of each severity.
    pub fn severities(&self) -> BTreeMap<Severity, usize> {
        let cases = self.failures().filter(|(case, _)| !self.expects(&case.name));
        let finds = self.finds().filter(|find| !self.expects(&find.name())).map(|find| &find.verdict);
        let mut counts = BTreeMap::new();
        for fault in cases.map(|(_, verdict)| verdict).chain(finds).filter_map(Verdict::fault) {
            *counts.entry(fault.severity()).or_default() += 1;
        }
        counts
    }
}

impl<'a> Causes<'_, 'a> {
    /// Returns the smallest failing call of each group, with the way in which it fails.
    pub fn smallest(&self) -> impl Iterator<Item = (Witness<'a>, &Call, Failing)> {
        let ranges = self.grouping.examples().map(|(_, errors)| errors);
        smallest_of_each(&self.told, &self.grouping).into_iter().zip(ranges).filter_map(|(one, errors)| {
            let Told { call, verdict, name } = one?;
            Some((*name, call.as_ref(), Failing { class: FailureClass::of((*verdict)?)?, errors }))
        })
    }

    /// Returns true if a small call is of no type of its group, and of another mistake than the rule that names this: some
    /// other defect makes it fail.
    fn strays(&self, shrunk: &Shrunk, smallest: &[Option<&Told<'_, '_>>]) -> bool {
        let mut names = smallest.iter().map(|one| one.map(|one| one.name.name()));
        let Some(at) = names.position(|name| name.as_ref() == Some(&shrunk.of)) else { return false };
        let (Some(rules), Some(rule)) = (self.rules, self.grouping.rule(at)) else { return false };
        let dtype = shrunk.call.data.dtype();
        let mut failures = self.grouping.examples().nth(at).into_iter().flat_map(|(failures, _)| failures);
        failures.all(|at| self.told[at].call.data.dtype() != dtype)
            && contradicts(rules, rule, &shrunk.call, &shrunk.verdict)
    }

    /// Returns the defects, the worst first, given calls that fail too: of each group the one that was made small, and
    /// then those that refute a part of its condition.
    pub fn defects(&self, shrunk: &[Shrunk]) -> Vec<Defect<'a>> {
        let Self { told, not_asked, grouping, answers, rules, heard } = self;
        let told = told.as_slice();
        let grouping = with_floats_apart(grouping.clone(), told, shrunk);
        let smallest = smallest_of_each(told, &grouping);
        let shrunk: Vec<&Shrunk> = shrunk.iter().filter(|one| !self.strays(one, &smallest)).collect();
        let of = |name: &Witness<'_>| {
            let name = name.name();
            shrunk.iter().copied().find(|one| one.of == name)
        };
        let made_small: Vec<Option<&Shrunk>> = smallest.iter().map(|told| of(&(*told)?.name)).collect();
        let small: Vec<Option<Small>> = made_small.iter().map(|one| Some(Small::of(&(*one)?.call))).collect();
        // A rule that does not fail on the call that its group shrinks to is not the cause.
        let is_false = |at: usize, rule: &str| match (rules, made_small.get(at)) {
            (Some(rules), Some(Some(small))) => contradicts(*rules, rule, &small.call, &small.verdict),
            _ => false,
        };
        let mut grouping = grouping.unruled(is_false).joined(&small);
        if let Some(rules) = rules {
            grouping = likened(grouping, told, heard, *rules);
        }
        // The smallest call of joined groups is the smallest of their smallest calls that fail as the first, the largest, does.
        let smallest = |parts: &[usize]| {
            let fault = |one: &&Told<'_, '_>| one.verdict.and_then(Verdict::fault);
            let first = parts.iter().min().and_then(|&at| (*smallest.get(at)?).as_ref().and_then(fault));
            let all = parts.iter().filter_map(|&at| *smallest.get(at)?);
            smallest_of(all.filter(|one| fault(one) == first))
        };
        let grouping = grouping.refuted(|parts| {
            let Some(name) = smallest(parts).map(|told| told.name.name()) else { return Vec::new() };
            let of_group = shrunk.iter().filter(|one| one.of == name).skip(1);
            of_group.map(|one| traits::of(&one.call)).collect()
        });
        let mut groups = grouping.groups();
        for group in &mut groups {
            let Some(name) = smallest(&group.parts).map(|told| told.name.name()) else { continue };
            let of_group: Vec<&Call> =
                shrunk.iter().filter(|one| one.of == name).map(|one| &one.call).collect();
            narrow(group, &of_group, told);
        }
        let also = conforming_by_mistake(&groups, told, answers, *rules);
        let defect = |(group, also): (defect::Group, Vec<Witness<'a>>)| {
            let smallest = smallest(&group.parts)?.name;
            let shrunk = of(&smallest).cloned();
            let mut defect = defect(group, smallest, told);
            defect.dtypes.extend(shrunk.iter().map(|small| small.call.data.dtype()));
            Some(Defect { shrunk, also, ..defect })
        };
        let mut defects: Vec<Defect<'a>> = groups.into_iter().zip(also).filter_map(defect).collect();
        let died = defects.iter_mut().filter(|defect| defect.severity() == Severity::Died);
        if let Some(defect) = died.max_by_key(|defect| defect.failures.len()) {
            count(defect, not_asked);
        }
        defects.sort_by_key(|defect| (defect.severity(), Reverse(defect.failures.len()), defect.smallest));
        defects
    }
}

/// Returns the failures, and the conforming calls that can speak against a rule: rules take the first reading of every
/// question, so where the backend takes another, both may be right without being alike.
fn heard<W: Sync>(told: &[Told<'_, '_>], profile: &ReadingProfile<W>) -> Vec<usize> {
    let is_otherwise = |call: &Call, question: Question| {
        let row = profile.get(&Place::of(call, question));
        row.is_some_and(|row| !row.readings().contains(&question.readings()[0]))
    };
    let is_heard = parallel::each(told, |one| {
        one.failure().is_some()
            || !rule(&one.call).questions().into_iter().any(|question| is_otherwise(&one.call, question))
    });
    (0..told.len()).filter(|&at| is_heard[at]).collect()
}

/// Makes a group of its own of each failure that shrinks to a wrong float, in a group of integers that nothing explains: no
/// other call of the group speaks of floats.
fn with_floats_apart(grouping: Grouping, told: &[Told<'_, '_>], shrunk: &[Shrunk]) -> Grouping {
    let is_integer = |at: usize| told[at].call.data.dtype().is_integer();
    let float = |(at, (failures, _)): (usize, (Vec<usize>, shrink::FailureErrors))| {
        let is_of = |small: &&Shrunk, failure: usize| small.of == told[failure].name.name();
        let mut floats = shrunk.iter().filter(|small| !small.call.data.dtype().is_integer());
        let failure = floats.find_map(|small| failures.iter().find(|&&at| is_of(&small, at)))?;
        let is_odd = failures.len() > 1 && failures.iter().all(|&at| is_integer(at));
        (is_odd && grouping.is_unexplained(at)).then_some((at, *failure))
    };
    let floats: Vec<(usize, usize)> = grouping.examples().enumerate().filter_map(float).collect();
    floats.into_iter().fold(grouping, |grouping, (at, failure)| grouping.parted(at, failure))
}

/// Gives the parts of a condition the bounds that were found for them. `small` has the small call of the group, then calls
/// that fail without one part, or at a bound. A bound that a failure of the group contradicts is of one axis alone.
fn narrow(group: &mut defect::Group, small: &[&Call], told: &[Told<'_, '_>]) {
    let Some((first, further)) = small.split_first() else { return };
    let meets = |call: &&&Call| {
        let traits = traits::of(call);
        group.condition.iter().all(|part| traits.contains(part))
    };
    let at_bound: Vec<&Call> = further.iter().filter(meets).copied().collect();
    let exact = |part: &Trait| {
        let is_found = Stretch::of(first, *part, &group.condition).is_some() && !at_bound.is_empty();
        let exact = if is_found { bound::exact(*part, at_bound.iter().copied()) } else { *part };
        let holds = group.failures.iter().all(|&at| bound::meets(exact, &told[at].call));
        if holds { exact } else { *part }
    };
    group.condition = group.condition.iter().map(exact).collect();
    let condition = &group.condition;
    group.conforming.retain(|&at| condition.iter().all(|part| bound::meets(*part, &told[at].call)));
}

/// Returns the smallest example of each group, among those with its most frequent fault: a name tells that fault first.
fn smallest_of_each<'t, 'r, 'a>(
    told: &'t [Told<'r, 'a>],
    grouping: &Grouping,
) -> Vec<Option<&'t Told<'r, 'a>>> {
    let examples = |(places, _): (Vec<usize>, _)| {
        let mut by_fault: BTreeMap<Option<Fault>, Vec<&Told<'r, 'a>>> = BTreeMap::new();
        for one in places.into_iter().filter_map(|at| told.get(at)) {
            by_fault.entry(one.verdict.and_then(Verdict::fault)).or_default().push(one);
        }
        let most = by_fault.into_values().rev().max_by_key(Vec::len)?;
        smallest_of(most.into_iter())
    };
    grouping.examples().map(examples).collect()
}

fn smallest_of<'t, 'r, 'a>(told: impl Iterator<Item = &'t Told<'r, 'a>>) -> Option<&'t Told<'r, 'a>> {
    told.min_by_key(|one| (CallSize::of(&one.call), one.name))
}

/// Adds the most similar rule to groups that no rule explains.
fn likened(
    grouping: Grouping,
    told: &[Told<'_, '_>],
    heard: &BTreeSet<usize>,
    rules: &dyn WrongRules,
) -> Grouping {
    let call = |&at: &usize| told[at].call.as_ref();
    let conforming: Vec<&Call> = heard.iter().filter(|at| told[**at].failure().is_none()).map(call).collect();
    let gives = |at: usize, rule| rules::gives(rules, rule, call(&at), told[at].failure());
    let likest = |failures: &[usize], so: &[usize], named: &[&'static str]| {
        let failing: Vec<_> = failures.iter().map(|at| (call(at), told[*at].failure())).collect();
        // A name lists the types of its failures, so others do not contradict it.
        let dtypes: BTreeSet<Dtype> = failing.iter().map(|(call, _)| call.data.dtype()).collect();
        let so = so.iter().filter(|at| heard.contains(at)).map(call);
        let so: Vec<&Call> = so.filter(|so| dtypes.contains(&so.data.dtype())).collect();
        rules::likest(rules, &failing, &so, &conforming, named)
    };
    grouping.likened(likest, gives)
}

/// Returns, for each group, the conforming answers that it explains and that no reading of the others accepts.
fn conforming_by_mistake<'a>(
    groups: &[defect::Group],
    told: &[Told<'_, 'a>],
    answers: &Answers<Witness<'a>>,
    rules: Option<&dyn WrongRules>,
) -> Vec<Vec<Witness<'a>>> {
    let accepted: BTreeMap<Witness<'a>, Vec<Vec<Choice>>> =
        answers.accepted().map(|(name, choices)| (name, choices.to_vec())).collect();
    let open = told.iter().enumerate().filter_map(|(at, one)| {
        Some(Open { at, call: one.call.as_ref(), accepted: accepted.get(&one.name)? })
    });
    let open: Vec<Open<'_>> = open.collect();
    let faults = |group: &defect::Group| {
        group.failures.iter().filter_map(|&at| told[at].verdict?.fault()).collect::<BTreeSet<Fault>>()
    };
    let of_faults: Vec<_> = groups.iter().map(|group| (group, faults(group))).collect();
    let explained = explained(&of_faults, &open, rules);
    let name = |at: usize| told[open[at].at].name;
    let left_out = explained.iter().flat_map(|of_group| of_group.keys()).map(|&at| name(at)).collect();
    let profile = answers.clone().without(&left_out).profile();
    let telling = |of_group: BTreeMap<usize, bool>| -> Vec<Witness<'a>> {
        let nothing = of_group.into_iter().filter(|&(at, strong)| open[at].tells_nothing(strong, &profile));
        nothing.map(|(at, _)| name(at)).collect()
    };
    explained.into_iter().map(telling).collect()
}

fn defect<'a>(group: defect::Group, smallest: Witness<'a>, told: &[Told<'_, 'a>]) -> Defect<'a> {
    let mut defect = Defect {
        faults: Vec::new(),
        failures: Vec::new(),
        smallest,
        shrunk: None,
        condition: group.condition,
        rule: group.rule,
        like: group.like,
        errors: group.errors,
        conforming: group.conforming.len(),
        also: Vec::new(),
        specs: BTreeMap::new(),
        dtypes: BTreeSet::new(),
        gives: BTreeSet::new(),
    };
    count(&mut defect, group.failures.iter().filter_map(|&at| told.get(at)));
    defect
}

/// Returns the special value that the first wrong element of an answer is.
fn gives(verdict: &Verdict) -> Option<&'static str> {
    let Some(Mismatch::Element(wrong)) = verdict.mismatch() else { return None };
    match Sort::of(wrong.dtype, wrong.got) {
        Sort::Nan => Some("NaN"),
        Sort::Infinite => Some("infinite"),
        Sort::Number => (wrong.got == 0).then_some("0"),
    }
}

/// Counts these failures among those of a defect.
fn count<'t, 'r: 't, 'a: 't>(defect: &mut Defect<'a>, failures: impl IntoIterator<Item = &'t Told<'r, 'a>>) {
    let mut faults: BTreeMap<Fault, usize> = defect.faults.drain(..).collect();
    for one in failures {
        if let Some(fault) = one.verdict.and_then(Verdict::fault) {
            *faults.entry(fault).or_default() += 1;
        }
        *defect.specs.entry(one.call.spec()).or_default() += 1;
        defect.dtypes.insert(one.call.data.dtype());
        defect.gives.insert(one.verdict.and_then(gives));
        defect.failures.push(one.name);
    }
    defect.failures.sort_unstable();
    defect.faults = faults.into_iter().collect();
    defect.faults.sort_by_key(|&(fault, count)| (Reverse(count), fault));
}

#[cfg(test)]
mod tests;
