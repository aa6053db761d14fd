//! Ctrl-C and a polite kill: the run stops where it is, also where a worker hangs, and reports what it has. The second
//! time the process ends at once.

#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result};
use normative_conformance::drive;

use crate::note::note;

static STOP: AtomicBool = AtomicBool::new(false);

/// Listens from now on, and takes a file that may not grow any more for an error of writing it, not for an order to die.
pub fn listen() -> Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)))
        .context("cannot listen for a limit on file size")?;
    let heard = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        drive::stop();
        note("stopping; once more to stop at once");
    };
    ctrlc::set_handler(heard).context("cannot listen for Ctrl-C")
}

/// Whether somebody wants the run to stop.
pub fn wanted() -> bool {
    STOP.load(Ordering::Relaxed)
}
