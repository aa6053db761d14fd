//! The connection to a worker process: receives frames, each before a deadline.
//!
//! Bytes are read only while a frame is awaited, so a worker that floods the connection blocks only itself.
//! Short messages are written directly; a thread writes longer ones, so that a worker that does not read cannot
//! block the judge.

use std::io::{self, ErrorKind, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::stop;
use normative_backend::frame::{self, FrameError};

/// The number of bytes read at once.
const CHUNK: usize = 1 << 16;

/// A write of up to 4 KiB always fits into a stream's buffer if the other end has read all, so it cannot block.
const SHORT: usize = 1 << 12;

/// The time to look, past a deadline, for bytes that came before it. A read needs a timeout above zero.
const LATE: Duration = Duration::from_millis(1);

/// The interval of checks, while nothing comes, that the other end is there and that no stop was requested.
const LOOK: Duration = Duration::from_millis(100);

/// This process's end of the connection.
pub(super) struct Line {
    source: Source,
    /// The greatest length of a body that the protocol allows.
    pub(super) max_frame: usize,
    /// The bytes read, and the number of them that were taken.
    read: Vec<u8>,
    taken: usize,
    inbox: Sender<Vec<u8>>,
}

/// A received frame.
pub(super) struct Received<'a> {
    /// Its tag.
    pub(super) tag: u8,
    /// The length of its body.
    pub(super) length: usize,
    /// The start of its body; all of it, if it is not longer than the limit.
    pub(super) start: &'a [u8],
}

/// The reason why no frame was received.
pub(super) enum NoFrame {
    /// The frame was not complete in time.
    TimedOut,
    /// The stream ended, between frames or inside one.
    Ended,
    /// The caller asked for a stop.
    Stopped,
    /// The bytes are not a frame.
    Broken(FrameError),
}

impl Line {
    /// Sends bytes, possibly later. If they are not read, the missing answer will show that.
    pub(super) fn send(&mut self, bytes: Vec<u8>) {
        if bytes.len() > SHORT || !self.source.writes(&bytes) {
            let _gone = self.inbox.send(bytes);
        }
    }

    /// Receives the next frame, all of it before `deadline`. Only the first `most` bytes of its body are kept;
    /// the rest is read and dropped, so that memory does not grow with it. `is_gone` returns true if the other
    /// end has ended, even if another process holds the stream open.
    pub(super) fn receive(
        &mut self,
        most: usize,
        deadline: Instant,
        is_gone: &mut dyn FnMut() -> bool,
    ) -> Result<Received<'_>, NoFrame> {
        let (mut over, mut gone, mut dropped) = (false, false, 0);
        let (tag, length) = loop {
            let opened = frame::opening(&self.read[self.taken..], self.max_frame).map_err(NoFrame::Broken)?;
            if let Some((tag, length)) = opened {
                let end = self.taken + frame::HEADER + length.min(most);
                let excess = length.saturating_sub(most);
                if let Some(beyond) = self.read.len().checked_sub(end) {
                    let drop = beyond.min(excess - dropped);
                    self.read.drain(end..end + drop);
                    dropped += drop;
                    if dropped == excess {
                        break (tag, length);
                    }
                }
            }
            if over {
                return Err(NoFrame::TimedOut);
            }
            if stop::is_wanted() {
                return Err(NoFrame::Stopped);
            }
            if self.taken > 0 {
                self.read.drain(..self.taken);
                // Shrink the buffer, so that a large answer does not hold memory while small ones follow.
                self.read.shrink_to(2 * CHUNK);
                self.taken = 0;
            }
            // Bytes that came in time count, even if they are read late.
            let left = deadline.saturating_duration_since(Instant::now());
            over = left.is_zero();
            // Bytes that a process sent before it ended count, too.
            let patience = if gone { LATE } else { left.min(LOOK).max(LATE) };
            match self.source.read(&mut self.read, patience) {
                Err(NoFrame::TimedOut) if over => return Err(NoFrame::TimedOut),
                Err(NoFrame::TimedOut) if gone => return Err(NoFrame::Ended),
                Err(NoFrame::TimedOut) => gone = is_gone(),
                read => read?,
            }
        };
        let start = self.taken + frame::HEADER;
        self.taken = start + length.min(most);
        Ok(Received { tag, length, start: &self.read[start..self.taken] })
    }

    /// Returns true if there are bytes that were not taken. Does not wait.
    pub(super) fn has_bytes(&mut self) -> bool {
        if self.read.len() == self.taken && self.source.is_ready() {
            // The end of the stream has no bytes.
            let _ended = self.source.read(&mut self.read, LATE);
        }
        self.read.len() > self.taken
    }

    /// Shuts down sending, if possible, and receives a last frame within `patience`.
    pub(super) fn rest(
        &mut self,
        patience: Duration,
        is_gone: &mut dyn FnMut() -> bool,
    ) -> Result<Received<'_>, NoFrame> {
        self.source.shut(false);
        self.receive(0, Instant::now() + patience, is_gone)
    }

    /// Ends the stream for the worker and for the thread, even if other processes hold the other end.
    pub(super) fn hang_up(&self) {
        self.source.shut(true);
    }
}

fn write_all(mut to: impl Write, to_send: &Receiver<Vec<u8>>) {
    while let Ok(bytes) = to_send.recv() {
        if to.write_all(&bytes).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

/// The judge's end of the connection, before the worker starts; the child's end is in its command.
#[cfg(unix)]
pub(super) struct Plug(std::os::unix::net::UnixStream);

/// The source of a worker's bytes.
#[cfg(unix)]
struct Source {
    socket: std::os::unix::net::UnixStream,
    chunk: Vec<u8>,
}

#[cfg(unix)]
impl Plug {
    pub(super) fn into(command: &mut std::process::Command) -> io::Result<Self> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        command.stdin(std::process::Stdio::from(std::os::fd::OwnedFd::from(theirs)));
        Ok(Self(ours))
    }

    #[allow(clippy::unused_self, reason = "the other systems' signature")]
    pub(super) fn connect(self, _: &mut Child, max_frame: usize, patience: Duration) -> io::Result<Line> {
        // Even a short write blocks if a worker answers calls without reading them, so writes have a timeout.
        self.0.set_write_timeout(Some(patience))?;
        let (inbox, to_send) = channel();
        let to = self.0.try_clone()?;
        thread::Builder::new().spawn(move || write_all(to, &to_send))?;
        let source = Source { socket: self.0, chunk: vec![0; CHUNK] };
        Ok(Line { source, max_frame, read: Vec::new(), taken: 0, inbox })
    }
}

#[cfg(unix)]
impl Source {
    /// Writes directly.
    fn writes(&mut self, bytes: &[u8]) -> bool {
        let _nobody_listens = self.socket.write_all(bytes);
        true
    }

    /// Returns true if a read would not wait.
    fn is_ready(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let mut socket = [PollFd::new(&self.socket, PollFlags::IN)];
        matches!(poll(&mut socket, Some(&Timespec::default())), Ok(1..))
    }

    /// Appends available bytes, as soon as there are some.
    fn read(&mut self, into: &mut Vec<u8>, patience: Duration) -> Result<(), NoFrame> {
        use std::io::Read;

        self.socket.set_read_timeout(Some(patience)).map_err(|_| NoFrame::Ended)?;
        match self.socket.read(&mut self.chunk) {
            Ok(0) => Err(NoFrame::Ended),
            Ok(read) => {
                into.extend_from_slice(&self.chunk[..read]);
                Ok(())
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => Err(NoFrame::TimedOut),
                ErrorKind::Interrupted => Ok(()),
                _ => Err(NoFrame::Ended),
            },
        }
    }

    fn shut(&self, both: bool) {
        use std::net::Shutdown;

        let _not_connected = self.socket.shutdown(if both { Shutdown::Both } else { Shutdown::Write });
    }
}

/// On other systems, the connection is standard input and output.
#[cfg(not(unix))]
pub(super) struct Plug;

/// The source of a worker's bytes: a thread that reads ahead, by a few chunks at most.
#[cfg(not(unix))]
struct Source(Receiver<Vec<u8>>);

#[cfg(not(unix))]
impl Plug {
    pub(super) fn into(command: &mut std::process::Command) -> io::Result<Self> {
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        Ok(Self)
    }

    pub(super) fn connect(self, child: &mut Child, max_frame: usize, _: Duration) -> io::Result<Line> {
        use std::io::Read;

        let gone = || io::Error::from(ErrorKind::BrokenPipe);
        let (mut from, to) = (child.stdout.take().ok_or_else(gone)?, child.stdin.take().ok_or_else(gone)?);
        let (received, chunks) = std::sync::mpsc::sync_channel(4);
        thread::Builder::new().spawn(move || {
            let mut chunk = vec![0; CHUNK];
            while let Ok(read @ 1..) = from.read(&mut chunk) {
                if received.send(chunk[..read].to_vec()).is_err() {
                    return;
                }
            }
        })?;
        let (inbox, to_send) = channel();
        thread::Builder::new().spawn(move || write_all(to, &to_send))?;
        Ok(Line { source: Source(chunks), max_frame, read: Vec::new(), taken: 0, inbox })
    }
}

#[cfg(not(unix))]
impl Source {
    /// Returns false: a pipe has no write timeout, so the thread writes.
    fn writes(&mut self, _: &[u8]) -> bool {
        false
    }

    /// Returns true: availability is unknown, and a read waits up to its timeout.
    fn is_ready(&self) -> bool {
        true
    }

    fn read(&mut self, into: &mut Vec<u8>, patience: Duration) -> Result<(), NoFrame> {
        use std::sync::mpsc::RecvTimeoutError;

        match self.0.recv_timeout(patience) {
            Ok(chunk) => Ok(into.extend(chunk)),
            Err(RecvTimeoutError::Timeout) => Err(NoFrame::TimedOut),
            Err(RecvTimeoutError::Disconnected) => Err(NoFrame::Ended),
        }
    }

    fn shut(&self, _: bool) {}
}
