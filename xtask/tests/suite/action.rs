//! The arguments that the Action passes on.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use rstest::rstest;

use crate::common::page::root;

/// A fake `cargo` prints the arguments that the action passes to the main job.
#[rstest]
#[case::of_no_line("", &[])]
#[case::of_one_line("--spec onnx --jobs 2", &["--spec", "onnx", "--jobs", "2"])]
#[case::of_several_lines("--spec onnx\n  --jobs 2\n\n--all\n", &["--spec", "onnx", "--jobs", "2", "--all"])]
fn the_action_passes_on_every_line_of_its_arguments(#[case] args: &str, #[case] due: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("RUNNER_TEMP")).unwrap();
    fs::write(path("cargo"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n").unwrap();
    fs::set_permissions(path("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut judge = Command::new("bash");
    judge
        .arg(root().join(".github/judge.sh"))
        .env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()));
    judge.envs([("NORMATIVE", "."), ("BACKEND", "mine"), ("BASELINE", ""), ("ARGS", args)]);
    for name in ["RUNNER_TEMP", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
        judge.env(name, path(name));
    }
    let output = judge.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let (_, more) = said.split_once("\nmarkdown\n").unwrap();
    assert_eq!(more.lines().collect::<Vec<_>>(), due);
}
