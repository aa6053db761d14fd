//! How far chance alone comes: of calls drawn at random, as many as the argument says, how many meet the
//! first so many of the ten conditions.

use normative_conformance::property::row;
use normative_conformance::reference::Spec;
use normative_planted::{CONDITIONS, conditions_met};

fn main() {
    let calls = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1_000_000);
    let mut met = [0_u64; CONDITIONS.len() + 1];
    for id in row(1, &Spec::ALL).take(calls) {
        met[conditions_met(&id.call())] += 1;
    }
    let deepest = met.iter().rposition(|&count| count > 0).unwrap_or(0);
    println!(
        "{calls} calls at random: at most {deepest} of {} conditions met; by number: {met:?}",
        CONDITIONS.len()
    );
}
