//! Implementations with several known mistakes, to measure the grouping of failures.
//!
//! Each mutant answers every call. The combined answer is that of the first mutant whose answer is wrong. So
//! the causes of each failure are known, and groups can be compared with them:
//!
//! - A *cause* of a failure is a mutant whose own answer to the call is the given answer. A mutant that would
//!   have failed there in another way is not a cause: nothing shows it.
//! - Mutants with equal answers to every call, wrong or right, are *one mistake*, and count once.
//! - A mutant *hides* another if each failure of the other has further causes, or is answered by a mutant before
//!   it. Such a combination says nothing about grouping, and is counted apart.

use std::collections::BTreeMap;

use normative_conformance::defect::rules::{Alike, Likeness};
use normative_conformance::defect::{Example, Group, Small, groups, traits};
use normative_conformance::parallel::each;
use normative_conformance::reference::{Call, Spec, TensorError};
use normative_conformance::run::Prepared;
use normative_conformance::run::property::row;
use normative_conformance::shrink::{CallSize, Failing, FailureClass, FailureErrors, error, shrink};
use normative_conformance::{Demands, Driver as _, Observed, Sheet, Verdict, judge};

use crate::bench::verdict_beside;
use normative_rules::mutants::Mutant;
use normative_rules::steps::{Implementation, PlainWork};

/// The most attempts of a run to make a call smaller.
const ATTEMPTS: usize = 200;

/// The prepared calls of cases and of a row.
pub struct Ground {
    calls: Vec<Planted>,
}

struct Planted {
    call: Call,
    sheet: Sheet,
    known: PlainWork,
    verdict: Verdict,
    conforming: Example,
}

/// A mutant, and its wrong answers.
pub struct Mistake {
    mutant: Mutant,
    /// The wrong answers, by the place of the call.
    wrong: BTreeMap<usize, Wrong>,
}

struct Wrong {
    answer: Observed,
    class: Option<FailureClass>,
    verdict: Verdict,
}

/// The result of grouping the failures of some mutants.
#[derive(Clone, Debug)]
pub struct GroupingOutcome {
    /// The number of mistakes; mutants that answer alike are one.
    pub planted: usize,
    /// The mutants that another one hides.
    pub hidden: Vec<&'static str>,
    /// The groups.
    pub groups: Vec<Group>,
    /// The number of failures.
    pub failures: usize,
    /// The number of failures that have the most frequent cause of their group.
    pub pure: usize,
    /// The number of failures on which the mutant that fails on most of their group would fail alone.
    pub shared: usize,
    /// For each group, the number of failures of each mutant, by the class of failure.
    pub causes: Vec<BTreeMap<&'static str, BTreeMap<FailureClass, usize>>>,
}

impl Mistake {
    /// Returns the mutant.
    pub const fn mutant(&self) -> Mutant {
        self.mutant
    }

    /// Returns true if both answer the same calls wrong, with the same answers.
    pub fn answers_as(&self, other: &Self) -> bool {
        let same = |((one, wrong), (other, as_wrong)): ((&usize, &Wrong), (&usize, &Wrong))| {
            one == other && wrong.answer == as_wrong.answer
        };
        self.wrong.len() == other.wrong.len() && self.wrong.iter().zip(&other.wrong).all(same)
    }

    /// Returns the number of calls that it answers wrong.
    pub fn failures(&self) -> usize {
        self.wrong.len()
    }
}

impl Ground {
    /// Prepares the cases, and the first `calls` calls of the row of seed 1 for these specs.
    ///
    /// # Errors
    /// [`TensorError`] if the reference cannot hold a result, which never happens with generated calls.
    pub fn new<'a>(
        prepared: impl IntoIterator<Item = &'a Prepared<'a>>,
        specs: &[Spec],
        calls: usize,
    ) -> Result<Self, TensorError> {
        let cases = prepared.into_iter().map(|one| (one.case.call.clone(), one.sheet.clone()));
        let generated = row(1, specs).take(calls).map(|id| {
            let call = id.call();
            Sheet::of(&call).map(|sheet| (call, sheet))
        });
        let all: Vec<(Call, Sheet)> = cases.map(Ok).chain(generated).collect::<Result<_, _>>()?;
        let calls = each(&all, |(call, sheet)| {
            let known = PlainWork::of(call);
            let verdict = judge(sheet, &known.answer, &Demands::default());
            let conforming = Example { traits: traits::of(call), class: None, error: None };
            Planted { call: call.clone(), sheet: sheet.clone(), known, verdict, conforming }
        });
        Ok(Self { calls })
    }

    /// Asks a mutant every call.
    pub fn mistake(&self, mutant: Mutant) -> Mistake {
        let mut backend = mutant.backend();
        let mut wrong = BTreeMap::new();
        for (at, one) in self.calls.iter().enumerate() {
            let answer = backend.answer_beside(&one.call, &one.known);
            let verdict = verdict_beside(&one.sheet, &answer, (&one.known, &one.verdict));
            if verdict.is_failure() {
                let class = FailureClass::of(&verdict);
                wrong.insert(at, Wrong { answer, class, verdict });
            }
        }
        Mistake { mutant, wrong }
    }

    /// Groups the failures of an implementation with these mistakes.
    pub fn outcome(&self, mistakes: &[&Mistake], catalogue: &[&Mistake]) -> GroupingOutcome {
        let (alike, causes) = causes(mistakes);
        let mut backends: Vec<_> = mistakes.iter().map(|one| one.mutant.backend()).collect();
        let of_call = |(at, one): (usize, &Planted)| {
            let failure = mistakes.iter().find_map(|mistake| mistake.wrong.get(&at));
            let error = failure.and_then(|wrong| error(&wrong.verdict));
            Example { class: failure.and_then(|wrong| wrong.class), error, ..one.conforming.clone() }
        };
        let examples: Vec<Example> = self.calls.iter().enumerate().map(of_call).collect();
        let shows = |mutant: &usize| causes.values().any(|causes| *causes == [*mutant]);
        let (planted, hidden): (Vec<usize>, Vec<usize>) = alike.iter().copied().partition(shows);
        let name = |mutant: usize| mistakes[mutant].mutant.name;
        let given = |at: usize| {
            mistakes.iter().find_map(|mistake| mistake.wrong.get(&at)).map(|wrong| &wrong.verdict)
        };
        let likenesses: Vec<Likeness> = catalogue.iter().filter_map(|rule| likeness(rule, given)).collect();
        let grouping = groups(&examples, &likenesses);
        let small: Vec<Option<Small>> =
            grouping.examples().map(|of_group| self.small(of_group, &examples, &mut backends)).collect();
        let groups = grouping.joined(&small).groups();
        let (mut failures, mut pure, mut shared, mut tables) = (0, 0, 0, Vec::new());
        for group in &groups {
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            let mut table: BTreeMap<&'static str, BTreeMap<FailureClass, usize>> = BTreeMap::new();
            for &at in &group.failures {
                for &mutant in &causes[&at] {
                    *counts.entry(mutant).or_default() += 1;
                    if let Some(class) = examples[at].class {
                        *table.entry(name(mutant)).or_default().entry(class).or_default() += 1;
                    }
                }
            }
            failures += group.failures.len();
            pure += counts.into_values().max().unwrap_or(0);
            let fails =
                |mutant: &&Mistake| group.failures.iter().filter(|&at| mutant.wrong.contains_key(at)).count();
            shared += mistakes.iter().map(fails).max().unwrap_or(0);
            tables.push(table);
        }
        let hidden = hidden.into_iter().map(name).collect();
        GroupingOutcome { planted: planted.len(), hidden, groups, failures, pure, shared, causes: tables }
    }

    /// Shrinks the smallest of these calls, as a run does.
    fn small(
        &self,
        (places, errors): (Vec<usize>, FailureErrors),
        examples: &[Example],
        backends: &mut [Implementation],
    ) -> Option<Small> {
        let at = *places.iter().min_by_key(|&&at| (CallSize::of(&self.calls[at].call), at))?;
        let (call, way) = (&self.calls[at].call, Failing { class: examples[at].class?, errors });
        let fails = |call: &Call| answered(call, backends).is_some_and(|verdict| way.is_of(&verdict));
        Some(Small::of(&shrink(call, ATTEMPTS, fails)))
    }
}

/// Returns the distinct mutants by their places, and the causes of each failure among them.
fn causes(mistakes: &[&Mistake]) -> (Vec<usize>, BTreeMap<usize, Vec<usize>>) {
    let answers = |at: usize| mistakes[at].wrong.iter().map(|(call, wrong)| (call, &wrong.answer));
    let mut alike: Vec<usize> = Vec::new();
    for at in 0..mistakes.len() {
        if !alike.iter().any(|&known| answers(known).eq(answers(at))) {
            alike.push(at);
        }
    }
    let mut causes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for call in mistakes.iter().flat_map(|mistake| mistake.wrong.keys()) {
        let answer = |at: usize| mistakes[at].wrong.get(call).map(|wrong| &wrong.answer);
        let given = (0..mistakes.len()).find_map(answer);
        causes.entry(*call).or_insert_with(|| {
            alike.iter().copied().filter(|&at| given.is_some() && answer(at) == given).collect()
        });
    }
    (alike, causes)
}

/// Returns the verdict on the combined answer to a call: that of the first mutant that is wrong.
fn answered(call: &Call, backends: &mut [Implementation]) -> Option<Verdict> {
    let (sheet, demands) = (Sheet::of(call).ok()?, Demands::default());
    let verdicts = backends.iter_mut().map(|backend| judge(&sheet, &backend.ask(call), &demands));
    let verdicts: Vec<Verdict> = verdicts.collect();
    let wrong = verdicts.iter().position(Verdict::is_failure);
    verdicts.into_iter().nth(wrong.unwrap_or(0))
}

/// Compares the combined answers with a rule.
fn likeness<'v>(rule: &Mistake, given: impl Fn(usize) -> Option<&'v Verdict>) -> Option<Likeness> {
    let mut likeness =
        Likeness { sentence: rule.mutant.wrong, same: Vec::new(), similar: Vec::new(), against: 0 };
    for (&at, wrong) in &rule.wrong {
        match given(at).map(|given| Alike::of(given, &wrong.verdict)) {
            Some(Alike::Same) => likeness.same.push(at),
            Some(Alike::Similar) => likeness.similar.push(at),
            Some(Alike::Not) => {}
            None => likeness.against += 1,
        }
    }
    (!likeness.same.is_empty() && likeness.holds()).then_some(likeness)
}
