//! Judges a backend of yours under `cargo test` and `cargo nextest`: one test per case, without a checkout of the
//! suite.
//!
//! One dependency for tests, one target without Rust's own harness, five lines:
//!
//! ```toml
//! [dev-dependencies]
//! normative-harness = { git = "URL of this repository", tag = "the version you want to be judged by" }
//!
//! [[test]]
//! name = "conformance"
//! harness = false
//!
//! # Unoptimised, exact arithmetic takes ten times as long: 15 seconds for everything, rather than 1.5.
//! [profile.dev.package."*"]
//! opt-level = 1
//! ```
//!
//! ```no_run
//! // tests/conformance.rs
//! # mod adapter {
//! #     use normative_harness::{Answer, Backend, Identity, reference::Call};
//! #     pub struct Mine;
//! #     impl Backend for Mine {
//! #         fn identity(&self) -> Identity { todo!() }
//! #         fn answer(&mut self, _: &Call) -> Answer { todo!() }
//! #     }
//! #     pub fn backend() -> impl Backend { Mine }
//! # }
//! fn main() -> std::process::ExitCode {
//!     normative_harness::main(adapter::backend)
//! }
//! ```
//!
//! If the adapter is a crate of its own, such as `cargo xtask new-backend` makes, it is another
//! dev-dependency, and the test passes its function: `normative_harness::main(mine_adapter::backend)`. It
//! must use the same `normative-backend` as this crate: by the same path, git tag or version.
//!
//! `adapter::backend` is yours: it returns a [`Backend`], which translates a call for your implementation.
//! This crate exports all types that you need: [`Answer`], [`Identity`], [`mod@reference`].
//!
//! # The tests
//!
//! | name | fails when |
//! |---|---|
//! | `onnx/axes::CASE` | no reading of the case accepts the answer, or no answer came. CASE is its name in reports. The path before it is the case's file; if that file serves several families, as `kernels` does, the family comes first |
//! | `readings::SPEC/QUESTION` | no single reading of that question explains the answers to its open cases |
//! | `generated::SPEC/seed-1/first-300` | one of so many generated calls fails, or no single reading of a question explains them |
//! | `backend::takes-up-a-call` | the backend calls every case unsupported: such a run would show nothing |
//! | `baseline::names-what-there-is` | a baseline is given that these tests wrote, and it names a call that none of them asks |
//!
//! Names filter as usual: `cargo test --test conformance onnx/ReduceL1`, `-- --skip generated::`, `--
//! --list`.
//!
//! A case that the backend calls [unsupported](Answer::Unsupported) is *ignored*, with its reason. This is
//! known only after asking, so nextest counts it as passed. A run with only unsupported cases fails, under
//! nextest by the test above.
//!
//! The backend runs in its own process, a second instance of the test's executable: a panic, an abort, a
//! segmentation fault or an endless loop fails one test. An answer may take ten seconds, and the start a
//! minute, or the seconds in `NORMATIVE_TIMEOUT` and `NORMATIVE_HELLO_TIMEOUT`. A late call is asked again
//! alone, with four times the limit, before it counts.
//!
//! Hazards (accepted answers that are not the norm, though their type holds it) fail no test; the end names
//! them.
//!
//! Under `cargo test`, more than ten failing calls, of cases and generated ones together, are grouped by cause:
//! the test of the smallest call of each fails, the others are ignored as *fails too*. With `NORMATIVE_ALL=1`, `--exact`, a baseline, or
//! nextest, every failure is a failing test. `cargo test --test conformance -- --fail-fast` asks nothing
//! after the first failure.
//!
//! # Known failures
//!
//! [`main_with_baseline`] takes a file of expected failures. They are asked as well, and their tests pass as
//! long as they fail as on file. A test fails if one of them passes now, fails otherwise or much further off,
//! is called unsupported, or is asked by no test. `NORMATIVE_BASELINE_UPDATE=1 cargo test --test conformance`
//! writes the failures of the tests that it runs into the file, and keeps your notes in it. `cargo xtask
//! conformance --baseline` reads and writes the same file.
//!
//! # What it leaves out
//!
//! A question's reading is compared only within the open cases of a spec about it, and within that spec's
//! generated calls, not between them; and no call is asked twice. `cargo xtask conformance`, which sees a
//! whole run, does both.

mod causes;
mod corpus;
mod judge;
mod known;
mod name;
mod outcome;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};
pub use normative_backend::{
    Answer, Backend, Capabilities, Claim, Extent, Identity, IntoBackend, Unavailable, reference,
};

use crate::judge::Judge;
use crate::known::Known;
use crate::name::Test;

/// The argument that starts the executable as the worker. Only this crate uses it.
const WORKER: &str = "--be-the-worker-of-normative-harness";

/// The exit status of a test target with a failed test.
const FAILED: u8 = 101;

/// Runs the tests that the command line selects, on the backend that `backend` makes.
///
/// This is the whole of a test target's `main`. The status is 0 if nothing failed, and 101 if a test failed
/// or every call was unsupported.
pub fn main<B: IntoBackend>(backend: impl FnOnce() -> B) -> ExitCode {
    start(backend, None)
}

/// Does the same as [`main`] with known failures, from the file `baseline` in the crate's folder, where tests
/// run.
///
/// The status is also 101 if that file cannot be read, or written with `NORMATIVE_BASELINE_UPDATE`.
pub fn main_with_baseline<B: IntoBackend>(
    backend: impl FnOnce() -> B,
    baseline: impl AsRef<Path>,
) -> ExitCode {
    start(backend, Some(baseline.as_ref()))
}

fn start<B: IntoBackend>(backend: impl FnOnce() -> B, baseline: Option<&Path>) -> ExitCode {
    if std::env::args_os().nth(1).as_deref() == Some(OsStr::new(WORKER)) {
        return normative_backend::serve(backend());
    }
    match run(baseline) {
        Ok(code) => code,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(baseline: Option<&Path>) -> Result<ExitCode, String> {
    let (arguments, fail_fast) = arguments(std::env::args_os());
    let known = baseline.map(|path| Known::load(path, under_nextest())).transpose()?;
    let with_baseline = known.is_some();
    let is_held = known.as_ref().is_some_and(|known| !known.is_to_be_written());
    let mut judge = Judge::of(WORKER, known, fail_fast);
    let tests = match &arguments.filter {
        // nextest starts a process for every test, so each must read as little as possible.
        Some(name) if arguments.exact => {
            name::find(name, with_baseline).map(|test| test.into_iter().collect())
        }
        _ => name::all(with_baseline),
    };
    let tests: Vec<Test> = tests.map_err(|why| format!("the cases cannot be used:\n{why}"))?;
    // A difference from a baseline is always shown.
    let one_by_one = under_nextest() || fail_fast || is_held || std::env::var_os(causes::ALL).is_some();
    if !(one_by_one || arguments.exact || arguments.list || arguments.ignored || arguments.bench) {
        let wanted: Vec<Test> =
            tests.iter().filter(|test| causes::is_wanted(&arguments, test)).cloned().collect();
        // If they cannot be asked together, each test reports the error.
        let _ = judge.ask_together(&wanted);
    }
    let judge = Arc::new(judge);
    let trials = tests.into_iter().map(|test| trial(test, Arc::clone(&judge)));
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    judge.known.as_ref().map_or(Ok(()), Known::save)?;
    if let Some(summary) = judge.causes.summary() {
        eprintln!("{summary}");
    }
    if let Some(why) = judge.causes.of_no_case() {
        return Err(why);
    }
    if judge.shows_nothing() && !under_nextest() {
        return Err("all that was asked is unsupported, which shows nothing".into());
    }
    Ok(conclusion.exit_code())
}

/// Parses the arguments of a test target, and `--fail-fast`, which Rust's own targets do not have.
fn arguments(words: impl Iterator<Item = OsString>) -> (Arguments, bool) {
    let (fail_fast, words): (Vec<_>, Vec<_>) = words.partition(|word| word == "--fail-fast");
    (Arguments::from_iter(words), !fail_fast.is_empty())
}

fn trial(test: Test, judge: Arc<Judge>) -> Trial {
    Trial::ignorable_test(test.to_string(), move || judge.test(&test))
}

/// Returns true if nextest started this process, which then runs one test alone.
fn under_nextest() -> bool {
    std::env::var_os("NEXTEST").is_some()
}
