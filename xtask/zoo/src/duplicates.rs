//! Finds cases that add nothing: the zoo and the ledger cannot tell two of them apart.
//!
//! The unit is a case as its file states it, with all its expansions. Two of one file are duplicates if
//!
//! - they kill the same mutants, and each mutant in the same specs and dtypes; mutants with state
//!   do not count, because their failures depend on the order of cases;
//! - neither cites a clause that the other does not;
//! - neither expands to a spec or a dtype that the other does not;
//! - both are determined, or both are about the same question.
//!
//! That is evidence, not proof: the zoo has only known mistakes, so a person decides which of the two stays.
//! Duplicates are rare because a zoo of hundreds tells most numbers apart. A case that kills nothing is
//! useless too, and is listed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use normative_conformance::corpus::{Case, CaseClaim};
use normative_conformance::reference::Question;

use crate::bench::{Bench, Trial};
use normative_rules::mutants::{Mutant, MutantFamily};

/// The comparable facts about a case; equal for duplicates.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Profile<'a> {
    file: Option<&'a Path>,
    question: Option<Question>,
    clauses: BTreeSet<&'a str>,
    /// Each expansion, and the mutants it kills.
    kills: BTreeMap<&'a str, BTreeSet<usize>>,
}

/// The useless cases of a corpus.
#[derive(Debug, Default)]
pub struct Useless<'a> {
    /// Cases, by id, that kill no mutant.
    pub harmless: Vec<&'a str>,
    /// Groups of cases, by id, of which one is enough.
    pub duplicates: Vec<Vec<&'a str>>,
}

/// Finds useless cases by the mutants that their expansions kill.
pub fn useless<'a>(bench: &Bench<'a>, mutants: &[(Mutant, Trial)]) -> Useless<'a> {
    let mutants =
        || mutants.iter().enumerate().filter(|(_, (mutant, _))| mutant.family != MutantFamily::State);
    let mut profiles: BTreeMap<&str, Profile<'_>> = BTreeMap::new();
    for at in 0..bench.len() {
        let case = bench.case(at);
        let profile = profiles.entry(&case.id).or_default();
        profile.file = Some(&case.file);
        profile.question = question(case);
        profile.clauses = case.clauses.iter().map(|clause| clause.name.as_str()).collect();
        let killed = mutants().filter(|(_, (_, trial))| trial.kills.contains(&at));
        profile.kills.insert(&case.name[case.id.len()..], killed.map(|(mutant, _)| mutant).collect());
    }
    let mut useless = Useless::default();
    let mut alike: BTreeMap<Profile<'_>, Vec<&str>> = BTreeMap::new();
    for (id, profile) in profiles {
        if profile.kills.values().all(BTreeSet::is_empty) {
            useless.harmless.push(id);
        } else {
            alike.entry(profile).or_default().push(id);
        }
    }
    useless.duplicates = alike.into_values().filter(|ids| ids.len() > 1).collect();
    useless
}

fn question(case: &Case) -> Option<Question> {
    match case.claim {
        CaseClaim::Determined(_) => None,
        CaseClaim::Open { question, .. } => Some(question),
    }
}
