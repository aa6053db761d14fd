//! An estimate of the time that a run still takes, from the calls left to ask.
//!
//! A call that a backend does not support takes no time, and a backend may support few specs. So the estimate counts
//! only supported calls. For each spec it assumes the same share of supported calls as so far. A spec without an asked
//! call counts in full.

use std::collections::BTreeMap;
use std::time::Duration;

use normative_conformance::Verdict;
use normative_conformance::reference::Spec;

/// The number of supported calls needed for an estimate.
const ENOUGH: usize = 20;

/// The counts of asked and remaining calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forecast {
    specs: BTreeMap<Spec, Share>,
    /// The supported calls that this run asked.
    taken: usize,
}

/// The calls of a spec.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    left: usize,
    asked: usize,
    /// The asked calls that the backend supports.
    taken: usize,
}

impl Forecast {
    /// Starts with this many calls of each spec.
    pub(crate) fn of(calls: &BTreeMap<Spec, usize>) -> Self {
        let share = |(&spec, &left): (&Spec, &usize)| (spec, Share { left, ..Share::default() });
        Self { specs: calls.iter().map(share).collect(), taken: 0 }
    }

    /// Counts a call. One on record informs the share of supported calls, but took no time in this run.
    pub(crate) fn count(&mut self, spec: Spec, verdict: &Verdict, is_on_record: bool) {
        let is_taken = !matches!(verdict, Verdict::Unsupported(_));
        let share = self.specs.entry(spec).or_default();
        share.left = share.left.saturating_sub(1);
        share.asked += 1;
        share.taken += usize::from(is_taken);
        self.taken += usize::from(is_taken && !is_on_record);
    }

    /// Estimates the time left, given the time since the first call of this run.
    pub(crate) fn left(&self, passed: Duration) -> Option<Duration> {
        if self.taken < ENOUGH {
            return None;
        }
        let to_take = |share: &Share| share.left as f64 * (share.taken + 1) as f64 / (share.asked + 1) as f64;
        let to_take: f64 = self.specs.values().map(to_take).sum();
        Some(passed.mul_f64(to_take / self.taken as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(forecast: &mut Forecast, spec: Spec, calls: usize) {
        let taken = Verdict::Crashed("any verdict but one".into());
        (0..calls).for_each(|_| forecast.count(spec, &taken, false));
    }

    fn declined(forecast: &mut Forecast, spec: Spec, calls: usize) {
        let declined = Verdict::Unsupported("no".into());
        (0..calls).for_each(|_| forecast.count(spec, &declined, false));
    }

    fn seconds(forecast: &Forecast, passed: u64) -> Option<u64> {
        forecast.left(Duration::from_secs(passed)).map(|left| left.as_secs_f64().round() as u64)
    }

    fn of(first: usize, second: usize) -> Forecast {
        Forecast::of(&BTreeMap::from([(Spec::ALL[0], first), (Spec::ALL[1], second)]))
    }

    #[test]
    fn nothing_is_said_before_enough_calls_were_taken() {
        let mut forecast = of(100, 100);
        declined(&mut forecast, Spec::ALL[0], 50);
        took(&mut forecast, Spec::ALL[0], ENOUGH - 1);
        assert_eq!(seconds(&forecast, 10), None);
    }

    #[test]
    fn calls_that_are_all_taken_take_their_share_of_time() {
        let mut forecast = of(100, 100);
        took(&mut forecast, Spec::ALL[0], 50);
        assert_eq!(seconds(&forecast, 10), Some(30));
    }

    #[test]
    fn calls_that_a_backend_does_not_take_are_no_time_left() {
        let mut forecast = of(1000, 10_000);
        declined(&mut forecast, Spec::ALL[1], 999);
        took(&mut forecast, Spec::ALL[0], 500);
        // 500 of the first spec, and about 9 of the 9,001 calls left of the second, which it declines.
        assert_eq!(seconds(&forecast, 100), Some(102));
    }

    #[test]
    fn calls_on_record_took_no_time() {
        let mut forecast = of(1000, 0);
        let taken = Verdict::Crashed("any verdict but one".into());
        (0..800).for_each(|_| forecast.count(Spec::ALL[0], &taken, true));
        took(&mut forecast, Spec::ALL[0], 100);
        assert_eq!(seconds(&forecast, 50), Some(50));
    }
}
