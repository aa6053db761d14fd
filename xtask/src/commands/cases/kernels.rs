//! `cargo xtask cases coverage --kernels`: what cases and generated calls meet of the covering design of kernels.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use normative_conformance::generate::covering::design::Coverage;
use normative_conformance::reference::Spec;
use normative_conformance::run::property::{Id, row};

use normative::select::Folder;

/// The number of generated calls that have to meet it together with the cases, and their row.
const CALLS: usize = 20_000;
const SEED: u64 = 1;

/// Prints the figures and what is missing, by name.
pub(super) fn main(folder: &Folder) -> Result<ExitCode> {
    let corpus = folder.load()?;
    let generated = || row(SEED, &Spec::ALL).take(CALLS).map(Id::call);
    let cases = Coverage::of(corpus.cases.iter().map(|case| case.call.clone()))?;
    let mut together = cases.clone();
    generated().try_for_each(|call| together.add(&call))?;
    let covered = [
        (format!("{} cases", corpus.cases.len()), &cases),
        (format!("{CALLS} generated calls, seed {SEED}"), &Coverage::of(generated())?),
        ("together".to_owned(), &together),
    ];
    let mut text = String::new();
    for (design, of_design) in [("kernels", &together.kernels), ("special values", &together.specials)] {
        for missing in of_design.missing() {
            writeln!(text, "not met, of {design}: {missing}")?;
        }
    }
    for (name, coverage) in covered {
        for (design, met) in [("kernels", &coverage.kernels), ("special values", &coverage.specials)] {
            writeln!(text, "{name}, {design}: pairs {}, triples {}", met.pairs(), met.triples())?;
        }
    }
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::from(u8::from(!together.is_enough())))
}
