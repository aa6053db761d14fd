//! `cargo xtask zoo [MUTANT]`: counts the wrong implementations that the cases catch, and the right ones that
//! they refuse. `--hunt CALLS` does so for the hunt. `--drawn SEED` counts the drawn wrong kernels that a
//! default run finds.
//!
//! Exit codes: 0 if every mutant is killed and no honest row refused, 1 if not, 2 if the command failed.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use normative_conformance::corpus::load;
use normative_conformance::reference::Spec;
use normative_conformance::run::prepare;
use normative_conformance::session::Calls;
use normative_zoo::bench::Bench;
use normative_zoo::drawn::{drawn, found};
use normative_zoo::generated::PreparedRow;
use normative_zoo::matrix::{write_one, zoo};
use normative_zoo::{Mutant, mutants};

/// The seed of the generated calls.
const SEED: u64 = 1;

/// The number of kernels that are drawn to measure a default run.
const DRAWN: usize = 300;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, String> {
    let name = std::env::args().nth(1);
    let drawn_by = match name.as_deref() {
        Some("--drawn") => {
            let seed = std::env::args().nth(2).and_then(|seed| seed.parse().ok());
            Some(seed.ok_or("--drawn wants a seed")?)
        }
        _ => None,
    };
    let name = name.filter(|_| drawn_by.is_none());
    let mutant = match &name {
        Some(name) => Some(named(name).ok_or_else(|| format!("there is no mutant {name}"))?),
        None => None,
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let corpus = load(&folder).map_err(|errors| list(&errors))?;
    let bench = Bench::new(prepare(&corpus.cases).map_err(|errors| list(&errors))?);
    let mut text = String::new();
    // The default number of calls for a backend that claims every family.
    let calls = Calls::by_default(false, &Spec::ALL);
    let row = || PreparedRow::new(SEED, calls, &Spec::ALL).map_err(|error| error.to_string());
    let (written, in_order) = if let Some(seed) = drawn_by {
        let found = found(&drawn(seed, DRAWN), &bench, &row()?);
        (found.write(&mut text), found.is_enough())
    } else if let Some(mutant) = mutant {
        let trial = bench.trial(&mut mutant.backend());
        (write_one(&bench, &mutant, &trial, &mut text), !trial.kills.is_empty())
    } else {
        let zoo = zoo(&bench, &row()?);
        (zoo.write(&mut text), zoo.is_in_order())
    };
    written.map_err(|error| error.to_string())?;
    // Ignore errors: the reader may have closed the pipe.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    Ok(ExitCode::from(u8::from(!in_order)))
}

fn named(name: &str) -> Option<Mutant> {
    mutants().into_iter().find(|mutant| mutant.name == name)
}

fn list<E: std::fmt::Display>(errors: &[E]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n  ")
}
