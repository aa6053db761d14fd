//! Ctrl-C and SIGTERM: the run stops, even if a worker hangs, and reports the answers so far. The second signal ends
//! the process at once.

#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result};
use normative_conformance::drive;

use crate::note::note;

static STOP: AtomicBool = AtomicBool::new(false);

/// Installs the signal handlers. SIGXFSZ is caught too, so that a write beyond the size limit is an error, not a kill.
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

/// Returns true if a signal has asked the run to stop.
pub fn wanted() -> bool {
    STOP.load(Ordering::Relaxed)
}
