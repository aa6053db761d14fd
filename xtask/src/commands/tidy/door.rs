//! Whether files are opened and programs are started through the guarded door alone.
//!
//! What a user or a backend names may be a pipe that waits for ever, a file without an end, a program that never ends.
//! `conformance/src/outside.rs` opens and bounds files, `conformance/src/drive` starts programs within a deadline and in a
//! group of their own.

use std::path::Path;

/// The code that is looked at: what users run. Tests and build scripts name nothing that a user chose.
const LOOKED_AT: [&str; 2] = ["conformance/", "xtask/src/"];

/// The door, and what starts or reads only what this repository made.
const EXEMPT: [&str; 10] = [
    // The door.
    "conformance/src/outside.rs",
    "conformance/src/drive/errand.rs",
    "conformance/src/drive/guard.rs",
    "conformance/src/drive/process.rs",
    // Cargo in the foreground, which builds for as long as that takes; Ctrl-C ends it.
    "xtask/src/commands/bench.rs",
    "xtask/src/commands/zoo.rs",
    "conformance/normative/src/runner/build.rs",
    "conformance/normative/src/workshop.rs",
    // Programs that a campaign has built here. libFuzzer bounds the time and the memory of each.
    "xtask/src/commands/fuzz/",
    // It asks for a passphrase at the terminal, so it stays in our group.
    // It spells the calls.
    "xtask/src/commands/tidy/door.rs",
];

/// Calls that open or start something, each with what to call instead.
const CALLS: [(&str, &str); 9] = [
    ("File::open(", OPEN),
    ("fs::read(", OPEN),
    ("fs::read)", OPEN),
    ("fs::read_to_string", OPEN),
    ("fs::read_dir", OPEN),
    ("fs::copy(", OPEN),
    (".output()", START),
    (".spawn()", START),
    (".status()", START),
];
const OPEN: &str = "outside::open, bytes, text or entries";
const START: &str = "drive::errand or drive::Worker";

/// What is to be mended in a file: `:LINE: what`.
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
    // Tests stand last in a file.
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
    #[case::a_file("xtask/src/a.rs", READS, &[":1: expected outside::open, bytes, text or entries, got fs::read_to_string"])]
    #[case::of_a_library("conformance/hunt/src/a.rs", "\nFile::open(path)", &[":2: expected outside::open, bytes, text or entries, got File::open("])]
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
