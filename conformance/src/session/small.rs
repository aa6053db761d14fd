//! Makes failing calls small by asking the backend smaller and smaller ones: one call of each group of failures.
//!
//! The small call fails in the same way as the original. With any failure allowed, shrinking slips from one
//! mistake to another: for the zoo's combinations of mistakes, 93 of 246 came out right that way, and 101 this
//! way. Nothing here counts for or against a backend; the run has failed already.

use std::convert::Infallible;

use crate::observed::{Death, Observed};
use normative_reference::Call;

use super::{Job, Watch};
use crate::drive::patience::is_not_asked;
use crate::drive::{Driver, team};
use crate::judge::fault::Fault;
use crate::judge::verdict::{Demands, Sheet, Verdict, judge};
use crate::report::defect::Shrunk;
use crate::report::defects::Causes;
use crate::report::record::Smaller;
use crate::run::probe::settle_alone;
use crate::shrink::{Failing, newer, shrink};

/// The most groups whose calls are made small: more defects are rarely fixed at once.
const GROUPS: usize = 24;

/// The name of a call to be made small, the call, and the way in which it fails.
type Group<'c> = (String, &'c Call, Failing);

/// Makes the smallest call of each group small, within the job's limit of attempts for each. Several workers
/// each take a share. Calls that an `earlier` run made small are not asked again.
pub(super) fn all(
    causes: &Causes<'_, '_>,
    job: &Job<'_>,
    backend: &mut dyn Driver,
    demands: &Demands,
    watch: &dyn Watch,
    earlier: &[Smaller],
) -> Vec<Shrunk> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (name, call, way) in causes.smallest().take(GROUPS) {
        // Each attempt that times out costs the whole deadline.
        if way.class.fault != Fault::TimedOut {
            groups.push((name.name(), call, way));
        }
    }
    let one = |backend: &mut dyn Driver, (name, call, way): &Group<'_>| {
        if let Some(known) = earlier.iter().find_map(|smaller| known(smaller, name, *way, demands)) {
            return Some(known);
        }
        // The number of attempts is limited anyway, and small calls of a crash mostly crash again.
        backend.count_no_faults();
        one(name.clone(), call, *way, job, backend, demands)
    };
    let workers = backend.workers().len();
    if workers == 0 {
        return groups
            .iter()
            .take_while(|_| !watch.stops())
            .filter_map(|group| one(backend, group))
            .collect();
    }
    if watch.stops() {
        return Vec::new();
    }
    let shares = (0..workers).collect();
    let made = team::at_once(backend.workers(), shares, |worker, share: usize| {
        let own = groups.iter().skip(share).step_by(workers);
        own.map(|group| one(worker, group)).collect::<Vec<_>>()
    });
    let mut made: Vec<_> = made.into_iter().map(Vec::into_iter).collect();
    (0..groups.len()).filter_map(|at| made[at % workers].next().flatten()).collect()
}

/// Returns the call that an earlier run made of this one, if it still fails in this way.
pub(super) fn known(smaller: &Smaller, name: &str, way: Failing, demands: &Demands) -> Option<Shrunk> {
    if smaller.of != name {
        return None;
    }
    let Smaller { of, bytes: call, answer, .. } = smaller.clone();
    let verdict = judge(&Sheet::of(&call).ok()?, &answer, demands);
    way.is_of(&verdict).then_some(Shrunk { of, call, answer, verdict })
}

/// Makes one call small; `None` if it does not fail in this way again.
fn one(
    of: String,
    call: &Call,
    way: Failing,
    job: &Job<'_>,
    backend: &mut dyn Driver,
    demands: &Demands,
) -> Option<Shrunk> {
    let mut timed_out = false;
    let mut ask = |call: &Call| -> Option<(Observed, Verdict)> {
        let failing = if timed_out { None } else { attempt(call, way, backend, demands) };
        timed_out |= matches!(failing, Some((Observed::Died(Death::TimedOut(_)), _)));
        failing
    };
    let mut last = ask(call)?;
    let mut fails = |call: &Call| {
        let failing = ask(call);
        let fails = failing.is_some();
        last = failing.unwrap_or_else(|| last.clone());
        fails
    };
    let small = shrink(call, job.shrink.saturating_sub(newer(call).len()), &mut fails);
    let call = newer(&small).into_iter().find(fails).unwrap_or(small);
    let (answer, verdict) = last;
    Some(Shrunk { of, call, answer, verdict })
}

/// Asks a call; returns its answer if that fails in this way.
pub(super) fn attempt(
    call: &Call,
    way: Failing,
    backend: &mut dyn Driver,
    demands: &Demands,
) -> Option<(Observed, Verdict)> {
    if backend.is_halted() {
        return None;
    }
    let sheet = Sheet::of(call).ok()?;
    let answer = backend.ask(call);
    let verdict = judge(&sheet, &answer, demands);
    // A worker that was given up did not get the call, so its crash says nothing about the call.
    if is_not_asked(&verdict) {
        return None;
    }
    // A call of a form that the backend does not support is a different failure, not a smaller one.
    let verdict = settle_alone(call, &answer, verdict, &demands.capabilities, |calls| {
        Ok::<_, Infallible>(backend.ask_all(calls))
    })
    .unwrap_or_else(|never| match never {});
    way.is_of(&verdict).then_some((answer, verdict))
}
