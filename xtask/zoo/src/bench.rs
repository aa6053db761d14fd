//! Runs implementations over prepared cases.
//!
//! A verdict depends only on the case and the answer. So an answer equal to the plain implementation's gets
//! its verdict, and only the others are judged. That makes hundreds of rows cheap.

use std::collections::{BTreeMap, BTreeSet};

use normative_conformance::corpus::Case;
use normative_conformance::reference::Reading;
use normative_conformance::report::Report;
use normative_conformance::report::defect::Witness;
use normative_conformance::run::probe::Doubts;
use normative_conformance::run::readings::Place;
use normative_conformance::run::tally::Tally;
use normative_conformance::run::{Judged, Prepared, judge_call};
use normative_conformance::{Demands, Driver as _, Observed, Sheet, Verdict, judge};

use normative_rules::mutants::Mutant;
use normative_rules::steps::{Implementation, PlainWork};

/// Prepared cases, and the plain implementation's answer to each.
pub struct Bench<'a> {
    prepared: Vec<Prepared<'a>>,
    plain: Vec<(PlainWork, Verdict)>,
}

/// The results of one implementation.
#[derive(Clone, Debug)]
pub struct Trial {
    /// True if it conforms.
    pub conforms: bool,
    /// Its verdicts, counted.
    pub tally: Tally,
    /// Its reading of each question.
    pub profile: BTreeMap<Place, Vec<Reading>>,
    /// The places with mixed readings.
    pub mixed: BTreeSet<Place>,
    /// The cases that count against it, by their place in the corpus: failures, and for an inconsistent
    /// reader the cases in which it departs from its usual reading.
    pub kills: BTreeSet<usize>,
}

impl<'a> Bench<'a> {
    /// Asks the plain implementation every case.
    pub fn new(prepared: Vec<Prepared<'a>>) -> Self {
        let asked = prepared.iter().map(|one| {
            let known = PlainWork::of(&one.case.call);
            let verdict = judge_call(&one.case.call, &one.sheet, &known.answer, &Demands::default());
            (known, verdict)
        });
        Self { plain: asked.collect(), prepared }
    }

    /// Returns the number of cases.
    pub fn len(&self) -> usize {
        self.prepared.len()
    }

    /// Returns true if there are no cases.
    pub fn is_empty(&self) -> bool {
        self.prepared.is_empty()
    }

    /// Returns the case at this place of the corpus.
    pub fn case(&self, at: usize) -> &'a Case {
        self.prepared[at].case
    }

    /// Asks one implementation every case.
    pub fn report(&self, backend: &mut Implementation) -> Report<'a> {
        let (mut results, mut doubts) = (Vec::with_capacity(self.prepared.len()), Doubts::default());
        for (one, (known, verdict)) in self.prepared.iter().zip(&self.plain) {
            let answer = backend.answer_beside(&one.case.call, known);
            let verdict = if answer == known.answer {
                verdict.clone()
            } else {
                judge_call(&one.case.call, &one.sheet, &answer, &Demands::default())
            };
            let judged = Judged { asked: one, answer, verdict };
            doubts.offer(&judged);
            results.push((one.case, judged.verdict));
        }
        let settled = doubts.settle(&mut |calls| backend.ask_all(calls));
        for (case, verdict) in &mut results {
            settled.apply(&case.name, verdict);
        }
        Report { settled, ..Report::of(backend.identity(), results, self.prepared.len()) }
    }

    /// Asks one implementation every case and keeps the results that the zoo needs.
    pub fn trial(&self, backend: &mut Implementation) -> Trial {
        let report = self.report(backend);
        let profile = report.profile();
        let failures = report.results.iter().enumerate().filter(|(_, (_, verdict))| verdict.is_failure());
        let mut kills: BTreeSet<usize> = failures.map(|(at, _)| at).collect();
        for (place, row) in &profile {
            if let Some(split) = row.inconsistent(place) {
                let otherwise = otherwise(&report, *place);
                let witness = split.witness.iter().filter_map(|statement| match statement.answer {
                    Witness::Case(at, _) => Some(at),
                    Witness::Call(_) => None,
                });
                kills.extend(if otherwise.is_empty() { witness.collect() } else { otherwise });
            }
        }
        let mixed = profile.iter().filter(|(place, row)| row.mixed(place).is_some());
        Trial {
            conforms: report.conforms(),
            tally: report.total(),
            mixed: mixed.map(|(place, _)| *place).collect(),
            profile: profile.iter().map(|(place, row)| (*place, row.readings())).collect(),
            kills,
        }
    }

    /// Returns the first case that fails the mutant and is about a clause that it breaks. It stops there.
    pub fn killer(&self, mutant: &Mutant) -> Option<&'a Case> {
        let mut backend = mutant.backend();
        let fails = |(one, (known, _)): &(&Prepared<'a>, &(PlainWork, Verdict))| {
            let answer = backend.answer_beside(&one.case.call, known);
            answer != known.answer
                && mutant.breaks_first_clause_of(one.case)
                && judge(&one.sheet, &answer, &Demands::default()).is_failure()
        };
        if let Some((one, _)) = self.prepared.iter().zip(&self.plain).find(fails) {
            return Some(one.case);
        }
        // A mutant that is only inconsistent fails no single case.
        let kills = self.trial(&mut mutant.backend()).kills;
        kills.into_iter().map(|at| self.case(at)).find(|case| mutant.breaks_first_clause_of(case))
    }
}

/// Returns the verdict on an answer: the plain implementation's if the answers are equal.
pub(crate) fn verdict_beside(
    sheet: &Sheet,
    answer: &Observed,
    (known, plain): (&PlainWork, &Verdict),
) -> Verdict {
    if *answer == known.answer { plain.clone() } else { judge(sheet, answer, &Demands::default()) }
}

/// Returns the cases whose answers do not fit this place's most frequent reading.
fn otherwise(report: &Report<'_>, place: Place) -> Vec<usize> {
    let possible = |(at, (case, verdict)): (usize, &(&Case, Verdict))| {
        let Verdict::Conforms { accepting, .. } = verdict else { return None };
        let readings = accepting.possible(place.question);
        (!readings.is_empty() && Place::of(&case.call, place.question) == place).then_some((at, readings))
    };
    let possible: Vec<(usize, Vec<Reading>)> =
        report.results.iter().enumerate().filter_map(possible).collect();
    let fitting = |reading: &&Reading| possible.iter().filter(|(_, fit)| fit.contains(reading)).count();
    // Of several, take the first in the question's order.
    let usual = place.question.readings().iter().rev().max_by_key(fitting);
    let others = possible.iter().filter(|(_, fit)| usual.is_some_and(|usual| !fit.contains(usual)));
    others.map(|(at, _)| *at).collect()
}
