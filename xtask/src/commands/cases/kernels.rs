//! `cargo xtask cases coverage --kernels`: what cases and generated calls meet of the covering design of kernels.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use normative_conformance::generate::covering::design::Coverage;
use normative_conformance::reference::{Call, Spec};
use normative_conformance::run::property::{Id, row};

use crate::select::Folder;

/// How many generated calls have to meet it, and of which row.
const CALLS: usize = 6000;
const SEED: u64 = 1;

/// Prints the figures and what is missing, by name.
pub(super) fn main(folder: &Folder) -> Result<ExitCode> {
    let corpus = folder.load()?;
    let generated: Vec<Call> = row(SEED, &Spec::ALL).take(CALLS).map(Id::call).collect();
    let covered = [
        (format!("{} cases", corpus.cases.len()), Coverage::of(corpus.cases.iter().map(|case| &case.call))?),
        (format!("{CALLS} generated calls, seed {SEED}"), Coverage::of(&generated)?),
    ];
    let mut text = String::new();
    for (name, coverage) in &covered {
        for missing in coverage.missing() {
            writeln!(text, "not met by {name}: {missing}")?;
        }
    }
    for (name, coverage) in &covered {
        writeln!(text, "{name}: pairs {}, triples {}", coverage.pairs(), coverage.triples())?;
    }
    std::io::stdout().lock().write_all(text.as_bytes())?;
    let enough = covered.iter().all(|(_, coverage)| coverage.is_enough());
    Ok(ExitCode::from(u8::from(!enough)))
}
