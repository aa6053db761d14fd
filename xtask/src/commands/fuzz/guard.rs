//! Refuses an executable that was not built for fuzzing.
//!
//! Without counters libFuzzer draws at random, finds next to nothing and says so at most in a warning;
//! a run like that looks as if all were well. So the executable is asked how many it has.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// The fewest counters a target has. The least has 2,500 of them; one of which only the few lines of
/// `fuzz_targets` are instrumented, and not the libraries they call, has about 100.
const FEWEST: u64 = 1000;

/// The number of counters of a fuzz target.
///
/// # Errors
/// When there are none, or too few for the libraries to be among them.
pub(super) fn check(executable: &Path) -> Result<u64> {
    let output = Command::new(executable)
        .arg("-runs=0")
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", executable.display()))?;
    let counters = counters(&String::from_utf8_lossy(&output.stderr));
    if counters < FEWEST {
        bail!(
            "{} is not instrumented: it has {counters} counters, at least {FEWEST} are due. \
             libFuzzer would draw at random",
            executable.display()
        );
    }
    Ok(counters)
}

/// How many counters libFuzzer says it found.
fn counters(log: &str) -> u64 {
    let loaded = log.lines().filter(|line| line.starts_with("INFO: Loaded ")).filter_map(|line| {
        let (before, _) = line.split_once(" inline 8-bit counters)")?;
        before.rsplit_once('(')?.1.trim().parse::<u64>().ok()
    });
    loaded.sum()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use rstest::rstest;

    use super::*;

    const PLAIN: &str = "INFO: Running with entropic power schedule (0xFF, 100).
INFO: Seed: 1121583615
INFO: -max_len is not provided; libFuzzer will not generate inputs larger than 4096 bytes
";

    /// Says what libFuzzer says, and that something went right.
    fn program(log: &str) -> tempfile::TempPath {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, format!("#!/bin/sh\ncat >&2 <<'END'\n{log}END\n").as_bytes())
            .unwrap();
        file.as_file().set_permissions(Permissions::from_mode(0o755)).unwrap();
        file.into_temp_path()
    }

    #[rstest]
    #[case::instrumented(
        "INFO: Loaded 1 modules   (2488 inline 8-bit counters): 2488 [0x1, 0x2), \n",
        Ok(2488)
    )]
    #[case::only_the_target(
        "INFO: Loaded 1 modules   (99 inline 8-bit counters): 99 [0x1, 0x2), \n",
        Err(99)
    )]
    #[case::not_at_all("", Err(0))]
    #[case::another_kind("INFO: Loaded 1 PC tables (2488 PCs): 2488 [0x1,0x2), \n", Err(0))]
    fn only_a_program_with_counters_is_let_through(#[case] more: &str, #[case] expected: Result<u64, u64>) {
        let program = program(&format!("{PLAIN}{more}"));
        match (check(&program), expected) {
            (Ok(counters), Ok(expected)) => assert_eq!(counters, expected),
            (Err(error), Err(counters)) => {
                let said = error.to_string();
                assert!(said.contains(&format!("is not instrumented: it has {counters} counters")), "{said}");
            }
            (got, _) => panic!("{got:?}"),
        }
    }
}
