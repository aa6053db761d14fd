//! The options that select the generated calls of a run.

use anyhow::{Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use normative_conformance::reference::Spec;
use normative_conformance::session::Calls;

use crate::select::Selection;

/// Returns the options.
pub(crate) fn options() -> [Arg; 2] {
    let [usual, of_slow] = [false, true].map(|slow| Calls::by_default(slow, &Spec::ALL));
    [
        Arg::new("property").long("property").value_name("N").value_parser(clap::value_parser!(usize)).help(
            format!(
                "Make this many generated calls as well [default: {usual} of all families, or {of_slow} of a backend \
                 that declares itself slow, and of some families their part; or 0 with --case or --filter]"
            ),
        ),
        Arg::new("seed")
            .long("seed")
            .value_name("SEED")
            .value_parser(clap::value_parser!(u64))
            .help(format!("Generate the calls of this seed [default: {}]", Calls::SEED)),
    ]
}

/// The option that ends the calls by the clock.
pub(crate) fn time() -> Arg {
    Arg::new("time")
        .long("time")
        .value_name("TIME")
        .value_parser(humantime::parse_duration)
        .conflicts_with_all(["property", "last-failed", "partition", "resume", "list"])
        .help("Make generated calls until this long after the start, such as 60s or 10m, in place of a number of them")
}

/// Returns the calls that the options select.
///
/// # Errors
/// Some are named, and an option makes others.
pub(crate) fn of(matches: &ArgMatches, selection: &Selection) -> Result<Calls> {
    if let [first, ..] = selection.generated().as_slice() {
        let given = matches.ids().map(clap::Id::as_str);
        let mut given = given.filter(|id| matches.value_source(id) == Some(ValueSource::CommandLine));
        if let Some(other) = given.find(|id| ["property", "seed", "spec", "time", "list"].contains(id)) {
            bail!("--case {first} is a generated call: expected no --{other} beside it");
        }
        return Ok(Calls::These(first.seed, selection.generated()));
    }
    let time = matches.try_get_one("time").ok().flatten();
    match (time, of_row(matches, selection)?) {
        (Some(&time), Calls::Row { seed, specs, .. }) => Ok(Calls::Timed { seed, time, specs }),
        (_, calls) => Ok(calls),
    }
}

/// Reads the options of a row of calls.
fn of_row(matches: &ArgMatches, selection: &Selection) -> Result<Calls> {
    // If the user names cases, ask only those.
    let usual = selection.names_cases().then_some(0);
    Ok(Calls::Row {
        seed: matches.get_one("seed").copied().unwrap_or(Calls::SEED),
        calls: matches.get_one("property").copied().or(usual),
        specs: selection.specs()?,
    })
}
