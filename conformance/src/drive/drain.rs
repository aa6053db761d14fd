//! Drains a pipe, so that a flood of output never blocks the process at its other end.
//!
//! A thread reads the pipe. Both end with the [`Drain`], although a process that was left behind may hold the
//! other end open.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A store for the parts of the output that are kept.
pub(super) trait Keep: Send + 'static {
    /// Takes the next bytes.
    fn add(&mut self, bytes: &[u8]);
}

/// A pipe that is drained, and the kept output.
pub(super) struct Drain<K> {
    kept: Arc<Mutex<K>>,
    /// Hangs up when the pipe closes; nothing is ever sent.
    closed: Receiver<()>,
    /// Closed to end the thread; nothing is ever written.
    watched: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl<K: Keep> Drain<K> {
    /// Drains `pipe` until it closes, or this is dropped.
    ///
    /// # Errors
    /// Fails when the judge has no descriptor or thread left.
    pub(super) fn of(pipe: impl Pipe, kept: K) -> io::Result<Self> {
        let kept = Arc::new(Mutex::new(kept));
        let (open, closed) = channel();
        let shared = Arc::clone(&kept);
        let (watch, watched) = io::pipe()?;
        let thread = thread::Builder::new().spawn(move || drain(pipe, &watch, &shared, &open))?;
        Ok(Self { kept, closed, watched: Some(watched), thread: Some(thread) })
    }

    /// Returns the output kept so far.
    pub(super) fn kept(&self) -> MutexGuard<'_, K> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits up to `patience` for the pipe to close.
    pub(super) fn wait(&self, patience: Duration) {
        let _hung_up_or_late = self.closed.recv_timeout(patience);
    }
}

impl<K> Drop for Drain<K> {
    fn drop(&mut self) {
        self.watched = None;
        // On other systems nothing wakes a thread that reads.
        if cfg!(unix)
            && let Some(thread) = self.thread.take()
        {
            let _panicked = thread.join();
        }
    }
}

/// A pipe that can be drained.
#[cfg(unix)]
pub(super) trait Pipe: Read + Send + std::os::fd::AsFd + 'static {}
#[cfg(unix)]
impl<P: Read + Send + std::os::fd::AsFd + 'static> Pipe for P {}
/// A pipe that can be drained.
#[cfg(not(unix))]
pub(super) trait Pipe: Read + Send + 'static {}
#[cfg(not(unix))]
impl<P: Read + Send + 'static> Pipe for P {}

/// Waits until there is something to read. Returns false once the watch has ended.
#[cfg(unix)]
fn waits(pipe: &impl Pipe, watch: &PipeReader) -> bool {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;

    let mut both = [PollFd::new(pipe, PollFlags::IN), PollFd::new(watch, PollFlags::IN)];
    loop {
        match poll(&mut both, None) {
            Err(Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => return both[1].revents().is_empty(),
        }
    }
}

#[cfg(not(unix))]
fn waits(_: &impl Pipe, _: &PipeReader) -> bool {
    true
}

/// Drains the pipe until it ends. Dropping `_open` on return signals that it closed.
fn drain(mut pipe: impl Pipe, watch: &PipeReader, kept: &Mutex<impl Keep>, _open: &Sender<()>) {
    let mut chunk = [0; 8192];
    // Any error ends the loop: printed output informs, but is never a verdict.
    while waits(&pipe, watch)
        && let Ok(read @ 1..) = pipe.read(&mut chunk)
    {
        kept.lock().unwrap_or_else(PoisonError::into_inner).add(&chunk[..read]);
    }
}
