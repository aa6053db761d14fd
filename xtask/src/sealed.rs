//! `--sealed`: a run of a backend whose author is not trusted to have answered honestly.
//!
//! The cases and the first rows of generated calls are public, so a backend could hold their answers, or read them from the
//! checkout that it is started in. A sealed run starts the worker in an empty directory, draws its seed, and asks the cases in
//! an order that follows from the seed. It is no sandbox: `docs/results.md` says what is left to such a backend.

use std::env;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Arg, ArgAction, ArgMatches};
use normative_conformance::drive::Program;
use normative_conformance::session::{self, Calls};

use crate::note::note;

/// The option.
pub(crate) fn option() -> Arg {
    Arg::new("sealed").long("sealed").action(ArgAction::SetTrue).help(
        "Start the worker in an empty directory, draw a random seed, and ask the cases in an order that follows from it. For \
         a backend that may know the answers",
    )
}

/// Whether the run is to be sealed.
pub(crate) fn is_wanted(matches: &ArgMatches) -> bool {
    matches.get_flag("sealed")
}

/// The calls of a sealed run: of a row that nobody could know, unless `--seed` names one, or the run goes on where the record
/// at `resumed` ends.
///
/// # Errors
/// Where that record cannot be read.
pub(crate) fn drawn(calls: Calls, matches: &ArgMatches, resumed: Option<&PathBuf>) -> Result<Calls> {
    let Calls::Row { calls, specs, .. } = calls else { return Ok(calls) };
    let seed = match (matches.get_one("seed"), resumed) {
        (Some(&seed), _) => seed,
        (None, Some(path)) => session::read(path)?.header.seed,
        // The standard library takes the keys of its hash tables from the system's source of randomness.
        (None, None) => RandomState::new().hash_one(()),
    };
    note(format_args!("sealed: --seed {seed}"));
    Ok(Calls::Row { seed, calls, specs })
}

/// The program, to be started in an empty directory. Words of its command that name a file from here still name it.
///
/// # Errors
/// Where it is not known where here is.
pub(crate) fn moved(program: Program, empty: &Path) -> Result<Program> {
    let here = env::current_dir()?;
    let from_here = |word: &Path| if word.exists() { here.join(word) } else { word.to_owned() };
    // A name without a separator is looked up in PATH.
    let path = if program.path.components().count() > 1 { from_here(&program.path) } else { program.path };
    let args = program.args.iter().map(|word| from_here(word.as_ref()).into_os_string()).collect();
    Ok(Program { path, args, directory: Some(empty.to_owned()), ..program })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_name_files_from_here_still_do() {
        let words = ["src/sealed.rs", "--fast", "nowhere.py", "/"].map(Into::into).to_vec();
        let program = Program { args: words, ..Program::new("python3") };
        let moved = moved(program, Path::new("/empty")).unwrap();
        let here = env::current_dir().unwrap().join("src/sealed.rs");
        assert_eq!(moved.args, [here.as_os_str(), "--fast".as_ref(), "nowhere.py".as_ref(), "/".as_ref()]);
        assert_eq!((moved.path.as_os_str(), moved.directory), ("python3".as_ref(), Some("/empty".into())));
        let own = super::moved(Program::new("src/sealed.rs"), Path::new("/empty")).unwrap();
        assert_eq!(own.path, here);
    }
}
