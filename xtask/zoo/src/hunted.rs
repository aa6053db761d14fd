//! Runs the hunt on the zoo: the calls and the time until each mutant is found, including shrinking, and the
//! findings against honest rows.

use std::fmt::{self, Write};
use std::time::{Duration, Instant};

use normative_conformance::drive::StartError;
use normative_conformance::generate::Profile;
use normative_conformance::parallel::each;
use normative_conformance::reference::Spec;
use normative_conformance::{Demands, Driver};
use normative_hunt::{Catch, HuntError, Plan, Subject, found, hunt};

use crate::{honest, mutants};

/// The number of calls after which a mutant counts as not found.
const PATIENCE: usize = 20_000;

/// The time limit for each mutant, including shrinking.
const LIMIT: Duration = Duration::from_secs(10);

/// The limit for the median number of calls.
const MEDIAN: u64 = 2_000;

/// The results of the hunt.
pub struct Hunted {
    /// For each mutant its name, the number of the call that found it, and the time.
    mutants: Vec<(&'static str, Option<u64>, Duration)>,
    /// The number of calls to all honest implementations together.
    calls: usize,
    /// Honest implementations with a finding, and that finding.
    accused: Vec<(String, String)>,
}

/// Hunts every mutant until it is found, and spreads `honest_calls` calls over the honest rows.
///
/// # Errors
/// [`HuntError`], which backends in this process do not cause.
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
    /// Returns true if every mutant was found soon enough, and no honest row has a finding.
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
    /// Errors of `out`.
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
