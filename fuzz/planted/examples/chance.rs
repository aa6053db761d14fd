//! How far one comes without a fuzzer: of calls drawn at random, as many as the first argument says, and of the
//! inputs in the folder that is the second, how many meet the first so many of the ten conditions.
//!
//! Fails where the bug is among the inputs, or where one of them cannot be read.

use std::error::Error;

use normative_conformance::generate::input;
use normative_conformance::reference::{Call, Spec};
use normative_conformance::run::property::row;
use normative_planted::{CONDITIONS, conditions_met};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let calls = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1_000_000);
    deepest("calls at random", row(1, &Spec::ALL).take(calls).map(|id| id.call()));
    if let Some(folder) = arguments.next() {
        let mut inputs = Vec::new();
        for file in std::fs::read_dir(folder)? {
            inputs.push(input::call(&std::fs::read(file?.path())?));
        }
        if deepest("seeds", inputs.into_iter()) == CONDITIONS.len() {
            return Err("a seed meets all conditions".into());
        }
    }
    Ok(())
}

/// Says how far calls come; the most conditions that one of them meets.
fn deepest(what: &str, calls: impl Iterator<Item = Call>) -> usize {
    let mut met = [0_u64; CONDITIONS.len() + 1];
    calls.for_each(|call| met[conditions_met(&call)] += 1);
    let deepest = met.iter().rposition(|&count| count > 0).unwrap_or(0);
    println!(
        "{} {what}: at most {deepest} of {} conditions met; by number: {met:?}",
        met.iter().sum::<u64>(),
        CONDITIONS.len()
    );
    deepest
}
