//! Tests the conditions of defects: the backend is asked calls that break one part of a condition and nothing else. The
//! bounds of the parts that remain are found by halving.
//!
//! A condition is learned from the calls of a run, and may be narrower than its cause ("terms < 512" where no call has
//! more). A call that fails in the same way without a part refutes it. Nothing here counts for or against a backend.

use std::collections::BTreeSet;

use normative_reference::Call;

use super::Watch;
use super::small::{attempt, known};
use crate::defect::bound::Stretch;
use crate::defect::traits::{self, Trait};
use crate::drive::Driver;
use crate::judge::verdict::Demands;
use crate::report::defect::{Defect, Shrunk};
use crate::report::record::Smaller;
use crate::shrink::{Failing, FailureClass, varied};

/// The most defects whose conditions are tested: those whose calls were made small.
const DEFECTS: usize = 24;

/// The calls asked for each part of a condition, if none fails.
const TRIES: usize = 3;

/// The times that conditions are tested: one that was refuted is learned anew.
pub(super) const ROUNDS: usize = 3;

/// Asks calls that break one part of a condition, and returns those that fail like the defect, each with the name of
/// the failure that its small call was made from. Those that an `earlier` run asked are not asked again, and no part of
/// a defect's condition is `tested` twice.
pub(super) fn all(
    defects: &[Defect<'_>],
    backend: &mut dyn Driver,
    demands: &Demands,
    watch: &dyn Watch,
    earlier: &[Smaller],
    tested: &mut BTreeSet<(String, Trait)>,
) -> Vec<Shrunk> {
    let mut failing = Vec::new();
    // The number of attempts is limited anyway.
    backend.count_no_faults();
    for (at, defect) in defects.iter().enumerate().take(DEFECTS) {
        let Some(small) = &defect.shrunk else { continue };
        let Some(class) = FailureClass::of(&small.verdict) else { continue };
        let way = Failing { class, errors: defect.errors };
        let others = || defects.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
        let is_own =
            |call: &Call, traits: &[Trait]| !others().any(|other| may_explain(other, class, call, traits));
        let mut ask = |call: &Call| {
            if watch.stops() {
                return None;
            }
            let recorded = earlier.iter().find(|one| one.of == small.of && one.bytes == *call);
            let recorded = recorded.and_then(|one| known(one, &small.of, way, demands));
            let asked = || {
                let (answer, verdict) = attempt(call, way, backend, demands)?;
                Some(Shrunk { of: small.of.clone(), call: call.clone(), answer, verdict })
            };
            recorded.or_else(asked)
        };
        let parts = defect.condition.iter().zip(tests(&small.call, &defect.condition, is_own));
        for (part, calls) in parts {
            if !tested.insert((small.of.clone(), *part)) {
                continue;
            }
            if let Some(refuting) = calls.iter().take(TRIES).find_map(&mut ask) {
                failing.push(refuting);
                continue;
            }
            let Some(stretch) = Stretch::of(&small.call, *part, &defect.condition) else { continue };
            let mut last = small.clone();
            let found = stretch.last(&small.call, |call| {
                let asked = if is_met(defect, call) { ask(call) } else { None };
                let fails = asked.is_some();
                last = asked.unwrap_or_else(|| last.clone());
                fails
            });
            failing.extend(found.map(|_| last));
        }
    }
    failing
}

/// Returns true if a call meets the condition of a defect.
fn is_met(defect: &Defect<'_>, call: &Call) -> bool {
    let traits = traits::of(call);
    defect.condition.iter().all(|part| traits.contains(part))
}

/// Returns true if a call may fail in this way because of another defect: such a call refutes nothing.
fn may_explain(other: &Defect<'_>, class: FailureClass, call: &Call, traits: &[Trait]) -> bool {
    let fails_so = other.faults.iter().any(|(fault, _)| *fault == class.fault);
    let is_met = other.condition.iter().all(|part| traits.contains(part));
    let is_of_types = other.dtypes.contains(&call.data.dtype()) && other.specs.contains_key(&call.spec());
    fails_so && is_met && is_of_types
}

/// Returns true if a call that lacks this part has another value in its place. No answer to a call outside the text is
/// wrong, and a call that reduces nothing has none of the numbers of a reduction, so it tests no bound of them.
fn breaks(part: Trait, traits: &[Trait]) -> bool {
    let is_number = |of_call: &Trait| match (part, of_call) {
        (Trait::Number(quantity, _), Trait::Number(other, _)) => quantity == *other,
        _ => false,
    };
    let is_test = !matches!(part, Trait::Number(..)) || traits.iter().any(is_number);
    is_test && !traits.contains(&traits::OUTSIDE)
}

/// Returns the calls that break each part of a condition, and no other part of it.
fn tests(call: &Call, condition: &[Trait], is_own: impl Fn(&Call, &[Trait]) -> bool) -> Vec<Vec<Call>> {
    let varied = if condition.is_empty() { Vec::new() } else { varied(call) };
    let broken: Vec<(Trait, Call)> = varied
        .into_iter()
        .filter_map(|call| {
            let traits = traits::of(&call);
            let part = traits::only_lacking(condition, &traits)?;
            (breaks(part, &traits) && is_own(&call, &traits)).then_some((part, call))
        })
        .collect();
    let of = |part: &Trait| {
        broken.iter().filter(|(broken, _)| broken == part).map(|(_, call)| call.clone()).collect()
    };
    condition.iter().map(of).collect()
}
