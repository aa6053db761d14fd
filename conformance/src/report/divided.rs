//! Names what divides the calls of a question that no single reading explains.
//!
//! The traits are those by which defects are told: `f16 data`, `terms ≥ 128`, `incx < 0`. A cause rarely stops at one
//! spec, and one spec has few answers that tell, so those of all specs and types are taken together.

use std::collections::{BTreeMap, BTreeSet};

use normative_reference::{Question, Reading};

use crate::defect::traits::Trait;
use crate::defect::{self, traits};
use crate::display;
use crate::parallel;
use crate::report::Report;
use crate::report::defect::Witness;
use crate::run::readings::{Place, ReadingProfile, Row, Split, Statement};

/// For each question, and each way in which it is read, the traits of the calls read so.
#[derive(Debug)]
pub struct Divided(BTreeMap<Question, BTreeMap<Vec<Reading>, Vec<Trait>>>);

impl Divided {
    /// Looks for the traits. Generated calls are made again for it.
    pub fn of<'a>(report: &Report<'a>, profile: &ReadingProfile<Witness<'a>>) -> Self {
        let mut sides: BTreeMap<Question, BTreeMap<Vec<Reading>, BTreeSet<Witness<'a>>>> = BTreeMap::new();
        for (place, row) in profile {
            let Row::Split(split) = row else { continue };
            let of_question = sides.entry(place.question).or_default();
            for Statement { reads, so, .. } in &split.witness {
                of_question.entry(reads.clone()).or_default().extend(so);
            }
        }
        let call = |answer: &Witness<'a>| match answer {
            Witness::Case(at, _) => report.results.get(*at).map(|(case, _)| traits::of(&case.call)),
            Witness::Call(id) => Some(traits::of(&id.call_for(&report.capabilities))),
        };
        let of_question = |sides: BTreeMap<Vec<Reading>, BTreeSet<Witness<'a>>>| {
            let known: Vec<(Vec<Reading>, Vec<Vec<Trait>>)> = sides
                .into_iter()
                .map(|(reads, answers)| {
                    let answers: Vec<Witness<'a>> = answers.into_iter().collect();
                    (reads, parallel::each(&answers, call).into_iter().flatten().collect())
                })
                .collect();
            let told = |at: usize| {
                let others = known.iter().enumerate().filter(|(other, _)| *other != at);
                let others: Vec<Vec<Trait>> = others.flat_map(|(_, (_, calls))| calls.clone()).collect();
                let apart = defect::apart(&known[at].1, &others);
                let apart = if apart.is_empty() { no_data(&known[at].1, &others) } else { apart };
                (known[at].0.clone(), apart)
            };
            (0..known.len()).map(told).collect()
        };
        Self(sides.into_iter().map(|(question, sides)| (question, of_question(sides))).collect())
    }

    /// Returns, for each answer of a smallest set, the traits of the calls read so, in parentheses. If none divides
    /// them, the range of these calls, if that sets them apart.
    pub(super) fn at(&self, place: Place, Split { witness, .. }: &Split<Witness<'_>>) -> Vec<String> {
        let told = |said: &Statement<Witness<'_>>| {
            let traits = self.0.get(&place.question).and_then(|sides| sides.get(&said.reads));
            display::joined(traits.into_iter().flatten())
        };
        let told: Vec<String> = witness.iter().map(told).collect();
        let ranges = || witness.iter().map(|said| said.at.clone().unwrap_or_default()).collect();
        let told = if told.iter().all(String::is_empty) { ranges() } else { told };
        told.into_iter().map(|at| if at.is_empty() { at } else { format!(" ({at})") }).collect()
    }
}

/// Returns the trait that calls have no data, if all these have it and no other.
fn no_data(calls: &[Vec<Trait>], others: &[Vec<Trait>]) -> Vec<Trait> {
    let has = |call: &Vec<Trait>| call.contains(&traits::NO_DATA);
    let is_so = calls.iter().all(has) && !others.iter().any(has);
    if is_so { vec![traits::NO_DATA] } else { Vec::new() }
}
