//! The zoo against the corpus, as a page of text: which mutant dies where, which cases add nothing,
//! which honest implementation is refused.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use normative_conformance::reference::Spec;

use crate::bench::{Bench, Trial, each};
use crate::duplicates::useless;
use crate::honest::Honest;
use crate::mutants::Mutant;

/// Both zoos, tried.
pub struct Zoo<'a, 'b> {
    /// The cases.
    pub bench: &'b Bench<'a>,
    /// Every mutant, and what came of it.
    pub mutants: Vec<(Mutant, Trial)>,
    /// Every honest implementation, and what came of it.
    pub honest: Vec<(Honest, Trial)>,
}

/// Tries every mutant and every honest implementation.
pub fn zoo<'a, 'b>(bench: &'b Bench<'a>) -> Zoo<'a, 'b> {
    let (mutants, honest) = (crate::mutants(), crate::honest());
    let killed = each(&mutants, |mutant| bench.trial(&mut mutant.backend()));
    let tried = each(&honest, |honest| bench.trial(&mut honest.backend()));
    Zoo {
        bench,
        mutants: mutants.into_iter().zip(killed).collect(),
        honest: honest.into_iter().zip(tried).collect(),
    }
}

impl Zoo<'_, '_> {
    /// Mutants that no case kills.
    pub fn survivors(&self) -> impl Iterator<Item = &Mutant> {
        self.mutants.iter().filter(|(_, trial)| trial.kills.is_empty()).map(|(mutant, _)| mutant)
    }

    /// Mutants that die of nothing they break.
    pub fn misdiagnosed(&self) -> impl Iterator<Item = &Mutant> {
        let right = |mutant: &Mutant, trial: &Trial| {
            trial.kills.iter().any(|&at| mutant.breaks_first_clause_of(self.bench.case(at)))
        };
        let wrong =
            move |(mutant, trial): &&(Mutant, Trial)| !trial.kills.is_empty() && !right(mutant, trial);
        self.mutants.iter().filter(wrong).map(|(mutant, _)| mutant)
    }

    /// Honest implementations that some case refuses, or whose profile is not what they were built with.
    pub fn alarms(&self) -> impl Iterator<Item = &(Honest, Trial)> {
        self.honest.iter().filter(|(honest, trial)| !trial.conforms || !honest.misread(trial).is_empty())
    }

    /// Whether every mutant dies of what it breaks and every honest implementation is let alone.
    pub fn is_in_order(&self) -> bool {
        self.survivors().next().is_none()
            && self.misdiagnosed().next().is_none()
            && self.alarms().next().is_none()
    }

    /// Writes the page.
    ///
    /// # Errors
    /// As `out` has them.
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
        writeln!(out, "{} honest implementations, {alarms} refused or misread", self.honest.len())
    }

    fn write_mutants(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{:<11} {:<40} {:>5} ", "family", "mutant", "cases")?;
        for spec in Spec::ALL {
            write!(out, "{:>7}", short(spec))?;
        }
        writeln!(out, "  first killed by")?;
        for (mutant, trial) in &self.mutants {
            let mut per_spec: BTreeMap<Spec, usize> = BTreeMap::new();
            for &at in &trial.kills {
                *per_spec.entry(self.bench.case(at).call.spec()).or_default() += 1;
            }
            write!(out, "{:<11} {:<40} {:>5} ", mutant.family.name(), mutant.name, trial.kills.len())?;
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
        for mutant in self.misdiagnosed() {
            writeln!(
                out,
                "KILLED FOR ANOTHER REASON {}: no killing case is about {}",
                mutant.name,
                mutant.breaks.join(", ")
            )?;
        }
        Ok(())
    }

    fn write_cases(&self, out: &mut dyn Write) -> fmt::Result {
        let useless = useless(self.bench, &self.mutants);
        for id in useless.harmless {
            writeln!(out, "kills nothing: {id}")?;
        }
        for ids in useless.duplicates {
            writeln!(out, "kill the same: {}", ids.join(" "))?;
        }
        writeln!(out)
    }

    fn write_honest(&self, out: &mut dyn Write) -> fmt::Result {
        writeln!(out, "{:<42} {:>8} {:>7}", "honest implementation", "conforms", "refused")?;
        for (honest, trial) in &self.honest {
            let refused = trial.tally.run - trial.tally.conforms;
            writeln!(out, "{:<42} {:>8} {refused:>7}", honest.name, trial.tally.conforms)?;
        }
        writeln!(out)?;
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
/// As `out` has them.
pub fn write_one(bench: &Bench<'_>, mutant: &Mutant, trial: &Trial, out: &mut dyn Write) -> fmt::Result {
    writeln!(out, "{}: {}", mutant.name, mutant.wrong)?;
    writeln!(out, "breaks {}", mutant.breaks.join(", "))?;
    for &at in &trial.kills {
        let case = bench.case(at);
        let mark = if mutant.breaks_first_clause_of(case) { " " } else { "?" };
        let clause = case.clauses.first().map_or("", |clause| &clause.name);
        writeln!(out, "{mark} {} ({clause})", case.name)?;
    }
    writeln!(out, "killed by {} of {} cases", trial.kills.len(), bench.len())
}

/// A spec in five characters.
fn short(spec: Spec) -> &'static str {
    match spec.name().rsplit_once("Reduce") {
        Some((_, version)) => version,
        None => "bnns",
    }
}
