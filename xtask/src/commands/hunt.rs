//! `cargo xtask hunt --backend NAME`: generated calls until time is up; every find shrunk and kept as a case.
//!
//! Each job drives a worker of its own. Finds go to `found/` below the cases, from where they run and are
//! adopted, but which is no part of the corpus. The report goes to standard output, progress to standard error.

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use indicatif::{ProgressBar, ProgressStyle};
use normative_conformance::corpus::{Case, Ledger};
use normative_conformance::drive::{Limits, Program, StartError, Worker};
use normative_conformance::generate::Profile;
use normative_conformance::outside;
use normative_conformance::reference::Choice;
use normative_conformance::{Demands, Driver};
use normative_hunt::text::Kept;
use normative_hunt::{Catch, Evidence, Find, Plan, Subject, found, hunt, text};

use crate::cases::found::text_of;
use normative::home::program;
use normative::home::shown;
use normative::note::note;
use normative::progress::is_watched;
use normative::rerun::backend_options;
use normative::select::{Folder, Selection};
use normative::shell::quoted;
use normative::{demands, runner};

/// Seconds an answer may take, unless `--timeout` says otherwise: generated calls are small.
const PATIENCE: u64 = 2;

/// How long to hunt, unless something else says when to stop.
const TIME: Duration = Duration::from_secs(60);

/// What the command takes.
pub(crate) fn command() -> Command {
    let number = clap::value_parser!(u64);
    Command::new("hunt")
        .about("Look for generated calls that a backend gets wrong, and keep the smallest as cases")
        .after_help("Exit code 0: nothing found. 1: something. 2: the hunt itself went wrong.")
        .arg(runner::option().required(true))
        .arg(runner::name_option())
        .arg(Arg::new("against").long("against").value_name("NAME|PATH|cmd:PROGRAM ARGS").help(
            "A second backend: it is hunted too, and where the two differ the reference says who is wrong",
        ))
        .arg(Selection::spec_option())
        .arg(
            Arg::new("profile")
                .long("profile")
                .value_name("PROFILE")
                .action(ArgAction::Append)
                .value_parser(["valid", "open", "invalid"])
                .help("Make only calls of this kind (repeatable)"),
        )
        .arg(
            Arg::new("time")
                .long("time")
                .value_name("TIME")
                .value_parser(time)
                .help("Stop after this long, such as 60s or 10m [default: 60s, unless --calls is given]"),
        )
        .arg(
            Arg::new("calls")
                .long("calls")
                .value_name("N")
                .value_parser(clap::value_parser!(usize))
                .help("Stop after so many calls: then the same seed finds the same every time"),
        )
        .arg(
            Arg::new("jobs")
                .long("jobs")
                .value_name("N")
                .default_value("2")
                .value_parser(clap::value_parser!(u16).range(1..))
                .help("Ask so many workers at a time; what is found does not depend on it"),
        )
        .arg(
            Arg::new("seed")
                .long("seed")
                .value_name("SEED")
                .default_value("1")
                .value_parser(number)
                .help("Generate the calls of this seed"),
        )
        .arg(demands::reading(
            "Find the backend wrong wherever it reads this question otherwise (repeatable)",
        ))
        .args(demands::timeouts(PATIENCE))
        .arg(Folder::option())
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    let selection = Selection::of_specs(matches);
    let (mut plan, ledger) = (plan(matches, &selection)?, selection.folder.ledger()?);
    let readings = demands::readings(matches);
    let limits = demands::limits(matches, PATIENCE);
    let names: Vec<&String> =
        ["backend", "against"].iter().filter_map(|name| matches.get_one(name)).collect();

    let (mut programs, mut demands) = (Vec::new(), Vec::new());
    for name in &names {
        let program = runner::program(name)?;
        let worker = Worker::start(program.clone(), limits).context("the worker did not start")?;
        let capabilities = worker.capabilities();
        if !selection.narrows() {
            // Whoever is hunted beside another is asked what both claim.
            plan.specs.retain(|spec| capabilities.claims(spec.family()));
        }
        demands.push(Demands { capabilities, accuracy: None, readings: readings.clone() });
        programs.push(program);
    }
    let starts: Vec<_> = programs.iter().map(|program| move || start(program, limits)).collect();
    let subjects: Vec<Subject<'_>> =
        starts.iter().zip(demands).map(|(start, demands)| Subject { start, demands }).collect();

    // The clock starts once there is somebody to ask.
    let deadline = matches.get_one("time").copied().or(plan.calls.is_none().then_some(TIME));
    let started = Instant::now();
    let plan = Plan { deadline: deadline.map(|time: Duration| started + time), ..plan };
    let progress = Progress::new();
    let catch = hunt(&plan, &subjects, |catch| progress.show(catch, started))?;
    progress.bar.finish_and_clear();
    note(format_args!("{} calls in {:.2} s", catch.calls, started.elapsed().as_secs_f64()));

    let given = matches.get_one::<String>("name");
    // Only the first can be given another name.
    let asked: Vec<String> =
        names.iter().zip([given, None]).map(|(name, given)| backend_options(name, given)).collect();
    let kept = keep(&catch, &selection.folder, &ledger, &asked, &readings)?;
    let mut names: Vec<String> = names.into_iter().cloned().collect();
    names.iter_mut().zip(given).for_each(|(name, given)| name.clone_from(given));
    let mut report = String::new();
    text::write(&mut report, &catch, &kept, &names)?;
    std::io::stdout().lock().write_all(report.as_bytes())?;
    if catch.tallies.iter().any(|tally| tally.executed() == 0) {
        bail!("no call was executed: a backend says it supports none of them, or there was no time");
    }
    Ok(ExitCode::from(u8::from(!catch.finds.is_empty())))
}

fn plan(matches: &ArgMatches, selection: &Selection) -> Result<Plan> {
    let wanted: BTreeSet<&str> =
        matches.get_many::<String>("profile").into_iter().flatten().map(String::as_str).collect();
    let of = |profile: &Profile| wanted.is_empty() || wanted.contains(name(*profile));
    Ok(Plan {
        seed: matches.get_one("seed").copied().unwrap_or(1),
        specs: selection.specs()?,
        profiles: Profile::ALL.into_iter().filter(of).collect(),
        calls: matches.get_one("calls").copied(),
        deadline: None,
        finds: None,
        jobs: matches.get_one("jobs").copied().map_or(1, |jobs: u16| jobs.into()),
    })
}

const fn name(profile: Profile) -> &'static str {
    match profile {
        Profile::Valid => "valid",
        Profile::Open => "open",
        Profile::Invalid => "invalid",
    }
}

/// A time as `60s`, `10m` or `2h`; seconds where no unit is given.
fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(number) => (number, &text[number.len()..]),
        None => (text, "s"),
    };
    let factor = match unit {
        "m" => 60,
        "h" => 3600,
        _ => 1,
    };
    let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    // A year is more than anybody waits, and less than a clock can hold.
    let seconds = seconds.filter(|seconds| (1..=31_536_000).contains(seconds));
    seconds.map(Duration::from_secs).ok_or_else(|| "expected a time such as 60s, 10m or 2h".to_owned())
}

fn start(program: &Program, limits: Limits) -> Result<Box<dyn Driver>, StartError> {
    Ok(Box::new(Worker::start(program.clone(), limits)?))
}

/// How far the hunt has come, where a person is watching.
struct Progress {
    bar: ProgressBar,
}

impl Progress {
    fn new() -> Self {
        let bar = if is_watched() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template("{spinner} {msg}");
        Self { bar: bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner())) }
    }

    fn show(&self, catch: &Catch, started: Instant) {
        let rate = catch.calls as f64 / started.elapsed().as_secs_f64();
        let (calls, finds, questions) = (catch.calls, catch.finds.len(), catch.questions.len());
        self.bar.set_message(format!("{calls} calls, {rate:.0}/s, {finds} finds, {questions} questions met"));
        self.bar.tick();
    }
}

/// Writes every find that a case can state to a file of its own. `asked` are the options that name the subjects.
fn keep<'a>(
    catch: &'a Catch,
    folder: &Folder,
    ledger: &Ledger,
    asked: &[String],
    readings: &[Choice],
) -> Result<Vec<Kept<'a>>> {
    let (mut kept, mut ids) = (Vec::new(), BTreeSet::new());
    let directory = folder.found()?;
    for find in &catch.finds {
        let backend = find.subjects.first().and_then(|&at| asked.get(at)).map_or("", String::as_str);
        let pinned: Vec<String> = readings.iter().map(|reading| format!(" --reading {reading}")).collect();
        let again = format!("{} conformance {backend}{}", program(), pinned.concat());
        let one = match one_file(find, &directory, ledger, &mut ids)? {
            (id, Err(why)) => {
                Kept { find, id, file: Err(why), again: format!("{again} --property-call {}", find.id) }
            }
            (id, Ok((file, cases))) => {
                let folder = quoted(&shown(&directory));
                let option = match &cases[..] {
                    [case] => format!("--case {}", case.name),
                    // Several belong together, and all their names have this in common.
                    _ => format!("--filter {}", common(find, &id)),
                };
                let file = Ok(shown(&file));
                Kept { find, id, file, again: format!("{again} --cases {folder} {option}") }
            }
        };
        kept.push(one);
    }
    Ok(kept)
}

/// What the ids of all cases of a find contain.
fn common<'a>(find: &Find, id: &'a str) -> &'a str {
    match find.evidence {
        Evidence::Sequence(_) => found::words(find, id),
        _ => id,
    }
}

type Written = Result<(PathBuf, Vec<Case>), String>;

/// Writes a find's file, unless it says so already. Another find of that name makes for a longer name.
fn one_file(
    find: &Find,
    directory: &Path,
    ledger: &Ledger,
    ids: &mut BTreeSet<String>,
) -> Result<(String, Written)> {
    let short = found::id(find);
    let long = format!("{short}-{}", found::digest(find));
    for id in [short.clone(), long] {
        let cases = match found::cases(find, &id, ledger) {
            Ok(cases) => cases,
            Err(why) => return Ok((id, Err(why.to_string()))),
        };
        let file = directory.join(format!("{id}.yaml"));
        let text = text_of(&file, "Found by a hunt", &cases)?;
        let present = match outside::text(&file, outside::WRITTEN) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            present => Some(present.with_context(|| file.display().to_string())?),
        };
        if ids.contains(&id) || present.as_ref().is_some_and(|present| *present != text) && id == short {
            continue;
        }
        if present.is_none() {
            fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
        }
        fs::write(&file, text).with_context(|| file.display().to_string())?;
        ids.insert(id.clone());
        return Ok((id, Ok((file, cases))));
    }
    Ok((short, Err("another find has the same name".to_owned())))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::seconds("60s", Some(60))]
    #[case::minutes("10m", Some(600))]
    #[case::hours("2h", Some(7200))]
    #[case::no_unit("7", Some(7))]
    #[case::nothing("0s", None)]
    #[case::no_number("s", None)]
    #[case::other_unit("3d", None)]
    #[case::too_long("99999999999999h", None)]
    fn a_time_is_a_number_and_a_unit(#[case] text: &str, #[case] seconds: Option<u64>) {
        assert_eq!(time(text).ok(), seconds.map(Duration::from_secs));
    }
}
