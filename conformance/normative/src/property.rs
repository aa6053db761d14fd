//! The options that select the generated calls of a run.

use anyhow::Result;
use clap::{Arg, ArgMatches};
use normative_conformance::reference::Spec;
use normative_conformance::run::property::Id;
use normative_conformance::session::Calls;

use crate::select::Selection;

/// Returns the options.
pub(crate) fn options() -> [Arg; 3] {
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
        Arg::new("property-call")
            .long("property-call")
            .value_name("SEED:INDEX")
            .value_parser(clap::value_parser!(Id))
            .conflicts_with_all(["property", "seed", "spec", "filter", "case", "list"])
            .help("Make only this generated call, after the one that it is a neighbour of if any, and run no case"),
    ]
}

/// The option that ends the calls by the clock.
pub(crate) fn time() -> Arg {
    Arg::new("time")
        .long("time")
        .value_name("TIME")
        .value_parser(humantime::parse_duration)
        .conflicts_with_all(["property", "property-call", "last-failed", "partition", "resume", "list"])
        .help("Make generated calls until this long after the start, such as 60s or 10m, in place of a number of them")
}

/// Returns the calls that the options select.
pub(crate) fn of(matches: &ArgMatches, selection: &Selection) -> Result<Calls> {
    if let Some(&id) = matches.get_one("property-call") {
        return Ok(Calls::One(id));
    }
    match (matches.get_one("time"), of_row(matches, selection)?) {
        (Some(&time), Calls::Row { seed, specs, .. }) => Ok(Calls::Timed { seed, time, specs }),
        (_, calls) => Ok(calls),
    }
}

/// Reads the options of a command without `--property-call`.
pub(crate) fn of_row(matches: &ArgMatches, selection: &Selection) -> Result<Calls> {
    // If the user names cases, ask only those.
    let usual = selection.names_cases().then_some(0);
    Ok(Calls::Row {
        seed: matches.get_one("seed").copied().unwrap_or(Calls::SEED),
        calls: matches.get_one("property").copied().or(usual),
        specs: selection.specs()?,
    })
}

/// Parses the name of a generated call, as a failure prints it (`generated-1:2/…`) or as an option takes it (`1:2`).
pub(crate) fn generated(name: &str) -> Option<Id> {
    let place = name.strip_prefix("generated-").and_then(|rest| rest.split('/').next()).unwrap_or(name);
    place.parse().ok()
}
