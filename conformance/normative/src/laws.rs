//! `--laws`: holds the answers of a backend to related calls against each other. No case and no expected value is involved.

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches};
use normative_conformance::law::{row, run};
use normative_conformance::session::Calls;
use normative_conformance::{Driver as _, Worker};

use crate::rerun::backend_options;
use crate::select::Selection;
use crate::{demands, home, output, property, runner};

/// Generated calls each law is tried on, unless `--property` says otherwise.
const CALLS: usize = 2_000;

/// Every option that says something of cases, expected values or reports.
const WITHOUT: &str = "accuracy all baseline cases fail-on format jobs keep \
    list max-failures reading record repeat resume";

/// The option.
pub(crate) fn option() -> Arg {
    Arg::new("laws").long("laws").action(ArgAction::SetTrue).conflicts_with_all(WITHOUT.split_whitespace()).help(format!(
        "Ask pairs of related calls instead, and hold their answers against each other, without any expected value \
         [calls by default: {CALLS}]"
    ))
}

/// Tries every law.
///
/// # Errors
/// If the worker does not start or cannot be asked any more, or no law applied.
pub(crate) fn main(matches: &ArgMatches, backend: &str, selection: &Selection) -> Result<ExitCode> {
    if selection.names_cases() && selection.generated().is_empty() {
        bail!("--laws asks generated calls: expected --case SEED:INDEX");
    }
    let limits = demands::limits(matches);
    let mut worker = Worker::start(runner::program(backend)?, limits).context("the worker did not start")?;
    let capabilities = worker.capabilities();
    let report = match property::of(matches, selection)? {
        Calls::Row { seed, calls, mut specs } => {
            specs.retain(|spec| selection.narrows() || capabilities.claims(spec.family()));
            let row = row(seed, &specs, &capabilities.declared);
            run(row.take(calls.unwrap_or(CALLS)), &mut worker)
        }
        _ => run(selection.generated(), &mut worker),
    };
    worker.check()?;
    let backend = backend_options(backend, matches.get_one("name"));
    let mut text = String::new();
    report.write(&mut text, &format!("{} conformance {backend} --laws", home::program()))?;
    output::print(&text)?;
    if report.tallies.iter().all(|(_, tally)| tally.held + tally.broken == 0) {
        bail!("no law applied: the backend supports none of the calls, or there was none");
    }
    Ok(ExitCode::from(u8::from(!report.broken.is_empty())))
}
