//! Known failures by cause: a rule that says which calls fail, and how, in place of their names.
//!
//! A rule explains a failure of which all its conditions are so and that fails in one of its ways. What fails elsewhere is
//! new, and so is what fails there in another way. How many failures it explains is part of it, so one more that fails
//! in the same way under the same conditions shows as well, though not which.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Call, rule};

use super::known::{KnownDefect, Name};
use crate::defect::traits;
use crate::judge::verdict::Verdict;
use crate::parallel;
use crate::report::Report;
use crate::report::defect::Defect;
use crate::shrink::{Class, Detail, Sort};

/// Failures that a rule has to explain to be written: fewer are named one by one.
const FEW: usize = 3;

/// Calls that may meet the conditions of a rule that is written and conform, for each that fails.
const CONFORMING: usize = 3;

impl KnownDefect {
    /// Whether a call of which this is so, and that fails in this way, is one of its failures.
    fn explains(&self, so: &BTreeSet<String>, way: &str) -> bool {
        self.reasons.contains(way) && self.conditions.iter().all(|condition| so.contains(condition))
    }
}

/// The way in which a call fails: the word of the [`Fault`](crate::judge::fault::Fault), and what sets it apart from
/// other failures of that word, which is the same on every machine.
pub fn way(verdict: &Verdict) -> Option<String> {
    let fault = verdict.fault()?;
    let more = match Class::of(verdict)?.detail {
        Detail::Clause(clause) => Some(clause.to_owned()),
        Detail::Element { due, got } if (due, got) != (Sort::Number, Sort::Number) => {
            Some(format!("{} for {}", sort(got), sort(due)))
        }
        Detail::Question(question) => Some(question.name().to_owned()),
        Detail::Nothing | Detail::Element { .. } | Detail::Among(..) => None,
    };
    Some(more.map_or_else(|| fault.word().to_owned(), |more| format!("{fault}: {more}")))
}

const fn sort(sort: Sort) -> &'static str {
    match sort {
        Sort::Number => "number",
        Sort::Infinite => "infinity",
        Sort::Nan => "NaN",
    }
}

/// What the rules have to go by, of each failure of a run.
fn failures<'r>(report: &'r Report<'_>) -> Vec<(Name, &'r Call, &'r Verdict)> {
    let cases = report.failures().map(|(case, verdict)| (Name::Case(case.name.clone()), &case.call, verdict));
    let finds = report.generated.iter().flat_map(|generated| &generated.finds);
    let finds = finds.map(|find| (Name::Call(find.id, find.name()), &find.call, &find.verdict));
    cases.chain(finds).collect()
}

/// What is so of a call, in words.
fn words(call: &Call) -> BTreeSet<String> {
    traits::of(call, &rule(call)).iter().map(ToString::to_string).collect()
}

/// Which rule explains each failure of a run, by the name of the rule; the first of several.
pub(super) fn explained<'k>(
    defects: &'k BTreeMap<String, KnownDefect>,
    report: &Report<'_>,
) -> BTreeMap<Name, &'k str> {
    if defects.is_empty() {
        return BTreeMap::new();
    }
    let failures = failures(report);
    let by = parallel::each(&failures, |(_, call, verdict)| {
        let (so, way) = (words(call), way(verdict)?);
        defects.iter().find(|(_, defect)| defect.explains(&so, &way)).map(|(name, _)| name.as_str())
    });
    failures.into_iter().zip(by).filter_map(|((name, ..), by)| Some((name, by?))).collect()
}

/// Rules for the defects of a run that are worth one: they have conditions, and of the calls that meet them a good part
/// fails. How many failures each explains is still to be counted.
pub(super) fn of(report: &Report<'_>, defects: &[Defect<'_>]) -> BTreeMap<String, KnownDefect> {
    let by_failure = report.by_failure(defects);
    let failures = failures(report);
    let seen = parallel::each(&failures, |(name, call, verdict)| {
        let &at = by_failure.get(name.text())?;
        Some((at, words(call), way(verdict)?))
    });
    let rule = |(at, defect): (usize, &Defect<'_>)| {
        let conditions: Vec<String> = defect.condition.iter().map(ToString::to_string).collect();
        let of_defect = seen
            .iter()
            .flatten()
            .filter(|(of, so, _)| *of == at && conditions.iter().all(|one| so.contains(one)));
        let reasons = of_defect.map(|(.., way)| way.clone()).collect();
        let is_worth_one = !conditions.is_empty() && defect.conforming <= CONFORMING * defect.failures.len();
        let known = KnownDefect { reasons, conditions, failures: 0, issue: None, comment: None };
        is_worth_one.then(|| (defect.name(), known))
    };
    defects.iter().enumerate().filter_map(rule).collect()
}

/// The rules that explain at least a few failures of a run, each with how many; one that was there before needs only one.
pub(super) fn counted(
    mut rules: BTreeMap<String, KnownDefect>,
    earlier: &BTreeMap<String, KnownDefect>,
    report: &Report<'_>,
) -> BTreeMap<String, KnownDefect> {
    loop {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for rule in explained(&rules, report).into_values() {
            *counts.entry(rule.to_owned()).or_default() += 1;
        }
        let before = rules.len();
        rules.retain(|name, rule| {
            rule.failures = counts.get(name).copied().unwrap_or_default();
            rule.failures >= if earlier.contains_key(name) { 1 } else { FEW }
        });
        // What a rule explained that is gone may be explained by another.
        if rules.len() == before {
            return rules;
        }
    }
}
