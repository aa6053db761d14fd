//! The zoo before the hunt: how many calls and how long each mutant takes to be found, shrinking counted in,
//! and whether anybody honest is accused.

use std::fmt::{self, Write};
use std::time::{Duration, Instant};

use normative_conformance::drive::StartError;
use normative_conformance::generate::Profile;
use normative_conformance::parallel::each;
use normative_conformance::reference::Spec;
use normative_conformance::{Demands, Driver};
use normative_hunt::{Catch, HuntError, Plan, Subject, found, hunt};

use crate::{honest, mutants};

/// Calls after which a mutant counts as not found.
const PATIENCE: usize = 20_000;

/// What a mutant may take to be found, shrinking counted in.
const LIMIT: Duration = Duration::from_secs(10);

/// What half of the mutants may take.
const MEDIAN: u64 = 2_000;

/// What came of it.
pub struct Hunted {
    /// Of every mutant: its name, which call it was found by, and how long that took.
    mutants: Vec<(&'static str, Option<u64>, Duration)>,
    /// Calls asked of honest implementations, all together.
    calls: usize,
    /// Honest implementations, each with what it was accused of.
    accused: Vec<(String, String)>,
}

/// Hunts every mutant until it is found, and asks the honest so many calls all together.
///
/// # Errors
/// [`HuntError`], which no backend in this process gives reason to.
pub fn hunted(seed: u64, honest_calls: usize) -> Result<Hunted, HuntError> {
    let mutants = mutants();
    let found = each(&mutants, |mutant| {
        let started = Instant::now();
        let catch = hunt_one(seed, PATIENCE, || boxed(mutant.backend()))?;
        Ok((mutant.name, catch.finds.first().map(|find| find.id.index + 1), started.elapsed()))
    });
    let mutants = found.into_iter().collect::<Result<_, HuntError>>()?;
    let honest = honest();
    let calls = honest_calls.div_ceil(honest.len());
    let asked = each(&honest, |honest| {
        let catch = hunt_one(seed, calls, || boxed(honest.backend()))?;
        Ok((catch.calls, catch.finds.first().map(|find| (honest.name.clone(), found::id(find)))))
    });
    let asked = asked.into_iter().collect::<Result<Vec<_>, HuntError>>()?;
    let calls = asked.iter().map(|(calls, _)| calls).sum();
    Ok(Hunted { mutants, calls, accused: asked.into_iter().filter_map(|(_, accused)| accused).collect() })
}

fn boxed(backend: impl Driver + 'static) -> Box<dyn Driver> {
    Box::new(backend)
}

fn hunt_one(seed: u64, calls: usize, make: impl Fn() -> Box<dyn Driver> + Sync) -> Result<Catch, HuntError> {
    let start = || Ok::<_, StartError>(make());
    let plan = Plan {
        seed,
        specs: Spec::ALL.to_vec(),
        profiles: Profile::ALL.to_vec(),
        calls: Some(calls),
        deadline: None,
        finds: Some(1),
        jobs: 1,
    };
    hunt(&plan, &[Subject { start: &start, demands: Demands::default() }], |_| {})
}

impl Hunted {
    /// Whether every mutant was found soon enough, and nobody honest accused.
    pub fn is_in_order(&self) -> bool {
        let soon = self.mutants.iter().all(|(_, found, took)| found.is_some() && *took <= LIMIT);
        soon && self.median() <= MEDIAN && self.accused.is_empty()
    }

    fn median(&self) -> u64 {
        let mut calls: Vec<u64> =
            self.mutants.iter().map(|(_, found, _)| found.unwrap_or(u64::MAX)).collect();
        calls.sort_unstable();
        calls.get(calls.len() / 2).copied().unwrap_or(0)
    }

    /// Writes the figures.
    ///
    /// # Errors
    /// As `out` has them.
    pub fn write(&self, out: &mut dyn Write) -> fmt::Result {
        for (name, found, took) in &self.mutants {
            if found.is_none() || *took > LIMIT {
                writeln!(out, "NOT FOUND SOON ENOUGH {name}: call {found:?}, {:.1} s", took.as_secs_f64())?;
            }
        }
        for (name, id) in &self.accused {
            writeln!(out, "ALARM {name}: {id}")?;
        }
        let found = self.mutants.iter().filter(|(_, found, _)| found.is_some()).count();
        let slowest = self.mutants.iter().map(|(_, _, took)| took.as_secs_f64()).fold(0.0, f64::max);
        writeln!(
            out,
            "{found} of {} mutants found, half of them within {} calls, each within {slowest:.1} s",
            self.mutants.len(),
            self.median()
        )?;
        writeln!(out, "{} calls of honest implementations, {} accused", self.calls, self.accused.len())
    }
}
