//! Demands on a backend: the options that several commands share.

use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches};
use normative_conformance::Demands;
use normative_conformance::drive::{Limits, SECOND_LIMIT};
use normative_conformance::reference::Choice;
use normative_conformance::reference::newest::newest;

use crate::judging::PATIENCE;

/// A start may take this many times as long as an answer, and never less than by default.
const START: u32 = 6;

/// Returns the option for the maximum time of an answer, in seconds.
pub fn timeout() -> Arg {
    let parser = clap::value_parser!(u64).range(1..);
    Arg::new("timeout").long("timeout").value_name("SECONDS").value_parser(parser).help(format!(
        "Give up on an answer after this many seconds; a call that is late is asked again, alone, with {SECOND_LIMIT} times as \
         many, before that counts; a start may take {START} times as many, and at least {} seconds [default: {PATIENCE}]",
        Limits::default().hello.as_secs()
    ))
}

/// Returns the limits of a worker.
pub fn limits(matches: &ArgMatches) -> Limits {
    let answer = Duration::from_secs(matches.get_one("timeout").copied().unwrap_or(PATIENCE));
    let limits = Limits::default();
    Limits { answer, hello: limits.hello.max(answer.saturating_mul(START)), ..limits }
}

/// Returns the option that demands readings; `help` says what happens to a backend that takes others.
pub fn reading(help: &'static str) -> Arg {
    Arg::new("reading")
        .long("reading")
        .value_name("QUESTION=READING|newest")
        .action(ArgAction::Append)
        .value_parser(demanded)
        .help(help)
}

/// Parses a reading; `newest` stands for all that later revisions of the texts settle.
fn demanded(word: &str) -> Result<Vec<Choice>, String> {
    if word == "newest" { Ok(newest().collect()) } else { Demands::reading(word).map(|choice| vec![choice]) }
}

/// Returns the readings that the options demand, each once.
pub fn readings(matches: &ArgMatches) -> Vec<Choice> {
    let mut demanded: Vec<Choice> = Vec::new();
    for &choice in matches.get_many::<Vec<Choice>>("reading").into_iter().flatten().flatten() {
        if !demanded.contains(&choice) {
            demanded.push(choice);
        }
    }
    demanded
}

#[cfg(test)]
mod tests {
    use normative_conformance::reference::{Question, Reading};

    use super::*;

    fn demanded(arguments: &[&str]) -> Vec<Choice> {
        let command = clap::Command::new("test").no_binary_name(true).arg(reading(""));
        readings(&command.try_get_matches_from(arguments).unwrap())
    }

    #[test]
    fn without_an_option_no_reading_is_demanded() {
        assert_eq!(demanded(&[]), []);
    }

    #[test]
    fn the_newest_text_demands_what_it_settles_beside_what_is_asked_for() {
        let asked = "duplicate-axes=reject";
        let demanded = demanded(&["--reading", asked, "--reading", "newest"]);
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
