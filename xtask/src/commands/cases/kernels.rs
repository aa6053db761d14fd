//! `cargo xtask cases coverage --kernels`: measures the coverage of the kernel design by cases and generated calls.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use normative_conformance::generate::covering::design::Coverage;
use normative_conformance::reference::Spec;
use normative_conformance::run::property::{Id, row};

use normative::select::Folder;

/// The number of generated calls, and their seed, that must complete the coverage of the cases.
const CALLS: usize = 20_000;
const SEED: u64 = 1;

/// Prints the coverage, and the missing combinations by name.
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
