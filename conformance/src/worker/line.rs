//! The connection to a worker process: a thread that writes what is sent, and one that reads ahead.
//!
//! Neither end can block the judge. Frames wait in a queue that is bounded in bytes, so a worker that
//! floods the connection blocks itself and nobody else.

use std::io::{self, BufReader, Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::frame::{self, Frame, FrameError};

/// Frames are handed on together up to this many bytes; a frame that is longer comes alone.
const BATCH: usize = 1 << 16;
/// How many such batches wait to be taken.
const BATCHES: usize = 4;

/// This process's end of the connection.
pub(super) struct Line {
    inbox: Sender<Vec<u8>>,
    outbox: Receiver<Batch>,
    /// What was taken from the outbox, the next frame last.
    taken: Batch,
    #[cfg(unix)]
    socket: std::os::unix::net::UnixStream,
}

/// Frames in the order they came, and how the stream ended where it did.
#[derive(Default)]
struct Batch {
    frames: std::collections::VecDeque<Frame>,
    end: Option<Ended>,
}

/// How a stream ended.
enum Ended {
    /// Between frames.
    Whole,
    /// Inside one, or by one that is none.
    Broken(FrameError),
}

/// Why no frame can be had.
pub(super) enum NoFrame {
    /// Not all of it came in time.
    TimedOut,
    /// The stream ended, between frames or inside one.
    Ended,
    /// What came is no frame.
    Broken(FrameError),
}

impl Line {
    fn over(connection: Connection, max_frame: usize) -> Self {
        let (inbox, to_send) = channel();
        let (received, outbox) = sync_channel(BATCHES);
        let (from, to) = (connection.from, connection.to);
        thread::spawn(move || write_all(to, &to_send));
        thread::spawn(move || read_all(from, max_frame, &received));
        Self {
            inbox,
            outbox,
            taken: Batch::default(),
            #[cfg(unix)]
            socket: connection.socket,
        }
    }

    /// Sends bytes, some time. Where nobody reads them, the frame that should come back will tell.
    pub(super) fn send(&self, bytes: Vec<u8>) {
        let _gone = self.inbox.send(bytes);
    }

    /// The next frame, all of it before `deadline`.
    pub(super) fn receive(&mut self, deadline: Instant) -> Result<Frame, NoFrame> {
        loop {
            if let Some(frame) = self.taken.frames.pop_front() {
                return Ok(frame);
            }
            match self.taken.end.take() {
                Some(Ended::Broken(error @ FrameError::TooLong { .. })) => {
                    return Err(NoFrame::Broken(error));
                }
                Some(_) => return Err(NoFrame::Ended),
                None => {}
            }
            let left = deadline.saturating_duration_since(Instant::now());
            self.taken = match self.outbox.recv_timeout(left) {
                Ok(batch) => batch,
                Err(RecvTimeoutError::Timeout) => return Err(NoFrame::TimedOut),
                Err(RecvTimeoutError::Disconnected) => return Err(NoFrame::Ended),
            };
        }
    }

    /// Says that no more will be sent, where that can be said, and gives what still comes up to `patience`.
    pub(super) fn rest(&mut self, patience: Duration) -> Result<Frame, NoFrame> {
        #[cfg(unix)]
        let _not_connected = self.socket.shutdown(std::net::Shutdown::Write);
        self.receive(Instant::now() + patience)
    }

    /// Ends the stream for the worker and for the threads, whoever else may hold the other end.
    pub(super) fn hang_up(&self) {
        #[cfg(unix)]
        let _not_connected = self.socket.shutdown(std::net::Shutdown::Both);
    }
}

fn write_all(mut to: Writer, to_send: &Receiver<Vec<u8>>) {
    while let Ok(bytes) = to_send.recv() {
        if to.write_all(&bytes).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

/// Reads until the stream ends, is broken, or nobody listens any more.
fn read_all(from: Reader, max_frame: usize, received: &SyncSender<Batch>) {
    let mut from = BufReader::with_capacity(BATCH, from);
    loop {
        let mut batch = Batch::default();
        let mut bytes = 0;
        while batch.frames.is_empty() || bytes < BATCH && frame::is_whole(from.buffer()) {
            match frame::read(&mut from, max_frame) {
                Ok(Some(frame)) => {
                    bytes += frame.body.len();
                    batch.frames.push_back(frame);
                }
                Ok(None) => batch.end = Some(Ended::Whole),
                Err(error) => batch.end = Some(Ended::Broken(error)),
            }
            if batch.end.is_some() {
                break;
            }
        }
        let over = batch.end.is_some();
        if received.send(batch).is_err() || over {
            return;
        }
    }
}

type Reader = Box<dyn Read + Send>;
type Writer = Box<dyn Write + Send>;

/// The streams of a connection.
struct Connection {
    from: Reader,
    to: Writer,
    #[cfg(unix)]
    socket: std::os::unix::net::UnixStream,
}

/// The child's end of the connection, put into its command before it starts.
#[cfg(unix)]
pub(super) struct Plug(std::os::unix::net::UnixStream);

#[cfg(unix)]
impl Plug {
    pub(super) fn into(command: &mut std::process::Command) -> io::Result<Self> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        command.stdin(std::process::Stdio::from(std::os::fd::OwnedFd::from(theirs)));
        Ok(Self(ours))
    }

    #[allow(clippy::unused_self, reason = "the other systems' signature")]
    pub(super) fn connect(self, _: &mut Child, max_frame: usize) -> io::Result<Line> {
        let (from, to) = (Box::new(self.0.try_clone()?), Box::new(self.0.try_clone()?));
        Ok(Line::over(Connection { from, to, socket: self.0 }, max_frame))
    }
}

/// Elsewhere: standard input and output.
#[cfg(not(unix))]
pub(super) struct Plug;

#[cfg(not(unix))]
impl Plug {
    pub(super) fn into(command: &mut std::process::Command) -> io::Result<Self> {
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        Ok(Self)
    }

    pub(super) fn connect(self, child: &mut Child, max_frame: usize) -> io::Result<Line> {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let (from, to) = (child.stdout.take().ok_or_else(gone)?, child.stdin.take().ok_or_else(gone)?);
        Ok(Line::over(Connection { from: Box::new(from), to: Box::new(to) }, max_frame))
    }
}
