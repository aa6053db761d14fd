//! Times contenders side by side, in turn, so that whatever else the machine does falls on all of them.
//!
//! Criterion and divan time one function after another, minutes apart; on a machine that is shared, or
//! that changes its clock, ratios of such figures say nothing. What is given is the least time of each: noise
//! only ever adds.

use std::time::{Duration, Instant};

/// One way to do the work.
pub(crate) type Contender<'a> = Box<dyn FnMut() + 'a>;

/// What a sample has to last to be worth reading the clock for.
const SAMPLE: Duration = Duration::from_micros(200);

/// How long and how often contenders are measured.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Rounds go on until this much time is spent, in which each contender runs once in each,
    pub(crate) budget: Duration,
    /// but there are at least so many.
    pub(crate) rounds: u32,
}

/// The least seconds one call of each contender took.
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
