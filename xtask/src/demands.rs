//! What is demanded of a backend, as options that several commands have.

use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Arg, ArgAction, ArgMatches};
use normative_conformance::reference::Choice;
use normative_conformance::{Demands, Evaluator};

/// The option that says how long to wait for an answer, in seconds; `usual` where it is not given.
pub(crate) fn timeout(usual: u64) -> Arg {
    Arg::new("timeout")
        .long("timeout")
        .value_name("SECONDS")
        .value_parser(clap::value_parser!(u64).range(1..))
        .help(format!("Give up on an answer after this many seconds [default: {usual}]"))
}

/// How long to wait for an answer; `usual` is in seconds.
pub(crate) fn patience(matches: &ArgMatches, usual: u64) -> Duration {
    Duration::from_secs(matches.get_one("timeout").copied().unwrap_or(usual))
}

/// The option that demands readings; `help` says what happens to a backend that takes others.
pub(crate) fn reading(help: &'static str) -> Arg {
    Arg::new("reading")
        .long("reading")
        .value_name("QUESTION=READING")
        .action(ArgAction::Append)
        .value_parser(Demands::reading)
        .help(help)
}

/// The option that says what computes the values that a backend is judged by.
pub(crate) fn evaluator() -> Arg {
    let named = |name: String| Evaluator::ALL.into_iter().find(|one| one.name() == name).unwrap_or_default();
    Arg::new("evaluator")
        .long("evaluator")
        .value_name("NAME")
        .value_parser(PossibleValuesParser::new(Evaluator::ALL.map(Evaluator::name)).map(named))
        .help(
            "What computes the values that answers are judged by: the oracle, or exact, the definition in reference/, which \
             is slower. The report is the same [default: oracle]",
        )
}

/// What computes the values.
pub(crate) fn evaluator_of(matches: &ArgMatches) -> Evaluator {
    matches.get_one("evaluator").copied().unwrap_or_default()
}

/// The readings that are demanded.
pub(crate) fn readings(matches: &ArgMatches) -> Vec<Choice> {
    matches.get_many("reading").into_iter().flatten().copied().collect()
}
