//! Implementations with several mistakes, of which it is known which call fails for which: the measure of grouping.
//!
//! Each mutant answers every call; where one's answer is wrong, that is the answer of all together. So each failure has
//! causes that are known, and groups can be held against them.

use std::collections::BTreeMap;

use normative_conformance::defect::{Example, Group, Root, groups, traits};
use normative_conformance::parallel::each;
use normative_conformance::reference::{Call, Spec, TensorError, rule};
use normative_conformance::run::Prepared;
use normative_conformance::run::property::row;
use normative_conformance::shrink::{Class, Size, shrink};
use normative_conformance::{Demands, Driver as _, Observed, Sheet, Verdict, judge};

use crate::bench::verdict_beside;
use crate::mutants::Mutant;
use crate::steps::{Implementation, Known};

/// How often a run asks at most to make a call small.
const ATTEMPTS: usize = 200;

/// Calls of cases and of a row, ready to be put.
pub struct Ground {
    calls: Vec<Planted>,
}

struct Planted {
    call: Call,
    sheet: Sheet,
    known: Known,
    verdict: Verdict,
    traits: Vec<traits::Trait>,
}

/// What came of grouping the failures of some mutants.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How many of the mutants fail in calls in which no other does.
    pub planted: usize,
    /// The groups.
    pub groups: Vec<Group>,
    /// Failures.
    pub failures: usize,
    /// Failures in a group most of whose failures have a cause that this one has.
    pub pure: usize,
    /// For each group, how many failures each mutant has in it.
    pub causes: Vec<BTreeMap<&'static str, usize>>,
}

impl Ground {
    /// The cases, and the first `calls` calls of the row of seed 1 for these specs.
    ///
    /// # Errors
    /// [`TensorError`] where the reference cannot hold a result, which no call that is generated asks for.
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
            let known = Known::of(call);
            let verdict = judge(sheet, &known.answer, &Demands::default());
            let traits = traits::of(call, &rule(call));
            Planted { call: call.clone(), sheet: sheet.clone(), known, verdict, traits }
        });
        Ok(Self { calls })
    }

    /// Asks the mutants, and groups what fails.
    pub fn outcome(&self, mutants: &[Mutant]) -> Outcome {
        let mut backends: Vec<_> = mutants.iter().map(Mutant::backend).collect();
        let mut examples = Vec::with_capacity(self.calls.len());
        let mut causes: Vec<Vec<&'static str>> = Vec::with_capacity(self.calls.len());
        for one in &self.calls {
            let answers: Vec<Observed> =
                backends.iter_mut().map(|backend| backend.answer_beside(&one.call, &one.known)).collect();
            let verdicts: Vec<Verdict> = answers
                .iter()
                .map(|answer| verdict_beside(&one.sheet, answer, (&one.known, &one.verdict)))
                .collect();
            let class = verdicts.iter().find_map(Class::of);
            let failing = mutants.iter().zip(&verdicts).filter(|(_, verdict)| verdict.is_failure());
            causes.push(failing.map(|(mutant, _)| mutant.name).collect());
            examples.push(Example { traits: one.traits.clone(), class });
        }
        let planted =
            mutants.iter().filter(|mutant| causes.iter().any(|names| *names == [mutant.name])).count();
        let grouping = groups(&examples);
        let roots: Vec<Option<Root>> =
            grouping.failures().map(|places| self.root(&places, &examples, &mut backends)).collect();
        let groups = grouping.joined(&roots).groups();
        let (mut failures, mut pure, mut tables) = (0, 0, Vec::new());
        for group in &groups {
            let mut table: BTreeMap<&'static str, usize> = BTreeMap::new();
            for name in group.failures.iter().flat_map(|&at| &causes[at]) {
                *table.entry(name).or_default() += 1;
            }
            let most = table.iter().max_by_key(|(_, count)| **count).map(|(name, _)| *name);
            failures += group.failures.len();
            pure += group
                .failures
                .iter()
                .filter(|&&at| most.is_some_and(|most| causes[at].contains(&most)))
                .count();
            tables.push(table);
        }
        Outcome { planted, groups, failures, pure, causes: tables }
    }

    /// What the smallest of these calls comes down to, as a run finds it out.
    fn root(&self, places: &[usize], examples: &[Example], backends: &mut [Implementation]) -> Option<Root> {
        let at = *places.iter().min_by_key(|&&at| (Size::of(&self.calls[at].call), at))?;
        let (smallest, class) = (&self.calls[at].call, examples[at].class?);
        let fails = |calls: &[Call]| calls.first().is_some_and(|call| fails(call, class, backends));
        let shrunk = shrink(std::slice::from_ref(smallest), ATTEMPTS, fails);
        shrunk.calls.first().map(Root::of)
    }
}

/// Whether one of them answers a call wrong in this way.
fn fails(call: &Call, class: Class, backends: &mut [Implementation]) -> bool {
    let Ok(sheet) = Sheet::of(call) else { return false };
    let demands = Demands::default();
    let verdict = |backend: &mut Implementation| judge(&sheet, &backend.ask(call), &demands);
    backends.iter_mut().any(|backend| class.is_of(&verdict(backend)))
}
