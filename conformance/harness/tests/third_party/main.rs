//! Tests the output of the harness with a right backend, wrong ones, and one that supports nothing.
//!
//! With the environment variable [`PLAYS`], this executable is itself a test that uses the harness, so that
//! the judge is built once. Only the test of nextest's archives makes a crate outside this workspace; a
//! weekly job runs it, because it builds the judge again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Trial};
use normative_conformance::corpus::load;

mod adapter;

/// The environment variable that makes this executable an author's test: `conformance`, or `knowing` with a baseline.
const PLAYS: &str = "NORMATIVE_TEST_PLAYS";

fn main() -> ExitCode {
    match std::env::var(PLAYS).as_deref() {
        Ok("conformance") => return normative_harness::main(adapter::backend),
        Ok("knowing") => return normative_harness::main_with_baseline(adapter::backend, "known.yaml"),
        Ok(other) => panic!("{PLAYS}: expected conformance or knowing, got {other}"),
        Err(_) => {}
    }
    let test = |name, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let tests = vec![
        test(
            "right_and_wrong_backends_pass_and_fail_one_test_a_case",
            right_and_wrong_backends_pass_and_fail_one_test_a_case,
        ),
        test(
            "known_failures_pass_and_whatever_becomes_of_them_fails",
            known_failures_pass_and_whatever_becomes_of_them_fails,
        ),
        // The build takes minutes; .github/workflows/zoo.yml runs it.
        test(
            "an_archive_of_nextest_runs_where_nothing_was_built",
            an_archive_of_nextest_runs_where_nothing_was_built,
        )
        .with_ignored_flag(true),
    ];
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

const TEST: &str = "mod adapter;

fn main() -> std::process::ExitCode {
    normative_harness::main(adapter::backend)
}
";

/// Returns the root of this repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes an author's crate.
fn third_party(folder: &Path) {
    // A JSON string, and Rust's format of a path like this one, are valid TOML.
    let harness = format!("{:?}", root().join("conformance/harness").to_str().unwrap());
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let dev = workspace.find("[profile.dev]").unwrap()..workspace.find("[profile.release").unwrap();
    // In that crate, our crates are dependencies, and by default not optimised.
    let profile = format!("{}[profile.dev.package.normative-reference]\nopt-level = 1\n", &workspace[dev]);
    let manifest = format!(
        "[package]\nname = \"third-party\"\nversion = \"0.1.0\"\nedition = \"2024\"\n
[dev-dependencies]\nnormative-harness = {{ path = {harness} }}\n
[[test]]\nname = \"conformance\"\nharness = false\n
[workspace]\n\n{profile}"
    );
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("Cargo.toml", &manifest);
    write("src/lib.rs", "");
    write("tests/conformance.rs", TEST);
    write("tests/adapter.rs", include_str!("adapter.rs"));
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
}

struct Ran {
    passed: bool,
    text: String,
}

impl Ran {
    /// Returns the tests that ended in this way.
    fn tests(&self, how: &str) -> BTreeSet<&str> {
        let lines = self.text.lines().filter_map(|line| line.strip_prefix("test ")?.split_once("... "));
        lines.filter(|(_, ended)| ended.starts_with(how)).map(|(name, _)| name.trim_end()).collect()
    }
}

/// Runs an author's test in the folder of its crate.
fn cargo_test(folder: &Path, plays: &str, planted: &str, arguments: &[&str], update: bool) -> Ran {
    let mut command = Command::new(std::env::current_exe().unwrap());
    if update {
        command.env("NORMATIVE_BASELINE_UPDATE", "1");
    }
    let output = command
        .args(arguments)
        .current_dir(folder)
        .env(PLAYS, plays)
        .env("PLANTED", planted)
        .env("NORMATIVE_TIMEOUT", "2")
        .env_remove("NEXTEST")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    Ran { passed: output.status.success(), text }
}

fn right_and_wrong_backends_pass_and_fail_one_test_a_case() {
    let folder = tempfile::tempdir().unwrap();
    let test = |planted: &str, arguments: &[&str]| {
        cargo_test(folder.path(), "conformance", planted, arguments, false)
    };

    let cases = load(&root().join("cases")).unwrap().cases;
    let listed = test("", &["--list"]);
    let listed: Vec<&str> = listed.text.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    let alone = ["backend::", "readings::", "generated::"];
    let of_cases = listed.iter().filter(|name| !alone.iter().any(|group| name.starts_with(group)));
    let of_cases: Vec<&str> = of_cases.map(|name| name.split_once("::").unwrap().1).collect();
    let names: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(of_cases, names, "one test a case, in the order of the corpus");

    let right = test("", &[]);
    assert!(right.passed, "{}", right.text);
    // A backend that lists no operators is asked for those of before alone.
    let (added, asked): (Vec<&str>, Vec<&str>) = listed.iter().partition(|name| name.contains("educeSum"));
    assert!(!added.is_empty());
    assert_eq!(right.tests("ok").len(), asked.len());

    let chosen: Vec<&str> = cases
        .iter()
        .filter(|case| case.call.spec().name() == "bnns/computeNorm" && case.call.data.shape() == [2, 16])
        .map(|case| case.name.as_str())
        .collect();
    assert!(!chosen.is_empty());
    let wrong = test("wrong", &["--skip", "generated::"]);
    assert!(!wrong.passed);
    let failed = wrong.tests("FAILED");
    for name in &chosen {
        let test = failed.iter().find(|test| test.ends_with(&format!("::{name}")));
        assert!(test.is_some(), "{name} is wrong and does not fail:\n{}", wrong.text);
        assert!(
            wrong.text.contains(&format!("FAIL {name}\n  clause    bnns/computeNorm#")),
            "{}",
            wrong.text
        );
        let again = format!("  again     cargo test -- --exact '{}'", test.unwrap());
        assert!(wrong.text.contains(&again), "{again}\n{}", wrong.text);
    }
    assert_eq!(failed.len(), chosen.len(), "only those: {failed:?}");

    // A mistake in every call, of cases and generated ones, has one cause, which one failing test shows with its count.
    let everywhere = test("wrong everywhere", &["ReduceL1-1"]);
    assert!(!everywhere.passed);
    assert_eq!(everywhere.tests("FAILED").len(), 1, "{}", everywhere.text);
    let too = everywhere.tests("ignored (fails too, by cause 1 of 1)");
    let generated = too.iter().filter(|name| name.starts_with("generated::")).count();
    assert!(generated >= 3 && too.len() > 100, "{}", everywhere.text);
    let (_, calls) = everywhere.text.split_once("\n  cause     1 of 1, of ").unwrap();
    let (calls, cause) = calls.split_once(" calls: ").unwrap();
    assert!(cause.starts_with("valid calls refused"), "{}", everywhere.text);
    assert!(calls.parse::<usize>().unwrap() > too.len() + 100, "generated calls count one by one: {calls}");
    let counted = format!("\n   1  {calls:>6}  valid calls refused");
    assert!(everywhere.text.contains(&counted), "{counted}{}", everywhere.text);
    let fast = test("wrong everywhere", &["ReduceL1-1", "--fail-fast", "--test-threads", "1"]);
    assert!(!fast.passed);
    assert_eq!(fast.tests("FAILED").len(), 1, "{}", fast.text);

    // An answer that ends the process fails one test. A neighbour shows that the run goes on.
    let dies = chosen[0].split('/').next().unwrap();
    for (planted, says) in [("panics", "as told"), ("aborts", "SIGABRT"), ("loops", "within 8 s")] {
        let ran = test(planted, &["computeNorm/f32", "--skip", "generated::"]);
        assert!(!ran.passed && ran.text.contains(says), "{planted}: {}", ran.text);
        let failed = ran.tests("FAILED");
        assert!(failed.iter().any(|test| test.contains(dies)), "{planted}: {failed:?}");
        assert!(failed.len() < ran.tests("ok").len(), "{planted}: {failed:?}");
    }

    let declines = test("declines", &["--skip", "backend::", "--skip", "generated::"]);
    assert!(!declines.passed && declines.text.contains("error: all that was asked is unsupported"));
    assert_eq!((declines.tests("ok").len(), declines.tests("FAILED").len()), (0, 0));
    let neither = |name: &&&str| !name.starts_with("backend::") && !name.starts_with("generated::");
    assert_eq!(declines.tests("ignored (nothing yet)").len(), asked.iter().filter(neither).count());
    let declines = test("declines", &["backend::"]);
    assert_eq!(declines.tests("FAILED"), BTreeSet::from(["backend::takes-up-a-call"]));

    let of_two_minds = test("of-two-minds", &["readings::", "--test-threads", "1"]);
    assert!(!of_two_minds.passed && of_two_minds.text.contains("INCONSISTENT "), "{}", of_two_minds.text);
    assert!(of_two_minds.text.contains("  reads     "), "{}", of_two_minds.text);
}

/// Tests an archive in a folder with only the sources, in which nothing was built.
fn an_archive_of_nextest_runs_where_nothing_was_built() {
    let nextest = |folder: &Path, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command.arg("nextest").args(arguments).current_dir(folder).env("NORMATIVE_TIMEOUT", "2");
        command.env_remove("NEXTEST").stdin(Stdio::null());
        command
    };
    let (built, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    if !nextest(built.path(), &["--version"]).output().unwrap().status.success() {
        println!("left out: cargo-nextest is not installed");
        return;
    }
    third_party(built.path());
    third_party(there.path());
    let archive = there.path().join("tests.tar.zst");
    let archive = archive.to_str().unwrap();
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_owned();
    let packed = nextest(
        built.path(),
        &["archive", "--offline", "--test", "conformance", "--archive-file", archive, "--target-dir"],
    )
    .arg(target)
    .output()
    .unwrap();
    assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));
    drop(built);
    let ran = |planted: &str| {
        let run = ["run", "--archive-file", archive, "--workspace-remap", ".", "--no-fail-fast", "-E"];
        let chosen = "test(computeNorm/f32) + test(backend::)";
        let output = nextest(there.path(), &run).arg(chosen).env("PLANTED", planted).output().unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    let (passed, text) = ran("");
    assert!(passed && text.contains(" passed, "), "{text}");
    for planted in ["wrong", "aborts"] {
        let (passed, text) = ran(planted);
        assert!(!passed && text.contains(" failed, "), "{planted}: {text}");
        assert!(text.contains("FAIL bnns-") || text.contains("CRASH bnns-"), "{planted}: {text}");
    }
}

fn known_failures_pass_and_whatever_becomes_of_them_fails() {
    let folder = tempfile::tempdir().unwrap();
    let known = folder.path().join("known.yaml");
    let ran = |planted: &str, update| cargo_test(folder.path(), "knowing", planted, &["bnns/"], update);
    let test = |planted: &str| ran(planted, false);
    let stale = |update| cargo_test(folder.path(), "knowing", "", &["baseline::"], update);

    let missing = test("wrong");
    assert!(!missing.passed && missing.text.contains("known.yaml"), "{}", missing.text);

    // The cases of one defect are one entry, even over several families.
    let written = ran("wrong everywhere", true);
    assert!(written.passed, "{}", written.text);
    let text = fs::read_to_string(&known).unwrap();
    let (entries, calls) =
        (text.matches("\n- name: ").count(), text.split_whitespace().filter(|word| word.len() == 8));
    assert!(entries > 0 && calls.count() > 20 * entries, "{text}");
    fs::remove_file(&known).unwrap();

    let written = ran("wrong", true);
    assert!(written.passed, "{}", written.text);
    let text = fs::read_to_string(&known).unwrap();
    let wrong = cargo_test(folder.path(), "conformance", "wrong", &["bnns/"], false);
    let wrong: BTreeSet<&str> = wrong.tests("FAILED");
    assert!(!wrong.is_empty() && text.contains("\n- name: "), "{wrong:?}\n{text}");
    assert!(text.contains("  - way: wrong-value") || text.contains("  - way: 'output-shape: "), "{text}");
    fs::write(&known, text.replacen("  fails:", "  issue: mine/7\n  fails:", 1)).unwrap();

    let expected = test("wrong");
    assert!(expected.passed, "{}", expected.text);

    // A known failure that is now right, wrong in another way, or declined.
    for (planted, says) in [("", "UNEXPECTED PASS"), ("panics", "OTHER REASON"), ("declines", "MISSING")] {
        let ran = test(planted);
        assert!(!ran.passed && ran.text.contains(&format!("{says} ")), "{planted}: {}", ran.text);
        assert!(ran.text.contains("  issue     mine/7\n"), "{planted}: {}", ran.text);
        let failed = ran.tests("FAILED");
        assert!(wrong.is_subset(&failed), "{planted}: {failed:?}");
    }
    // A failure that is not in the baseline fails as usual.
    fs::write(&known, "runs: []\nknown: []\n").unwrap();
    let unknown = test("wrong");
    assert!(!unknown.passed && wrong.is_subset(&unknown.tests("FAILED")), "{}", unknown.text);

    // An entry without a matching call is reported, and an update removes it.
    let entry = |name: &str, key: &str| {
        format!("- name: {name}\n  fails:\n  - way: wrong-value\n    calls: '{key}^3'\n")
    };
    let nothing = [("no-such-case/ReduceL1-4/f32", "0123abcd"), ("some-calls", "1123abcd")];
    let nothing = nothing.map(|(name, key)| entry(name, key)).concat();
    fs::write(&known, format!("runs: []\nknown:\n{nothing}")).unwrap();
    let told = stale(false);
    assert_eq!(told.tests("FAILED"), BTreeSet::from(["baseline::names-what-there-is"]));
    assert_eq!(told.text.matches("STALE ").count(), 2, "{}", told.text);
    assert!(stale(true).passed);
    assert!(fs::read_to_string(&known).unwrap().ends_with("known: []\n"));
}
