//! Times contenders in turns, so that other load on the machine slows all of them.
//!
//! Criterion and divan time one function after another, minutes apart. On a machine that is shared, or
//! changes its clock, ratios of such figures mean nothing. This module reports the least time of each,
//! because noise only adds.

use std::time::{Duration, Instant};

/// One way to do the work.
pub(crate) type Contender<'a> = Box<dyn FnMut() + 'a>;

/// The least length of a sample, so that reading the clock costs little beside it.
const SAMPLE: Duration = Duration::from_micros(200);

/// The time and number of measurements.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// The time after which no new round starts; each contender runs once in a round.
    pub(crate) budget: Duration,
    /// The least number of rounds.
    pub(crate) rounds: u32,
}

/// Returns the least seconds that one call of each contender took.
pub(crate) fn fastest(effort: Effort, contenders: &mut [Contender<'_>]) -> Vec<f64> {
    let calls: Vec<u32> = contenders.iter_mut().map(|run| calls_in_a_sample(run)).collect();
    let mut least = vec![f64::INFINITY; contenders.len()];
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < effort.rounds || start.elapsed() < effort.budget {
        for ((run, &calls), least) in contenders.iter_mut().zip(&calls).zip(&mut least) {
            *least = least.min(time(run, calls).as_secs_f64() / f64::from(calls));
        }
        rounds += 1;
    }
    least
}

fn calls_in_a_sample(run: &mut Contender<'_>) -> u32 {
    let mut calls = 1;
    while time(run, calls) < SAMPLE {
        calls *= 2;
    }
    calls
}

fn time(run: &mut Contender<'_>, calls: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..calls {
        run();
    }
    start.elapsed()
}
