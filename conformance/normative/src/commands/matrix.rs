//! `cargo xtask matrix`: judges every backend that is ready, and compares them in one table.
//!
//! Several backends are judged at once, each by one worker. So also the calls that need one process run beside other
//! runs, and each runtime takes its memory once.
//!
//! Each backend leaves the same record as a run of it alone; one file, for `cargo xtask report`, joins them all. A
//! backend that does not start is named and has no column; the others are judged all the same. An unavailable backend,
//! such as a CUDA device that this machine lacks, is a failure only if the user named it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, Error, Result, anyhow, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::drive::Program;
use normative_conformance::report::Report;
use normative_conformance::{Unavailable, outside, parallel};
use normative_present::column::Column;

use crate::backends::{self, SetupState};
use crate::judging::Judging;
use crate::note::{self, note};
use crate::output::Output;
use crate::records::path_of_run;
use crate::records::usual_path;
use crate::rerun::{Rerun, of_records};
use crate::select::{self, Selection};
use crate::{demands, interrupt, jobs, property, runner};

/// Returns the command's options.
pub(crate) fn command() -> Command {
    Command::new("matrix")
        .about("Judge several backends and put them side by side")
        .after_help("Exit code 0: all were judged, whatever came of it. 1: one could not be. 2: no table was made.\n\
             Without --backend, one that says that it is unavailable is left out.",
        )
        .arg(runner::option().action(ArgAction::Append).help(
            "A backend, as conformance takes it (repeatable) [default: all that cargo xtask backends calls ready]",
        ))
        .arg(runner::name_option().action(ArgAction::Append).help(
            "What the backend before it is called in the tables and records (repeatable) [default: what --backend says]",
        ))
        .args(Selection::options())
        .args(property::options())
        .arg(demands::timeout())
        .arg(jobs::option(
            "Judge N backends at once, or ask one by more workers where there are fewer; the records and the report are the \
             same",
        ))
        .arg(
            Arg::new("record")
                .long("record")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .help("Keep the records of all runs in this file [default: matrix.ndjson under the target directory]"),
        )
        .args(Output::options())
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let named = matches.contains_id("backend");
    let backends = backends(matches)?;
    let selection = Selection::of(matches);
    let corpus = selection.load()?;
    let calls = property::of(matches, &selection)?;
    let prepared = select::prepared(selection.select_beside_generated(&corpus)?)?;
    let ledger = selection.folder.ledger()?;
    let limits = demands::limits(matches);
    let claimed = !selection.narrows();
    let judging = Judging { claimed, ..Judging::of(&corpus, &ledger, &prepared, calls, limits) };
    let output = Output::of(matches);
    interrupt::listen()?;
    // A backend judged among others has one worker, or more if there are fewer backends than jobs.
    let jobs = jobs::of(matches);
    let at_once = jobs.min(backends.len());
    let judging = Judging { jobs: jobs / at_once.max(1), among: at_once > 1, ..judging };
    // Build one after the other: a build takes all processors by itself.
    let program = |(place, asked): (usize, Asked)| (place, runner::program(&asked.backend), asked);
    let programs: Vec<_> = longest_first(backends).into_iter().map(program).collect();
    let judged = parallel::each_on(at_once, &programs, |(place, program, asked)| {
        if interrupt::wanted() {
            return None;
        }
        let started = Instant::now();
        let name = asked.name();
        let rerun = Rerun::of(&asked.backend, &selection.folder, &judging).named(asked.given.as_ref());
        let judged = program.as_ref().map_err(|error| anyhow!(note::once(error))).and_then(|program| {
            let recorded = rerun.for_others().command();
            let rerun = if output.is_for_others() { rerun.for_others() } else { rerun.clone() };
            let (report, path) = judge(&judging, name, program, recorded, selection.narrows())?;
            let again = rerun.command();
            Ok((Column { repro: rerun.repro(), name: name.clone(), report, again }, path))
        });
        note(format_args!("{name}: {:.1} s", started.elapsed().as_secs_f64()));
        if let Err(error) = &judged {
            note::error(format_args!("{name} is not judged: {}", note::once(error)));
        }
        Some((*place, judged))
    });
    let Some(mut judged) = judged.into_iter().collect::<Option<Vec<_>>>() else {
        bail!("stopped; the records of those that were judged are kept");
    };
    judged.sort_by_key(|(place, _)| *place);
    let (mut columns, mut paths, mut absent) = (Vec::new(), Vec::new(), 0);
    for (_, judged) in judged {
        match judged {
            Ok((column, path)) => {
                columns.push(column);
                paths.push(path);
            }
            Err(error) => absent += u8::from(is_failure(&error, named)),
        }
    }
    if columns.is_empty() {
        bail!("no backend was judged");
    }
    let record = matches.get_one("record").cloned().map_or_else(|| usual_path("matrix"), Ok)?;
    join(&paths, &record).with_context(|| record.display().to_string())?;
    let show = of_records(&[&record], &selection.folder);
    output.write(&columns, Some(&show), &corpus, &ledger)?;
    note(format_args!("the answers are in {}", record.display()));
    Ok(ExitCode::from(absent.min(1)))
}

/// Returns the backends in the order of judging, each with its place among those given. Slow ones start first: started
/// last, one would run alone while other processors idle.
fn longest_first(backends: Vec<Asked>) -> Vec<(usize, Asked)> {
    let mut placed: Vec<_> = backends.into_iter().enumerate().collect();
    placed.sort_by_key(|(_, asked)| !backends::takes_long(&asked.backend));
    placed
}

/// Returns true if a backend that was not judged makes the run fail.
fn is_failure(error: &Error, named: bool) -> bool {
    named || !error.is::<Unavailable>()
}

fn judge<'a>(
    judging: &Judging<'a>,
    name: &str,
    program: &Program,
    again: String,
    narrowed: bool,
) -> Result<(Report<'a>, PathBuf)> {
    let path = path_of_run(name, narrowed)?;
    // Clone, because `run` excludes the families that this backend does not claim.
    Ok((judging.clone().run(name, program, again, path.clone(), false)?, path))
}

/// A backend to judge.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    backend: String,
    /// Its name by `--name`, if given.
    given: Option<String>,
}

impl Asked {
    /// Returns its name in tables and records.
    const fn name(&self) -> &String {
        match &self.given {
            Some(name) => name,
            None => &self.backend,
        }
    }
}

/// Returns the backends that the user named, or else all that are ready.
fn backends(matches: &ArgMatches) -> Result<Vec<Asked>> {
    let asked = asked(matches)?;
    if !asked.is_empty() {
        return Ok(asked);
    }
    let mut ready = Vec::new();
    for wanted in backends::all() {
        if wanted.state()? == SetupState::Ready {
            ready.push(Asked { backend: wanted.known.name.to_owned(), given: None });
        }
    }
    if ready.is_empty() {
        bail!("no backend is ready: cargo xtask setup makes some so");
    }
    Ok(ready)
}

/// Returns the backends that the user named, each with the `--name` that follows it.
fn asked(matches: &ArgMatches) -> Result<Vec<Asked>> {
    let words = |option: &str| {
        let places = matches.indices_of(option).into_iter().flatten();
        places.zip(matches.get_many::<String>(option).into_iter().flatten().cloned())
    };
    let mut asked: Vec<(usize, Asked)> =
        words("backend").map(|(at, backend)| (at, Asked { backend, given: None })).collect();
    for (at, name) in words("name") {
        let before = asked.iter_mut().rfind(|(place, _)| *place < at);
        let Some((_, Asked { given: given @ None, .. })) = before else {
            bail!("expected a --backend of its own before --name {name}");
        };
        *given = Some(name);
    }
    let asked: Vec<Asked> = asked.into_iter().map(|(_, asked)| asked).collect();
    // Each writes a record under its name, and several are judged at once, so names must differ.
    for (at, one) in asked.iter().enumerate() {
        if asked[..at].iter().any(|other| other.name() == one.name()) {
            let name = one.name();
            bail!("expected backends of different names, got {name} twice; --name gives one another name");
        }
    }
    Ok(asked)
}

/// Joins all records in one file.
fn join(paths: &[PathBuf], output: &Path) -> Result<()> {
    Ok(outside::write(output, |to| {
        paths.iter().try_for_each(|path| std::io::copy(&mut outside::open(path)?, to).map(|_| ()))
    })?)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn words(line: &str) -> Result<Vec<Asked>> {
        asked(&command().no_binary_name(true).try_get_matches_from(line.split(' ')).unwrap())
    }

    #[test]
    fn a_name_is_that_of_the_backend_before_it() {
        let found = words("--backend ../a --name one --backend numpy --backend ../b --name two").unwrap();
        let one = |backend: &str, given: Option<&str>| Asked {
            backend: backend.into(),
            given: given.map(Into::into),
        };
        assert_eq!(found, [one("../a", Some("one")), one("numpy", None), one("../b", Some("two"))]);
    }

    #[test]
    fn backends_that_take_long_are_judged_first_and_keep_their_places() {
        let asked = words("--backend numpy --backend iree --backend ../a --backend tvm@0.26.0").unwrap();
        let order = longest_first(asked).into_iter().map(|(place, asked)| (place, asked.backend));
        let names = [(1, "iree"), (3, "tvm@0.26.0"), (0, "numpy"), (2, "../a")];
        assert!(order.eq(names.map(|(place, name)| (place, name.to_owned()))));
    }

    #[rstest]
    #[case::of_none("--name one --backend ../a", "before --name one")]
    #[case::a_second("--backend ../a --name one --name two", "before --name two")]
    #[case::one_twice("--backend ../a --backend ../a", "got ../a twice")]
    #[case::of_another("--backend one --backend ../a --name one", "got one twice")]
    fn names_that_tell_no_backends_apart_are_refused(#[case] line: &str, #[case] says: &str) {
        let error = words(line).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }

    #[rstest]
    #[case::named(true, true)]
    #[case::found_ready(false, false)]
    fn only_a_named_backend_fails_by_being_unavailable(#[case] named: bool, #[case] fails: bool) {
        let unavailable =
            Error::new(Unavailable("no device".into())).context("torch-cuda is unavailable: no device");
        assert_eq!(is_failure(&unavailable, named), fails);
        assert!(is_failure(&anyhow!("the worker did not start"), named));
    }
}
