//! Whether only errors are wanted on standard error: `--quiet`.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Arg, ArgAction, ArgMatches};

static QUIET: AtomicBool = AtomicBool::new(false);

/// The option, which every command has.
pub(crate) fn option() -> Arg {
    Arg::new("quiet")
        .long("quiet")
        .short('q')
        .global(true)
        .action(ArgAction::SetTrue)
        .help("Show no progress, and write nothing but errors to standard error")
}

/// Heeds the option.
pub(crate) fn heed(matches: &ArgMatches) {
    QUIET.store(matches.get_flag("quiet"), Ordering::Relaxed);
}

/// Whether only errors are wanted.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}
