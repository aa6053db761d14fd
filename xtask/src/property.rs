//! Which generated calls the main job makes.

use anyhow::Result;
use clap::{Arg, ArgMatches};
use normative_conformance::reference::Spec;
use normative_conformance::run::property::{self, Id};

use crate::partition::Part;
use crate::select::Selection;

/// Calls made, unless `--property` says otherwise. With the cases they take a fast backend less than two seconds.
const CALLS: usize = 20_000;

/// Calls made of a backend that declares itself slow. The number depends on no clock: a report is the same on every
/// machine.
const CALLS_OF_SLOW: usize = 5_000;

/// The row they stand in, unless `--seed` says otherwise.
const SEED: u64 = 1;

/// The generated calls of a run.
pub(crate) enum Property {
    /// The first so many of a row that are of these specs.
    Row {
        /// The row.
        seed: u64,
        /// How many; by default that depends on the backend.
        calls: Option<usize>,
        /// Of which specs.
        specs: Vec<Spec>,
    },
    /// One, and no case.
    One(Id),
}

impl Property {
    /// The options.
    pub(crate) fn options() -> [Arg; 3] {
        [
            Arg::new("property")
                .long("property")
                .value_name("N")
                .value_parser(clap::value_parser!(usize))
                .help(format!(
                    "Make this many generated calls as well [default: {CALLS}, or {CALLS_OF_SLOW} of a backend that \
                     declares itself slow, or 0 with --case or --filter]"
                )),
            Arg::new("seed")
                .long("seed")
                .value_name("SEED")
                .value_parser(clap::value_parser!(u64))
                .help(format!("Generate the calls of this seed [default: {SEED}]")),
            Arg::new("property-call")
                .long("property-call")
                .value_name("SEED:INDEX")
                .value_parser(clap::value_parser!(Id))
                .conflicts_with_all(["property", "seed", "spec", "filter", "case", "list"])
                .help("Make only this generated call, as failures print it, and run no case"),
        ]
    }

    /// What the options were set to.
    pub(crate) fn of(matches: &ArgMatches, selection: &Selection) -> Result<Self> {
        match matches.get_one("property-call") {
            Some(&id) => Ok(Self::One(id)),
            None => Self::of_row(matches, selection),
        }
    }

    /// What the options were set to, of a command that makes no single call.
    pub(crate) fn of_row(matches: &ArgMatches, selection: &Selection) -> Result<Self> {
        // Whoever names a case wants to see that.
        let usual = selection.names_cases().then_some(0);
        Ok(Self::Row {
            seed: matches.get_one("seed").copied().unwrap_or(SEED),
            calls: matches.get_one("property").copied().or(usual),
            specs: selection.specs()?,
        })
    }

    /// Whether there is one call, and no case.
    pub(crate) const fn is_one_call(&self) -> bool {
        matches!(self, Self::One(_))
    }

    /// The row the calls stand in.
    pub(crate) const fn seed(&self) -> u64 {
        match self {
            Self::Row { seed, .. } | Self::One(Id { seed, .. }) => *seed,
        }
    }

    /// How many calls of a row are made by default, and why so many, where it is the default that is taken.
    pub(crate) const fn usual(&self, slow: bool) -> Option<(usize, &'static str)> {
        match (self, slow) {
            (Self::Row { calls: None, .. }, true) => {
                Some((CALLS_OF_SLOW, "the backend declares itself slow"))
            }
            (Self::Row { calls: None, .. }, false) => {
                Some((CALLS, "the backend does not declare itself slow"))
            }
            _ => None,
        }
    }

    /// Which calls, of this part, are made of a backend that is slow or not.
    pub(crate) fn ids(&self, part: Option<Part>, slow: bool) -> Vec<Id> {
        let is_ours = |id: &Id| part.is_none_or(|part| part.has(&id.to_string()));
        match self {
            Self::One(id) => vec![*id],
            // Without a spec the row has no end and no call.
            Self::Row { specs, .. } if specs.is_empty() => Vec::new(),
            Self::Row { seed, calls, specs } => {
                let usual = if slow { CALLS_OF_SLOW } else { CALLS };
                property::row(*seed, specs).take(calls.unwrap_or(usual)).filter(is_ours).collect()
            }
        }
    }
}
