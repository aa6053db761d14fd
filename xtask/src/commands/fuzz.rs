//! `cargo xtask fuzz TARGET`: libFuzzer, on stable Rust and with any C++ compiler.
//!
//! `build` makes the targets, `guard` refuses one that tells libFuzzer nothing of where its inputs go,
//! `seeds` makes what to start from, `campaign` runs them, `keep` picks the inputs that tests keep, and what is found of the target `differential`
//! becomes a case. `oss` fills the folder that OSS-Fuzz and ClusterFuzzLite want. Nothing here knows what a target looks at.

mod build;
mod campaign;
mod guard;
mod keep;
mod kept;
mod oss;
mod seeds;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};
use normative_conformance::outside;

use build::Built;
use campaign::Campaign;
use normative::note::note;
use normative::runner::{crate_directory, target_directory};
use normative::select::workspace_root;

/// What there is to fuzz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// A backend against the reference.
    Differential,
    /// The reference against itself.
    Exact,
    /// The loader of case files.
    CaseLoader,
    /// The decoder of a worker's frames.
    FrameDecoder,
    /// The reader of records of runs.
    RecordReader,
    /// The loader of baselines.
    BaselineLoader,
    /// The reader of other people's ONNX models and tensors.
    OnnxReader,
}

impl Target {
    const ALL: [Self; 7] = [
        Self::Differential,
        Self::Exact,
        Self::CaseLoader,
        Self::FrameDecoder,
        Self::RecordReader,
        Self::BaselineLoader,
        Self::OnnxReader,
    ];

    /// The name of its executable, and of its file in `fuzz/fuzz_targets`.
    const fn name(self) -> &'static str {
        match self {
            Self::Differential => "differential",
            Self::Exact => "exact",
            Self::CaseLoader => "case_loader",
            Self::FrameDecoder => "frame_decoder",
            Self::RecordReader => "record_reader",
            Self::BaselineLoader => "baseline_loader",
            Self::OnnxReader => "onnx_reader",
        }
    }

    fn of(matches: &ArgMatches) -> Option<Self> {
        let name = matches.get_one::<String>("target")?;
        Self::ALL.into_iter().find(|target| target.name() == name)
    }

    /// The words its inputs are made of, where there are any.
    fn dictionary(self) -> Option<PathBuf> {
        let path = workspace_root().join("fuzz/dictionaries").join(format!("{}.dict", self.name()));
        path.is_file().then_some(path)
    }

    /// What libFuzzer has to know of it, as OSS-Fuzz has it written.
    fn options(self) -> PathBuf {
        workspace_root().join("fuzz/options").join(format!("{}.options", self.name()))
    }

    /// The same as arguments.
    fn arguments(self) -> Result<Vec<String>> {
        let path = self.options();
        let text = outside::text(&path, outside::WRITTEN).with_context(|| path.display().to_string())?;
        let options = text.lines().filter_map(|line| line.split_once(" = "));
        Ok(options.map(|(name, value)| format!("-{name}={value}")).collect())
    }
}

/// What the command takes.
pub(crate) fn command() -> Command {
    let out = Arg::new("out").long("out").value_name("DIR").required(true);
    Command::new("fuzz")
        .about("Look for inputs that break a backend, the reference, or what reads files and frames")
        .after_help("Exit code 0: nothing was found. 1: something was. 2: the run itself went wrong.")
        .args_conflicts_with_subcommands(true)
        .subcommand_negates_reqs(true)
        .arg(
            Arg::new("target")
                .value_name("TARGET")
                .required(true)
                .value_parser(Target::ALL.map(Target::name))
                .help("What to fuzz"),
        )
        .arg(
            Arg::new("backend")
                .long("backend")
                .value_name("NAME|PATH")
                .help("The backend of `differential` [default: ndarray]"),
        )
        .arg(
            Arg::new("time")
                .long("time")
                .value_name("TIME")
                .default_value("60s")
                .value_parser(seconds)
                .help("Stop after so many seconds (90s), minutes (5m) or hours (2h)"),
        )
        .arg(
            Arg::new("jobs")
                .long("jobs")
                .value_name("N")
                .default_value("1")
                .value_parser(clap::value_parser!(u16).range(1..))
                .help("Run so many processes, which share what they learn"),
        )
        .arg(
            Arg::new("input")
                .long("input")
                .value_name("FILE")
                .value_parser(clap::value_parser!(PathBuf))
                .conflicts_with_all(["time", "jobs"])
                .help("Only try this input, as a find prints it"),
        )
        .arg(
            Arg::new("keep")
                .long("keep")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["time", "jobs", "input", "backend"])
                .help("Only write what is worth keeping of earlier campaigns to fuzz/kept, whose inputs are tests"),
        )
        .subcommand(
            Command::new("build")
                .about("Fill a folder with all that OSS-Fuzz wants: targets, seeds, words, options")
                .arg(out.value_parser(clap::value_parser!(PathBuf)).help("The folder"))
                .arg(
                    Arg::new("rustflags")
                        .long("rustflags")
                        .value_name("FLAGS")
                        .allow_hyphen_values(true)
                        .default_value("")
                        .help("Flags for rustc beside those for coverage"),
                ),
        )
}

/// Runs the command.
pub(crate) fn main(matches: &ArgMatches) -> Result<ExitCode> {
    match matches.subcommand() {
        Some(("build", matches)) => oss::build(matches),
        _ => fuzz(matches),
    }
}

fn fuzz(matches: &ArgMatches) -> Result<ExitCode> {
    let target = Target::of(matches).context("no such target")?;
    let backend = matches.get_one::<String>("backend");
    if backend.is_some() && target != Target::Differential {
        bail!("only the target `differential` has a backend");
    }
    let parsed = backend.map(|backend| crate_directory(backend)).transpose()?;
    note(format_args!("building {}", target.name()));
    let built = build::build(&[target], parsed.as_deref(), "")?;
    let Some(Built { executable, .. }) = built.first() else { bail!("cargo built no target") };
    let counters = guard::check(executable)?;
    if let Some(input) = matches.get_one::<PathBuf>("input") {
        return campaign::replay(executable, input);
    }
    if matches.get_flag("keep") {
        return keep::renew(executable, target);
    }
    note(format_args!("{counters} places whose visits are counted"));
    let campaign = Campaign {
        target,
        executable,
        backend: backend.map_or("ndarray", String::as_str),
        seconds: matches.get_one("time").copied().unwrap_or(60),
        jobs: matches.get_one("jobs").copied().unwrap_or(1),
        corpus: &folder("corpus", target)?,
        artifacts: &folder("artifacts", target)?,
        seeds: &seeds::write(target)?,
    };
    let finds = campaign.run()?;
    finds.iter().try_for_each(|find| campaign.report(find))?;
    Ok(ExitCode::from(u8::from(!finds.is_empty())))
}

/// A folder of a target, where cargo-fuzz would have it too.
fn folder(kind: &str, target: Target) -> Result<PathBuf> {
    made(&workspace_root().join("fuzz").join(kind).join(target.name()))
}

/// A folder that exists from here on.
fn made(path: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(path).with_context(|| format!("cannot make {}", path.display()))?;
    Ok(std::fs::canonicalize(path)?)
}

/// A folder below cargo's own for what a command leaves behind, empty.
fn scratch(name: &str) -> Result<PathBuf> {
    let path = target_directory()?.join("fuzz/scratch").join(name);
    if path.exists() {
        std::fs::remove_dir_all(&path).with_context(|| format!("cannot empty {}", path.display()))?;
    }
    made(&path)
}

/// A time, in seconds.
fn seconds(text: &str) -> Result<u64, String> {
    let unit = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let factor = match unit {
        "s" | "" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err("a time is a number and s, m or h".to_owned()),
    };
    let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    seconds.filter(|&seconds| seconds > 0).ok_or_else(|| "a time is a number and s, m or h".to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::plain("90", Some(90))]
    #[case::seconds("90s", Some(90))]
    #[case::minutes("5m", Some(300))]
    #[case::hours("2h", Some(7200))]
    #[case::nothing("", None)]
    #[case::no_time("0s", None)]
    #[case::no_number("s", None)]
    #[case::another_unit("3d", None)]
    #[case::beyond_any_clock("18446744073709551615h", None)]
    fn a_time_is_a_number_and_its_unit(#[case] text: &str, #[case] expected: Option<u64>) {
        assert_eq!(seconds(text).ok(), expected);
    }

    #[test]
    fn every_target_has_its_file() {
        for target in Target::ALL {
            let file = workspace_root().join(format!("fuzz/fuzz_targets/{}.rs", target.name()));
            assert!(file.is_file(), "{}", file.display());
        }
    }
}
