//! An end to all conversations with workers, for whoever listens to Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};

static WANTED: AtomicBool = AtomicBool::new(false);

/// Ends every conversation with a worker, within a fraction of a second and for good: workers are ended, also such as
/// hang, and [halt](super::Halt::Stopped). May be called from any thread.
pub fn stop() {
    WANTED.store(true, Ordering::Relaxed);
}

/// Whether somebody wants an end.
pub(super) fn is_wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}
