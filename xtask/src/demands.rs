//! What is demanded of a backend, as options that several commands have.

use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Arg, ArgAction, ArgMatches};
use normative_conformance::drive::{Limits, SECOND_LIMIT};
use normative_conformance::reference::Choice;
use normative_conformance::{Demands, Evaluator};

/// The options that say how long to wait for an answer, and for a worker to start, in seconds; an answer has `usual` where it is
/// not given.
pub(crate) fn timeouts(usual: u64) -> [Arg; 2] {
    let seconds = |name: &'static str| {
        Arg::new(name).long(name).value_name("SECONDS").value_parser(clap::value_parser!(u64).range(1..))
    };
    let hello = Limits::default().hello.as_secs();
    [
        seconds("timeout").help(format!(
            "Give up on an answer after this many seconds; a call that is late is asked again, alone, with {SECOND_LIMIT} times as \
             many, before that counts [default: {usual}]"
        )),
        seconds("hello-timeout").help(format!(
            "Give up on a worker that has not started after this many seconds [default: {hello}]"
        )),
    ]
}

/// What a worker may take; `usual` is how many seconds an answer has where nothing is given.
pub(crate) fn limits(matches: &ArgMatches, usual: u64) -> Limits {
    let seconds = |name: &str| matches.get_one(name).copied().map(Duration::from_secs);
    let limits = Limits::default();
    Limits {
        answer: seconds("timeout").unwrap_or(Duration::from_secs(usual)),
        hello: seconds("hello-timeout").unwrap_or(limits.hello),
        ..limits
    }
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
