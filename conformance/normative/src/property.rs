//! The options that say which generated calls a run makes.

use anyhow::Result;
use clap::{Arg, ArgMatches};
use normative_conformance::reference::Spec;
use normative_conformance::run::property::Id;
use normative_conformance::session::Calls;

use crate::select::Selection;

/// The options.
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

/// What the options were set to.
pub(crate) fn of(matches: &ArgMatches, selection: &Selection) -> Result<Calls> {
    match matches.get_one("property-call") {
        Some(&id) => Ok(Calls::One(id)),
        None => of_row(matches, selection),
    }
}

/// What the options were set to, of a command that makes no single call.
pub(crate) fn of_row(matches: &ArgMatches, selection: &Selection) -> Result<Calls> {
    // Whoever names a case wants to see that.
    let usual = selection.names_cases().then_some(0);
    Ok(Calls::Row {
        seed: matches.get_one("seed").copied().unwrap_or(Calls::SEED),
        calls: matches.get_one("property").copied().or(usual),
        specs: selection.specs()?,
    })
}

/// The generated call of that name, as a failure prints it or as it is repeated by: `generated-1:2/…`, `1:2`.
pub(crate) fn generated(name: &str) -> Option<Id> {
    let place = name.strip_prefix("generated-").and_then(|rest| rest.split('/').next()).unwrap_or(name);
    place.parse().ok()
}
