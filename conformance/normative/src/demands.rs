//! Demands on a backend: the options that several commands share.

use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches};
use normative_conformance::Demands;
use normative_conformance::drive::{Limits, SECOND_LIMIT};
use normative_conformance::reference::Choice;
use normative_conformance::reference::newest::newest;

/// A start may take this many times as long as an answer, and never less than by default.
const START: u32 = 6;

/// Returns the option for the maximum time of an answer, in seconds. `usual` is the default.
pub fn timeout(usual: u64) -> Arg {
    let parser = clap::value_parser!(u64).range(1..);
    Arg::new("timeout").long("timeout").value_name("SECONDS").value_parser(parser).help(format!(
        "Give up on an answer after this many seconds; a call that is late is asked again, alone, with {SECOND_LIMIT} times as \
         many, before that counts; a start may take {START} times as many, and at least {} seconds [default: {usual}]",
        Limits::default().hello.as_secs()
    ))
}

/// Returns the limits of a worker. `usual` is the default number of seconds for an answer.
pub fn limits(matches: &ArgMatches, usual: u64) -> Limits {
    let answer = Duration::from_secs(matches.get_one("timeout").copied().unwrap_or(usual));
    let limits = Limits::default();
    Limits { answer, hello: limits.hello.max(answer.saturating_mul(START)), ..limits }
}

/// Returns the option that demands readings; `help` says what happens to a backend that takes others.
pub fn reading(help: &'static str) -> Arg {
    Arg::new("reading")
        .long("reading")
        .value_name("QUESTION=READING")
        .action(ArgAction::Append)
        .value_parser(Demands::reading)
        .help(help)
}

/// Returns the option that demands the readings of later revisions of a text.
pub fn text() -> Arg {
    Arg::new("text").long("text").value_name("REVISION").value_parser(["judged", "newest"]).help(
        "Hold the backend to this revision of the texts: newest fails it where it reads a question otherwise that a later \
         revision settles, as --reading does [default: judged]",
    )
}

/// Returns the readings that the options demand.
pub fn readings(matches: &ArgMatches) -> Vec<Choice> {
    let mut demanded: Vec<Choice> = matches.get_many("reading").into_iter().flatten().copied().collect();
    // Only some commands have `--text`.
    let text = matches.try_get_one::<String>("text").ok().flatten();
    if text.is_some_and(|text| text == "newest") {
        demanded.extend(newest().filter(|settled| !demanded.contains(settled)).collect::<Vec<_>>());
    }
    demanded
}

#[cfg(test)]
mod tests {
    use normative_conformance::reference::{Question, Reading};
    use rstest::rstest;

    use super::*;

    fn demanded(arguments: &[&str]) -> Vec<Choice> {
        let command = clap::Command::new("test").no_binary_name(true).args([text(), reading("")]);
        readings(&command.try_get_matches_from(arguments).unwrap())
    }

    #[rstest]
    #[case::nothing(&[])]
    #[case::the_judged_revision(&["--text", "judged"])]
    fn the_text_judged_demands_no_reading(#[case] arguments: &[&str]) {
        assert_eq!(demanded(arguments), []);
    }

    #[test]
    fn the_newest_text_demands_what_it_settles_beside_what_is_asked_for() {
        let asked = "duplicate-axes=reject";
        let demanded = demanded(&["--text", "newest", "--reading", asked]);
        assert_eq!(demanded[0].to_string(), asked);
        let settled: Vec<(Question, Reading)> =
            demanded[1..].iter().map(|choice| (choice.question, choice.reading)).collect();
        let each = Reading::NormOfEachElement;
        assert_eq!(
            settled,
            [
                (Question::NoopAbsentAxes, each),
                (Question::NoopNullAxes, each),
                (Question::NoopEmptyAxes, each)
            ]
        );
    }
}
