//! The zoo against the corpus, as a page of text: the mutants that each spec's cases kill, cases that kill
//! nothing, and refused honest rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

use normative_conformance::display::joined;
use normative_conformance::parallel::each;
use normative_conformance::reference::Spec;

use crate::bench::{Bench, Trial};
use crate::generated::PreparedRow;
use crate::honest::Honest;
use normative_rules::mutants::{Mutant, MutantFamily};

/// Both zoos, with their results.
pub struct Zoo<'a, 'b> {
    /// The cases.
    pub bench: &'b Bench<'a>,
    /// The most generated calls of each row.
    pub calls: usize,
    /// Every mutant, with its results on the cases.
    pub mutants: Vec<(Mutant, Trial)>,
    /// For every mutant, the number of generated calls until it was found.
    pub found: Vec<Option<usize>>,
    /// Every honest implementation, with its results on the cases.
    pub honest: Vec<(Honest, Trial)>,
    /// For every honest implementation, the generated call that counts against it.
    pub accused: Vec<Option<usize>>,
}

/// Tries every mutant and every honest implementation, on the cases and on generated calls.
pub fn zoo<'a, 'b>(bench: &'b Bench<'a>, row: &PreparedRow) -> Zoo<'a, 'b> {
    let (mutants, honest) = (crate::mutants(), crate::honest());
    let killed = each(&mutants, |mutant| bench.trial(&mut mutant.backend()));
    let tried = each(&honest, |honest| bench.trial(&mut honest.backend()));
    let found = each(&mutants, |mutant| row.calls_until_found(&mut mutant.backend()));
    let accused = each(&honest, |honest| row.calls_until_found(&mut honest.backend()));
    Zoo {
        bench,
        calls: row.len(),
        found,
        accused,
        mutants: mutants.into_iter().zip(killed).collect(),
        honest: honest.into_iter().zip(tried).collect(),
    }
}

impl Zoo<'_, '_> {
    /// Returns the mutants that no case kills.
    pub fn survivors(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|(_, trial)| trial.kills.is_empty()).map(|(mutant, _)| mutant)
    }

    /// Returns the mutants that die only in cases about clauses that they do not break.
    pub fn misdiagnosed(&self) -> impl Iterator<Item = &Mutant> {
        let right = |mutant: &Mutant, trial: &Trial| {
            trial.kills.iter().any(|&at| mutant.breaks_first_clause_of(self.bench.case(at)))
        };
        let wrong =
            move |(mutant, trial): &&(Mutant, Trial)| !trial.kills.is_empty() && !right(mutant, trial);
        self.mutants.iter().filter(wrong).map(|(mutant, _)| mutant)
    }

    /// Returns the mutants that no generated call finds.
    pub fn unfound(&self) -> impl Iterator<Item = &Mutant> {
        let unfound = self.mutants.iter().zip(&self.found).filter(|(_, found)| found.is_none());
        unfound.map(|((mutant, _), _)| mutant)
    }

    /// Returns the honest implementations that a generated call counts against.
    pub fn accused(&self) -> impl Iterator<Item = (&Honest, usize)> {
        let accused = self.honest.iter().zip(&self.accused);
        accused.filter_map(|((honest, _), call)| Some((honest, (*call)?)))
    }

    /// Returns the honest implementations that a case refuses, or whose profile differs from their design.
    pub fn alarms(&self) -> impl Iterator<Item = &(Honest, Trial)> {
        self.honest.iter().filter(|(honest, trial)| !trial.conforms || !honest.misread(trial).is_empty())
    }

    /// Returns true if cases and generated calls catch every mutant for its mistake, and accept every honest row.
    pub fn is_in_order(&self) -> bool {
        self.survivors().next().is_none()
            && self.misdiagnosed().next().is_none()
            && self.unfound().all(|mutant| crate::CASES_ONLY.contains(&mutant.name))
            && self.alarms().next().is_none()
            && self.accused().next().is_none()
    }

    /// Writes the page.
    ///
    /// # Errors
    /// Errors of `out`.
    pub fn write(&self, out: &mut dyn Write) -> fmt::Result {
        self.write_mutants(out)?;
        self.write_cases(out)?;
        self.write_honest(out)?;
        let (mutants, alarms) = (self.mutants.len(), self.alarms().count());
        let killed = mutants - self.survivors().count();
        writeln!(
            out,
            "{killed} of {mutants} mutants killed by {} cases; {} for another reason than theirs",
            self.bench.len(),
            self.misdiagnosed().count()
        )?;
        let mut calls: Vec<usize> = self.found.iter().flatten().copied().collect();
        calls.sort_unstable();
        writeln!(
            out,
            "{} of {mutants} found by {} generated calls, half of them within {}, the last after {}",
            calls.len(),
            self.calls,
            calls.get(calls.len() / 2).unwrap_or(&0),
            calls.last().unwrap_or(&0)
        )?;
        writeln!(
            out,
            "{} honest implementations, {alarms} refused or misread by cases, {} by generated calls",
            self.honest.len(),
            self.accused().count()
        )
    }

    fn write_mutants(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{:<11} {:<40} {:>6} {:>5} ", "family", "mutant", "calls", "cases")?;
        for spec in Spec::ALL {
            write!(out, "{:>7}", short(spec))?;
        }
        writeln!(out, "  first killed by")?;
        for ((mutant, trial), found) in self.mutants.iter().zip(&self.found) {
            let found = found.map_or("-".to_owned(), |calls| calls.to_string());
            let mut per_spec: BTreeMap<Spec, usize> = BTreeMap::new();
            for &at in &trial.kills {
                *per_spec.entry(self.bench.case(at).call.spec()).or_default() += 1;
            }
            let (family, kills) = (mutant.family.name(), trial.kills.len());
            write!(out, "{family:<11} {:<40} {found:>6} {kills:>5} ", mutant.name)?;
            for spec in Spec::ALL {
                match per_spec.get(&spec) {
                    Some(kills) => write!(out, "{kills:>7}")?,
                    None => write!(out, "{:>7}", "")?,
                }
            }
            let first = trial.kills.first().map_or("SURVIVES", |&at| self.bench.case(at).name.as_str());
            writeln!(out, "  {first}")?;
        }
        writeln!(out)?;
        for mutant in self.survivors() {
            writeln!(out, "SURVIVES {}: {}", mutant.name, mutant.wrong)?;
        }
        for mutant in self.unfound() {
            writeln!(out, "NO GENERATED CALL FINDS {}: {}", mutant.name, mutant.wrong)?;
        }
        for mutant in self.misdiagnosed() {
            writeln!(
                out,
                "KILLED FOR ANOTHER REASON {}: no killing case is about {}",
                mutant.name,
                joined(mutant.broken())
            )?;
        }
        Ok(())
    }

    /// Writes the cases, by id, that kill no mutant; those with state do not count, because their failures depend on the
    /// order of cases.
    fn write_cases(&self, out: &mut dyn Write) -> fmt::Result {
        let lasting = self.mutants.iter().filter(|(mutant, _)| mutant.family != MutantFamily::State);
        let id = |at: usize| self.bench.case(at).id.as_str();
        let kill: BTreeSet<&str> = lasting.flat_map(|(_, trial)| &trial.kills).map(|&at| id(at)).collect();
        let all: BTreeSet<&str> = (0..self.bench.len()).map(id).collect();
        for id in all.difference(&kill) {
            writeln!(out, "kills nothing: {id}")?;
        }
        writeln!(out)
    }

    fn write_honest(&self, out: &mut dyn Write) -> fmt::Result {
        writeln!(out, "{:<42} {:>8} {:>7}", "honest implementation", "conforms", "refused")?;
        for (honest, trial) in &self.honest {
            let refused = trial.tally.run - trial.tally.conforms - trial.tally.unsupported;
            writeln!(out, "{:<42} {:>8} {refused:>7}", honest.name, trial.tally.conforms)?;
        }
        writeln!(out)?;
        for (honest, call) in self.accused() {
            writeln!(out, "ALARM {} ({}): generated call {call}", honest.name, honest.does)?;
        }
        for (honest, trial) in self.alarms() {
            let cases: Vec<&str> =
                trial.kills.iter().take(5).map(|&at| self.bench.case(at).name.as_str()).collect();
            writeln!(out, "ALARM {} ({}): {}", honest.name, honest.does, cases.join(" "))?;
            for misread in honest.misread(trial) {
                writeln!(out, "  {misread}")?;
            }
        }
        Ok(())
    }
}

/// Writes everything about one mutant.
///
/// # Errors
/// Errors of `out`.
pub fn write_one(bench: &Bench<'_>, mutant: &Mutant, trial: &Trial, out: &mut dyn Write) -> fmt::Result {
    writeln!(out, "{}: {}", mutant.name, mutant.wrong)?;
    writeln!(out, "breaks {}", joined(mutant.broken()))?;
    for &at in &trial.kills {
        let case = bench.case(at);
        let mark = if mutant.breaks_first_clause_of(case) { " " } else { "?" };
        let clause = case.clauses.first().map_or("", |clause| &clause.name);
        writeln!(out, "{mark} {} ({clause})", case.name)?;
    }
    writeln!(out, "killed by {} of {} cases", trial.kills.len(), bench.len())
}

/// Returns a spec's name in five characters.
fn short(spec: Spec) -> &'static str {
    match spec.name().rsplit_once("Reduce") {
        Some((_, version)) => version,
        None => "bnns",
    }
}
