//! What a command says beside its output, on standard error: what it is doing, how long that took, what to beware of.
//! `--quiet` leaves errors alone.

use std::fmt::Display;
use std::io::{self, Write as _};
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

/// Says what went wrong.
pub(crate) fn error(text: impl Display) {
    // Nobody may be listening any more; the exit code says it too.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Says something, unless only errors are wanted.
pub(crate) fn note(text: impl Display) {
    if !is_quiet() {
        error(text);
    }
}
