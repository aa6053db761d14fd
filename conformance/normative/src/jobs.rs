//! `--jobs N`: the number of workers that run at once. Records and reports do not depend on it.

use std::thread;

use clap::{Arg, ArgMatches};

/// The default maximum of jobs. Each takes the memory of a runtime, and one judge has to order all answers.
const MOST: usize = 4;

/// The number of calls for each worker, because some runtimes take a second or more to load.
const CALLS_EACH: usize = 200;

/// Returns the option.
pub(crate) fn option(help: &'static str) -> Arg {
    Arg::new("jobs")
        .long("jobs")
        .short('j')
        .value_name("N")
        .value_parser(clap::value_parser!(u16).range(1..=256))
        .help(format!("{help} [default: one a processor, {MOST} at most]"))
}

/// Returns the number of jobs.
pub(crate) fn of(matches: &ArgMatches) -> usize {
    let usual = || thread::available_parallelism().map_or(1, usize::from).min(MOST);
    matches.get_one::<u16>("jobs").map_or_else(usual, |&jobs| usize::from(jobs))
}

/// Returns the number of workers for this many calls, at most `jobs`.
pub(crate) fn workers(jobs: usize, calls: usize) -> usize {
    jobs.min(calls / CALLS_EACH).max(1)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::one_call(4, 1, 1)]
    #[case::calls_of_one_worker(4, 399, 1)]
    #[case::calls_of_two(4, 400, 2)]
    #[case::calls_of_many(4, 30_000, 4)]
    #[case::one_job(1, 30_000, 1)]
    fn no_worker_is_started_for_a_few_calls(
        #[case] jobs: usize,
        #[case] calls: usize,
        #[case] expected: usize,
    ) {
        assert_eq!(workers(jobs, calls), expected);
    }
}
