//! The options that select the generated calls of a run.

use std::time::Duration;

use anyhow::{Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use normative_conformance::reference::Spec;
use normative_conformance::session::Calls;

use crate::select::Selection;

/// The amount of generated calls.
#[derive(Clone, Copy, Debug)]
enum Amount {
    Calls(usize),
    /// As many as there is time for, from the start of the run.
    Time(Duration),
}

impl Amount {
    fn of(text: &str) -> Result<Self, String> {
        let calls = text.parse().map(Self::Calls).ok();
        let time = || humantime::parse_duration(text).map(Self::Time);
        calls.map_or_else(time, Ok).map_err(|_| "expected a number, or a time such as 60s or 10m".to_owned())
    }
}

/// Returns the options.
pub(crate) fn options() -> [Arg; 2] {
    let [usual, of_slow] = [false, true].map(|slow| Calls::by_default(slow, &Spec::ALL));
    [
        Arg::new("property").long("property").value_name("N|TIME").value_parser(Amount::of).help(
            format!(
                "Make this many generated calls as well, or calls until this long after the start, such as 60s or 10m \
                 [default: {usual} of all families, or {of_slow} of a backend that declares itself slow, and of some families \
                 their part; or 0 with --case]"
            ),
        ),
        Arg::new("seed")
            .long("seed")
            .value_name("SEED")
            .value_parser(clap::value_parser!(u64))
            .help(format!("Generate the calls of this seed [default: {}]", Calls::SEED)),
    ]
}

/// Returns the calls that the options select.
///
/// # Errors
/// Some are named, and an option makes others; or time ends them, and an option needs their number.
pub(crate) fn of(matches: &ArgMatches, selection: &Selection) -> Result<Calls> {
    let given = |options: &[&str]| {
        let mut given = matches.ids().map(clap::Id::as_str);
        given
            .find(|id| options.contains(id) && matches.value_source(id) == Some(ValueSource::CommandLine))
            .map(str::to_owned)
    };
    if let [first, ..] = selection.generated().as_slice() {
        if let Some(other) = given(&["property", "seed", "spec", "list"]) {
            bail!("--case {first} is a generated call: expected no --{other} beside it");
        }
        return Ok(Calls::These(first.seed, selection.generated()));
    }
    let seed = matches.get_one("seed").copied().unwrap_or(Calls::SEED);
    let specs = selection.specs()?;
    let calls = match matches.get_one("property") {
        Some(&Amount::Time(time)) => {
            if let Some(other) = given(&["resume", "list", "laws"]) {
                bail!("--property {time:?}: expected a number of calls with --{other}, got a time");
            }
            return Ok(Calls::Timed { seed, time, specs });
        }
        Some(&Amount::Calls(calls)) => Some(calls),
        // If the user names cases, ask only those.
        None => selection.names_cases().then_some(0),
    };
    Ok(Calls::Row { seed, calls, specs })
}
