//! Checks that files are opened and programs are started by the guarded functions only.
//!
//! A file that a user or a backend names may be a pipe that blocks or a file without an end; a program may never end.
//! `conformance/src/outside.rs` opens and bounds files. `conformance/src/drive` starts programs with a deadline, each
//! in a process group of its own.

use std::path::Path;

/// The checked folders, which users run. Tests and build scripts do not open files that a user named.
const LOOKED_AT: [&str; 2] = ["conformance/", "xtask/src/"];

/// The guarded functions themselves, and files that start or read only what this repository made.
const EXEMPT: [&str; 6] = [
    // The guarded functions.
    "conformance/src/outside.rs",
    "conformance/src/drive/errand.rs",
    "conformance/src/drive/guard.rs",
    "conformance/src/drive/process.rs",
    // Cargo runs in the foreground without a deadline; Ctrl-C ends it.
    "conformance/normative/src/runner/build.rs",
    // It spells the calls.
    "xtask/src/commands/tidy/door.rs",
];

/// Calls that open or start something, each with its replacement.
const CALLS: [(&str, &str); 11] = [
    ("File::open(", OPEN),
    ("File::options(", OPEN),
    ("OpenOptions::new(", OPEN),
    ("fs::read(", OPEN),
    ("fs::read)", OPEN),
    ("fs::read_to_string", OPEN),
    ("fs::read_dir", OPEN),
    ("fs::copy(", OPEN),
    (".output()", START),
    (".spawn()", START),
    (".status()", START),
];
const OPEN: &str = "a function of outside";
const START: &str = "drive::errand or drive::Worker";

/// Returns the findings in a file: `:LINE: what`.
pub(super) fn against(file: &Path, text: &str) -> Vec<String> {
    let name = file.to_string_lossy().replace('\\', "/");
    let is_rust = file.extension().is_some_and(|ending| ending == "rs");
    let is_code = is_rust && LOOKED_AT.iter().any(|folder| name.starts_with(folder));
    let is_apart = ["/tests/", "/benches/", "/examples/"].iter().any(|folder| name.contains(folder))
        || name.ends_with("/tests.rs")
        || name.ends_with("build.rs") && !name.contains("/src/");
    if !is_code || is_apart || EXEMPT.iter().any(|exempt| name.starts_with(exempt)) {
        return Vec::new();
    }
    // Tests are the last part of a file.
    let is_test = |line: &str| line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test");
    let code = text.lines().enumerate().take_while(|(_, line)| !is_test(line));
    let found = code.flat_map(|(at, line)| {
        let says = !line.trim_start().starts_with("//");
        CALLS
            .iter()
            .filter(move |(call, _)| says && line.contains(call))
            .map(move |(call, instead)| format!(":{}: expected {instead}, got {call}", at + 1))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const READS: &str = "    let text = std::fs::read_to_string(path)?;\n";

    #[rstest]
    #[case::a_file("xtask/src/a.rs", READS, &[":1: expected a function of outside, got fs::read_to_string"])]
    #[case::of_a_library("conformance/present/src/a.rs", "\nFile::open(path)", &[":2: expected a function of outside, got File::open("])]
    #[case::a_program("xtask/src/a.rs", "command.args(a).output()?", &[":1: expected drive::errand or drive::Worker, got .output()"])]
    #[case::through_the_door("xtask/src/a.rs", "outside::text(path, 7)?; errand(&command, BOUNDS)?", &[])]
    #[case::the_door("conformance/src/outside.rs", READS, &[])]
    #[case::in_words("xtask/src/a.rs", "/// As fs::read_to_string(x) does.\n", &[])]
    #[case::in_a_test("xtask/src/a.rs", "#[cfg(test)]\nmod tests { fs::read(a) }\n", &[])]
    #[case::a_file_of_tests("xtask/tests/suite/a.rs", READS, &[])]
    #[case::an_adapter("backends/a/src/lib.rs", READS, &[])]
    fn what_goes_past_the_door_is_named(#[case] file: &str, #[case] text: &str, #[case] findings: &[&str]) {
        assert_eq!(against(Path::new(file), text), findings);
    }

    #[test]
    fn every_exempt_file_is_there() {
        let root = normative::select::workspace_root();
        assert_eq!(EXEMPT.iter().filter(|path| !root.join(path).exists()).count(), 0);
    }
}
