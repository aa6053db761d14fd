//! `--quiet`: only errors on standard error.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Arg, ArgAction, ArgMatches};

static QUIET: AtomicBool = AtomicBool::new(false);

/// Returns the option, which every command has.
pub(crate) fn option() -> Arg {
    Arg::new("quiet")
        .long("quiet")
        .short('q')
        .global(true)
        .action(ArgAction::SetTrue)
        .help("Show no progress, and write nothing but errors to standard error")
}

/// Stores the option.
pub(crate) fn heed(matches: &ArgMatches) {
    QUIET.store(matches.get_flag("quiet"), Ordering::Relaxed);
}

/// Returns true if only errors are to be printed.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}
