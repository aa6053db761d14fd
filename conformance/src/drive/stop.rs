//! Ends all conversations with workers, for programs that handle Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};

static WANTED: AtomicBool = AtomicBool::new(false);

/// Ends every conversation with a worker, permanently and within a fraction of a second: workers are ended,
/// even hanging ones, and [halt](super::Halt::Stopped). May be called from any thread.
pub fn stop() {
    WANTED.store(true, Ordering::Relaxed);
}

/// Returns true if a stop was requested.
pub(super) fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}
