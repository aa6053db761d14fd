//! One worker process: starting it, exchanging one frame for one, and saying how it ended.
//!
//! A thread does the talking, so that a deadline covers the whole exchange, however the other end
//! dribbles. No process outlives its [`Process`], and none is left a zombie.

use std::ffi::OsString;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::frame::{self, Frame, FrameError};
use super::tail::Tail;
use super::wire::{self, Hello, WireError};

/// How long a process that hung up, or was hung up on, has to end by itself.
const GRACE: Duration = Duration::from_millis(500);

/// The program to run as a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The executable: a path, or a name looked up in `PATH`.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Environment variables set for it beside those of this process. `RUST_BACKTRACE` is 0 unless
    /// set here: a backtrace would push what matters out of the few lines that are kept.
    pub env: Vec<(OsString, OsString)>,
}

impl Program {
    /// The program at `path`, without arguments.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), args: Vec::new(), env: Vec::new() }
    }
}

/// What a worker may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time from the start of the process to the end of its hello.
    pub hello: Duration,
    /// Time from sending a call to the end of its answer.
    pub answer: Duration,
    /// Bytes of a frame from the worker.
    pub max_frame: usize,
    /// Bytes of address space (`ulimit -v`), where limited; Unix only.
    pub memory: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        let patience = Duration::from_secs(10);
        Self { hello: patience, answer: patience, max_frame: frame::MAX_BODY, memory: None }
    }
}

/// Why a worker could not be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// There is no such program, or the system refused to run it.
    #[error("cannot run {}: {source}", program.display())]
    Spawn {
        /// What was to run.
        program: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It ran, but its hello never came, or was none.
    #[error("{} is no worker: {why}", program.display())]
    NoHello {
        /// What ran.
        program: PathBuf,
        /// What came instead, with the end of its standard error.
        why: String,
    },
    /// A memory limit was asked for on a system without `ulimit`.
    #[error("a memory limit needs a Unix system")]
    MemoryLimit,
}

/// Why an exchange failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// Nothing, or not all of it, came in time.
    TimedOut,
    /// The stream ended or failed.
    Ended,
    /// Something came that the protocol does not allow.
    Violation(Violation),
}

/// How the protocol was broken.
#[derive(Debug, Error)]
pub(super) enum Violation {
    #[error(transparent)]
    Frame(FrameError),
    #[error(transparent)]
    Body(WireError),
    #[error("a frame tagged {got} where {due} was due")]
    Tag { got: u8, due: u8 },
    #[error("an answer to call {got} where call {asked} was asked")]
    Number { got: u64, asked: u64 },
}

impl From<WireError> for Fault {
    fn from(error: WireError) -> Self {
        Self::Violation(Violation::Body(error))
    }
}

/// A running worker that has said hello.
pub(super) struct Process {
    child: Child,
    talker: Talker,
    stderr: Option<Tail>,
}

impl Process {
    pub(super) fn start(program: &Program, limits: &Limits) -> Result<(Self, Hello), StartError> {
        let spawn = |source| StartError::Spawn { program: program.path.clone(), source };
        let mut command = command(program, limits)?;
        let plug = Plug::into(&mut command).map_err(spawn)?;
        let mut child = command.stderr(Stdio::piped()).spawn().map_err(spawn)?;
        // The command holds the child's end of the connection, which must be the child's alone.
        drop(command);
        let stderr = child.stderr.take().map(Tail::of);
        let talker = match plug.connect(&mut child) {
            Ok(connection) => Talker::over(connection, limits.max_frame),
            Err(source) => {
                end(&mut child, Duration::ZERO);
                return Err(spawn(source));
            }
        };
        let mut process = Self { child, talker, stderr };
        let hello =
            process.receive(wire::HELLO, limits.hello).and_then(|body| Ok(wire::decode_hello(&body)?));
        match hello {
            Ok(hello) => Ok((process, hello)),
            Err(fault) => {
                let why = match fault {
                    Fault::TimedOut => format!("no hello within {} s", limits.hello.as_secs_f64()),
                    fault => process.obituary(&fault),
                };
                Err(StartError::NoHello { program: program.path.clone(), why })
            }
        }
    }

    /// Sends a frame and waits for the one tagged `due`, both within `limit`.
    pub(super) fn exchange(
        &mut self,
        tag: u8,
        body: Vec<u8>,
        due: u8,
        limit: Duration,
    ) -> Result<Vec<u8>, Fault> {
        if let Some(tail) = &self.stderr {
            tail.clear();
        }
        // A talker that is gone has left the reason in its outbox.
        let _gone = self.talker.inbox.send(Frame { tag, body });
        self.receive(due, limit)
    }

    fn receive(&mut self, due: u8, limit: Duration) -> Result<Vec<u8>, Fault> {
        match self.talker.outbox.recv_timeout(limit) {
            Err(RecvTimeoutError::Timeout) => Err(Fault::TimedOut),
            Err(RecvTimeoutError::Disconnected) | Ok(Ok(None)) => Err(Fault::Ended),
            Ok(Ok(Some(Frame { tag, body }))) if tag == due => Ok(body),
            Ok(Ok(Some(Frame { tag: got, .. }))) => Err(Fault::Violation(Violation::Tag { got, due })),
            Ok(Err(error)) => Err(match error {
                FrameError::Stream(_) | FrameError::CutHeader { .. } | FrameError::CutBody { .. } => {
                    Fault::Ended
                }
                FrameError::TooLong { .. } => Fault::Violation(Violation::Frame(error)),
            }),
        }
    }

    /// Whether the process has ended by itself.
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends the process after a fault and says what is known of it.
    pub(super) fn obituary(&mut self, fault: &Fault) -> String {
        let how = match fault {
            Fault::TimedOut => {
                end(&mut self.child, Duration::ZERO);
                "no answer".to_owned()
            }
            Fault::Violation(violation) => {
                end(&mut self.child, Duration::ZERO);
                format!("broke the protocol: {violation}")
            }
            Fault::Ended => match end(&mut self.child, GRACE) {
                // Whether a core was written depends on the machine, and reports must not.
                Some(status) => format!("ended with {status}").replace(" (core dumped)", ""),
                None => "closed the connection and ran on".to_owned(),
            },
        };
        self.with_last_words(how)
    }

    /// Ends the process after it reported its own death.
    pub(super) fn bury(&mut self, reported: String) -> String {
        self.talker.hang_up();
        end(&mut self.child, GRACE);
        self.with_last_words(reported)
    }

    fn with_last_words(&self, how: String) -> String {
        let lines = self.stderr.as_ref().map(|tail| tail.lines(GRACE)).unwrap_or_default();
        if lines.is_empty() { how } else { format!("{how}; stderr: {lines}") }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.talker.hang_up();
        end(&mut self.child, GRACE);
    }
}

/// Waits up to `grace` for the process to end, then kills it. How it ended by itself, if it did.
fn end(child: &mut Child, grace: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + grace;
    let mut pause = Duration::from_micros(100);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < deadline => thread::sleep(pause),
            // Already gone, or not ours any more: killing and waiting can fail only for that.
            Ok(None) | Err(_) => {
                let _killed = child.kill();
                let _reaped = child.wait();
                return None;
            }
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

fn command(program: &Program, limits: &Limits) -> Result<Command, StartError> {
    let mut command = match limits.memory {
        None => Command::new(&program.path),
        Some(_) if !cfg!(unix) => return Err(StartError::MemoryLimit),
        Some(bytes) => {
            let mut shell = Command::new("sh");
            // ulimit counts KiB. The shell becomes the program, so the process to kill is the same.
            let script = format!("ulimit -v {} && ulimit -c 0 && exec \"$0\" \"$@\"", bytes / 1024);
            shell.arg("-c").arg(script).arg(&program.path);
            shell
        }
    };
    command.args(&program.args).stdout(Stdio::null());
    command.env("RUST_BACKTRACE", "0").envs(program.env.iter().map(|(name, value)| (name, value)));
    Ok(command)
}

/// A thread that sends a frame and reads one in return, over and over.
struct Talker {
    inbox: Sender<Frame>,
    outbox: Receiver<Result<Option<Frame>, FrameError>>,
    #[cfg(unix)]
    line: std::os::unix::net::UnixStream,
}

type Reader = Box<dyn Read + Send>;
type Writer = Box<dyn Write + Send>;

/// This process's end of the connection.
struct Connection {
    from: Reader,
    to: Writer,
    #[cfg(unix)]
    line: std::os::unix::net::UnixStream,
}

impl Talker {
    fn over(connection: Connection, max_frame: usize) -> Self {
        let (inbox, calls) = channel();
        let (answers, outbox) = channel();
        let (from, to) = (connection.from, connection.to);
        thread::spawn(move || talk(from, to, max_frame, &calls, &answers));
        Self {
            inbox,
            outbox,
            #[cfg(unix)]
            line: connection.line,
        }
    }

    /// Ends the stream for the worker and for the thread, whoever else may hold the other end.
    fn hang_up(&self) {
        #[cfg(unix)]
        let _not_connected = self.line.shutdown(std::net::Shutdown::Both);
    }
}

/// Reads the hello, then one frame for every frame sent. Ends when nobody listens or the stream does.
fn talk(
    from: Reader,
    to: Writer,
    max_frame: usize,
    calls: &Receiver<Frame>,
    answers: &Sender<Result<Option<Frame>, FrameError>>,
) {
    let (mut from, mut to) = (BufReader::new(from), BufWriter::new(to));
    loop {
        let answer = frame::read(&mut from, max_frame);
        let over = !matches!(answer, Ok(Some(_)));
        if answers.send(answer).is_err() || over {
            return;
        }
        let Ok(Frame { tag, body }) = calls.recv() else { return };
        if let Err(error) = frame::write(&mut to, tag, &body) {
            let _nobody_listens = answers.send(Err(error));
            return;
        }
    }
}

/// The child's end of the connection, put into its command before it starts.
#[cfg(unix)]
struct Plug(std::os::unix::net::UnixStream);

#[cfg(unix)]
impl Plug {
    fn into(command: &mut Command) -> io::Result<Self> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        command.stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)));
        Ok(Self(ours))
    }

    #[allow(clippy::unused_self, reason = "the other systems' signature")]
    fn connect(self, _: &mut Child) -> io::Result<Connection> {
        let (from, to) = (Box::new(self.0.try_clone()?), Box::new(self.0.try_clone()?));
        Ok(Connection { from, to, line: self.0 })
    }
}

/// Elsewhere: standard input and output.
#[cfg(not(unix))]
struct Plug;

#[cfg(not(unix))]
impl Plug {
    fn into(command: &mut Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        Ok(Self)
    }

    fn connect(self, child: &mut Child) -> io::Result<Connection> {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let (from, to) = (child.stdout.take().ok_or_else(gone)?, child.stdin.take().ok_or_else(gone)?);
        Ok(Connection { from: Box::new(from), to: Box::new(to) })
    }
}
