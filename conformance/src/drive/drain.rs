//! Drains a pipe, so that a flood of output never blocks the process at its other end.
//!
//! A thread reads the pipe. Both end with the [`Drain`], although a process that was left behind may hold the
//! other end open.

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The first and the last bytes of the output.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) first: Vec<u8>,
    pub(super) last: VecDeque<u8>,
    /// The number of bytes that came.
    pub(super) all: usize,
}

/// A pipe that is drained, and the kept output.
pub(super) struct Drain {
    kept: Arc<Mutex<Kept>>,
    /// Hangs up when the pipe closes; nothing is ever sent.
    closed: Receiver<()>,
    /// Closed to end the thread; nothing is ever written.
    watched: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl Drain {
    /// Drains `pipe` until it closes, or this is dropped. Keeps so many of the first and of the last bytes.
    ///
    /// # Errors
    /// Fails when the judge has no descriptor or thread left.
    pub(super) fn of(pipe: impl Pipe, most: (usize, usize)) -> io::Result<Self> {
        let kept = Arc::new(Mutex::new(Kept::default()));
        let (open, closed) = channel();
        let shared = Arc::clone(&kept);
        let (watch, watched) = io::pipe()?;
        let thread = thread::Builder::new().spawn(move || drain(pipe, &watch, &shared, most, &open))?;
        Ok(Self { kept, closed, watched: Some(watched), thread: Some(thread) })
    }

    /// Returns the output kept so far.
    pub(super) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits up to `patience` for the pipe to close.
    pub(super) fn wait(&self, patience: Duration) {
        let _hung_up_or_late = self.closed.recv_timeout(patience);
    }
}

impl Drop for Drain {
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
fn drain(
    mut pipe: impl Pipe,
    watch: &PipeReader,
    kept: &Mutex<Kept>,
    (first, last): (usize, usize),
    _open: &Sender<()>,
) {
    let mut chunk = [0; 8192];
    // Any error ends the loop: printed output informs, but is never a verdict.
    while waits(&pipe, watch)
        && let Ok(read @ 1..) = pipe.read(&mut chunk)
    {
        let (mut kept, bytes) = (kept.lock().unwrap_or_else(PoisonError::into_inner), &chunk[..read]);
        let room = first - kept.first.len();
        kept.first.extend_from_slice(&bytes[..read.min(room)]);
        kept.last.extend(bytes);
        let over = kept.last.len().saturating_sub(last);
        kept.last.drain(..over);
        kept.all = kept.all.saturating_add(read);
    }
}
