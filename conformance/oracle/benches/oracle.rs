//! Measures the speed of exact expectations, as ratios to the alternatives: `cargo xtask bench`.
//!
//! The contenders of a row take turns in one run. Times vary between machines and hours; compare the ratios.

mod data;
mod growth;
mod limits;
mod measure;
mod memory;
mod plot;
mod ratios;
mod rivals;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Any error.
type Failure = Box<dyn std::error::Error>;

const USAGE: &str = "[--quick] [--only ratios|small|growth|memory] [--check plain|rivals] [--svg FILE]";

/// The command-line options.
#[derive(Default)]
struct Wanted {
    /// Measure less of everything: half a minute.
    quick: bool,
    /// One part only.
    only: Option<String>,
    /// Measure only the ratios with a limit, and check them.
    check: Option<String>,
    /// The file for the plot of the growth.
    svg: Option<PathBuf>,
}

fn main() -> ExitCode {
    match wanted().and_then(|wanted| run(&wanted)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn wanted() -> Result<Wanted, Failure> {
    let mut wanted = Wanted::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // An argument that `cargo bench` passes to every bench.
            "--bench" => {}
            "--quick" => wanted.quick = true,
            "--only" => wanted.only = arguments.next(),
            "--check" => wanted.check = arguments.next(),
            "--svg" => wanted.svg = arguments.next().map(PathBuf::from),
            other => return Err(format!("{other}: {USAGE}").into()),
        }
    }
    Ok(wanted)
}

fn run(wanted: &Wanted) -> Result<(), Failure> {
    let quick = wanted.quick;
    match wanted.check.as_deref() {
        None => {}
        Some("plain") => return limits::plain(),
        Some("rivals") => return limits::rivals(),
        Some(other) => return Err(format!("--check {other}: {USAGE}").into()),
    }
    match wanted.only.as_deref() {
        None => {
            ratios::inner(quick)?;
            ratios::outer(quick)?;
            ratios::small(quick)?;
            growth::print(quick, wanted.svg.as_deref())?;
            // The peak counts from the start of a process, so the measurement needs a fresh one.
            let mut alone = Command::new(std::env::current_exe()?);
            alone.args(["--only", "memory"]).args(quick.then_some("--quick"));
            if !alone.status()?.success() {
                return Err("the memory was not measured".into());
            }
            Ok(())
        }
        Some("ratios") => {
            ratios::inner(quick)?;
            ratios::outer(quick)
        }
        Some("small") => ratios::small(quick),
        Some("growth") => growth::print(quick, wanted.svg.as_deref()),
        Some("memory") => memory::print(quick),
        Some(other) => Err(format!("--only {other}: {USAGE}").into()),
    }
}
