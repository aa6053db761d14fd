//! One worker process: starts it, sends and receives frames, and describes its end.
//!
//! A deadline covers a whole frame ([`super::line`]), even if it comes in small pieces. No process outlives its
//! [`Process`], and none is left a zombie. The same holds for processes that it started, unless they left its group.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::asking::Asking;
use super::guard::{Watch, marked, ready};
use super::halt::is_short_of;
use super::line::{Line, NoFrame, Plug, Received};
use super::start::StartError;
use super::stop;
use super::tail::Tail;
use crate::display;
use normative_backend::frame::{self, FrameError};
use normative_backend::wire::{self, Hello, Reply, ResultBound, WireError};
use normative_backend::{Identity, Unavailable};

/// The time that a process has to end by itself after either side hung up.
const GRACE: Duration = Duration::from_millis(500);

/// The words between the way in which a process died and what it printed.
const PRINTED: &str = "; stderr: ";

/// Returns the words of a death without what the process printed, which differs from one to the next.
pub fn without_printed(death: &str) -> &str {
    death.split_once(PRINTED).map_or(death, |(how, _)| how)
}

/// The program to run as a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The executable: a path, or a name looked up in `PATH`.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Environment variables set for it besides those of this process. `RUST_BACKTRACE` is 0 unless set here: a
    /// backtrace would push important lines out of the few that are kept.
    pub env: Vec<(OsString, OsString)>,
    /// The form in which calls are sent to it.
    pub asking: Asking,
}

impl Program {
    /// Returns the program at `path`, without arguments.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), args: Vec::new(), env: Vec::new(), asking: Asking::default() }
    }
}

/// The limits of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time from the start of the process to the end of its hello.
    pub hello: Duration,
    /// The time from sending a call to the end of its answer.
    pub answer: Duration,
    /// The bytes of a frame from the worker.
    pub max_frame: usize,
    /// The bytes of address space (`ulimit -v`), if limited; Unix only.
    pub memory: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        // A runtime in Python takes seconds to load, and more on a machine with other work.
        let (hello, answer) = (Duration::from_secs(60), Duration::from_secs(10));
        Self { hello, answer, max_frame: frame::MAX_BODY, memory: None }
    }
}

/// The reason why an exchange failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// No complete frame came within this time.
    TimedOut(Duration),
    /// The stream or the process ended or failed.
    Ended,
    /// The caller asked for a stop.
    Stopped,
    /// The protocol does not allow the received bytes.
    Violation(Violation),
}

/// The way in which the protocol was broken.
#[derive(Debug, Error)]
pub(super) enum Violation {
    #[error(transparent)]
    Frame(FrameError),
    #[error(transparent)]
    Body(WireError),
    #[error("expected frame tag {due}, got {got}")]
    Tag { got: u8, due: u8 },
    // The message omits the numbers, because they differ in every run.
    #[error("expected the answer to the first open call, got that to another")]
    Number,
    #[error("expected one answer to a call, got more")]
    Unasked,
    #[error("expected no answer before its call, got one")]
    Early,
}

impl From<WireError> for Fault {
    fn from(error: WireError) -> Self {
        Self::Violation(Violation::Body(error))
    }
}

/// A running worker that has said hello.
pub(super) struct Process {
    child: Child,
    /// True if the process was ended and waited for.
    buried: bool,
    /// The exit status, if it ended by itself.
    status: Option<ExitStatus>,
    line: Line,
    stderr: Option<Tail>,
    _watch: Watch,
}

impl Process {
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn start(program: &Program, limits: &Limits) -> Result<(Self, Hello), StartError> {
        let mut command = command(program, limits)?;
        let plug = Plug::into(&mut command).map_err(StartError::Judge)?;
        ready().map_err(StartError::Judge)?;
        let spawned = command.stderr(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|source| {
            if is_short_of(&source) {
                StartError::Judge(source)
            } else {
                StartError::Spawn { program: program.path.clone(), source }
            }
        })?;
        // The command holds the child's end of the connection, which only the child may keep open.
        drop(command);
        let connected = Watch::over(child.id()).and_then(|watch| {
            let stderr = child.stderr.take().map(Tail::of).transpose()?;
            Ok((watch, stderr, plug.connect(&mut child, wire::MAX_HELLO, limits.answer)?))
        });
        let mut process = match connected {
            Ok((watch, stderr, line)) => {
                Self { child, buried: false, status: None, line, stderr, _watch: watch }
            }
            Err(source) => {
                end(&mut child, Duration::ZERO);
                return Err(StartError::Judge(source));
            }
        };
        match process.hello(limits.hello) {
            Ok(Ok(hello)) => {
                process.line.max_frame = limits.max_frame;
                Ok((process, hello))
            }
            Ok(Err(unavailable)) => Err(unavailable.into()),
            Err(Fault::Stopped) => Err(StartError::Stopped),
            Err(fault) => {
                let why = match process.fate(&fault) {
                    _ if matches!(fault, Fault::TimedOut(_)) => {
                        let seconds = limits.hello.as_secs_f64();
                        format!("no hello within {seconds} s (--timeout of the commands allows more)")
                    }
                    how => how,
                };
                Err(StartError::NoHello { program: program.path.clone(), why: process.with_last_words(why) })
            }
        }
    }

    fn hello(&mut self, limit: Duration) -> Result<Result<Hello, Unavailable>, Fault> {
        let received = self.frame(wire::MAX_HELLO, limit)?;
        if received.tag == wire::UNAVAILABLE {
            let Unavailable(why) = wire::decode_unavailable(received.start)?;
            return Ok(Err(Unavailable(display::said(&why))));
        }
        due(received.tag, wire::HELLO)?;
        let mut hello = wire::decode_hello(received.start)?;
        // The texts of the identity appear in every report and record.
        let Identity { name, version, report_bugs_to } = &mut hello.identity;
        for text in [name, version, report_bugs_to] {
            *text = display::said(text);
        }
        Ok(Ok(hello))
    }

    /// Returns true if bytes came that were not asked for.
    pub(super) fn spoke_unasked(&mut self) -> bool {
        self.line.has_bytes()
    }

    /// Sends frames, and clears the output printed before.
    pub(super) fn send(&mut self, frames: Vec<u8>) {
        if let Some(tail) = &self.stderr {
            tail.clear();
        }
        self.line.send(frames);
    }

    /// Receives the next answer with the number of its call, all of it within `limit`. No more of its body is
    /// kept than an answer within `bound` takes.
    pub(super) fn answer(&mut self, bound: ResultBound, limit: Duration) -> Result<(u64, Reply), Fault> {
        let Received { tag, length, start } = self.frame(bound.bytes(), limit)?;
        due(tag, wire::ANSWER)?;
        Ok(wire::decode_answer_start(start, length, bound)?)
    }

    fn frame(&mut self, most: usize, limit: Duration) -> Result<Received<'_>, Fault> {
        let Self { child, line, .. } = self;
        // Its children may hold the connection open when it is gone.
        match line.receive(most, Instant::now() + limit, &mut || is_gone(child)) {
            Ok(frame) => Ok(frame),
            Err(NoFrame::TimedOut) => Err(Fault::TimedOut(limit)),
            Err(NoFrame::Ended) => Err(Fault::Ended),
            Err(NoFrame::Stopped) => Err(Fault::Stopped),
            Err(NoFrame::Broken(error)) => Err(Fault::Violation(Violation::Frame(error))),
        }
    }

    /// Ends the conversation. Further bytes are a fault; the exit status is not.
    pub(super) fn dismiss(&mut self) -> Result<(), Fault> {
        let Self { child, line, .. } = self;
        match line.rest(GRACE, &mut || is_gone(child)) {
            Ok(_) => Err(Fault::Violation(Violation::Unasked)),
            Err(NoFrame::Broken(error)) => Err(Fault::Violation(Violation::Frame(error))),
            Err(NoFrame::TimedOut | NoFrame::Ended | NoFrame::Stopped) => Ok(()),
        }
    }

    /// Returns true if the process has ended by itself.
    pub(super) fn has_ended(&mut self) -> bool {
        self.buried || is_gone(&mut self.child)
    }

    /// Waits up to `grace` for the process to end, then kills it and all of its group. Returns the exit status
    /// if it ended by itself.
    fn end(&mut self, grace: Duration) -> Option<ExitStatus> {
        if !self.buried {
            self.status = end(&mut self.child, grace);
            self.buried = true;
        }
        self.status
    }

    /// Ends the process after a fault and describes its end.
    pub(super) fn obituary(&mut self, fault: &Fault) -> String {
        let how = self.fate(fault);
        self.with_last_words(how)
    }

    /// Does the same without the printed output.
    fn fate(&mut self, fault: &Fault) -> String {
        match fault {
            Fault::TimedOut(_) | Fault::Stopped => {
                self.end(Duration::ZERO);
                "no answer".to_owned()
            }
            Fault::Violation(violation) => {
                self.end(Duration::ZERO);
                format!("broke the protocol: {violation}")
            }
            Fault::Ended => match self.end(GRACE) {
                // Core dumps depend on the machine, and reports must not.
                Some(status) => format!("ended with {status}").replace(" (core dumped)", ""),
                None => "closed the connection and ran on".to_owned(),
            },
        }
    }

    /// Ends the process at once.
    pub(super) fn kill(&mut self) {
        self.line.hang_up();
        self.end(Duration::ZERO);
    }

    /// Ends the process after it reported its own death.
    pub(super) fn bury(&mut self, reported: String) -> String {
        self.line.hang_up();
        self.end(GRACE);
        self.with_last_words(reported)
    }

    /// Hangs up. Returns the exit status if the process then ended by itself.
    pub(super) fn hang_up(mut self) -> Option<ExitStatus> {
        self.line.hang_up();
        self.end(GRACE)
    }

    fn with_last_words(&self, how: String) -> String {
        let words = self.stderr.as_ref().map(|tail| tail.ends(GRACE)).unwrap_or_default();
        if words.is_empty() { how } else { format!("{how}{PRINTED}{words}") }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.line.hang_up();
        self.end(GRACE);
    }
}

/// Rejects a frame with another tag.
fn due(got: u8, due: u8) -> Result<(), Fault> {
    if got == due { Ok(()) } else { Err(Fault::Violation(Violation::Tag { got, due })) }
}

/// Does what [`Process::end`] does. Call it once only: afterwards the process id may be reused.
pub(super) fn end(child: &mut Child, grace: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + grace;
    let mut pause = Duration::from_micros(100);
    let mut gone = is_gone(child);
    while !gone && Instant::now() < deadline && !stop::is_wanted() {
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
        gone = is_gone(child);
    }
    kill(child);
    let status = child.wait().ok();
    status.filter(|_| gone)
}

/// Returns true if the process has ended. It stays a zombie, so that the id of it and its group is not reused.
#[cfg(unix)]
fn is_gone(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
}

/// Kills the process and all of its group.
#[cfg(unix)]
fn kill(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};

    // This fails if all processes are gone, or one runs as another user.
    let _gone = kill_process_group(Pid::from_child(child), Signal::KILL);
    // The process may have left its group.
    let _gone = child.kill();
}

#[cfg(not(unix))]
fn is_gone(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}

#[cfg(not(unix))]
fn kill(child: &mut Child) {
    let _gone = child.kill();
}

fn command(program: &Program, limits: &Limits) -> Result<Command, StartError> {
    let mut command = Command::new(&program.path);
    command.args(&program.args);
    let mut command = limited(&command, limits.memory).map_err(|_| StartError::MemoryLimit)?;
    command.stdout(Stdio::null());
    // Ctrl-C is for the judge. The judge ends the worker and the worker's children.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    marked(&mut command);
    command.env("RUST_BACKTRACE", "0").envs(program.env.iter().map(|(name, value)| (name, value)));
    Ok(command)
}

/// Returns the same command with a limit on its address space, if there is one.
///
/// # Errors
/// Fails if the system has no `ulimit`.
pub(super) fn limited(command: &Command, memory: Option<u64>) -> io::Result<Command> {
    let mut within = match memory {
        None => Command::new(command.get_program()),
        Some(_) if !cfg!(unix) => return Err(io::ErrorKind::Unsupported.into()),
        Some(bytes) => {
            let mut shell = Command::new("sh");
            // ulimit counts KiB. The shell becomes the program, so the process to kill is the same.
            let script = format!("ulimit -v {} && ulimit -c 0 && exec \"$0\" \"$@\"", bytes / 1024);
            shell.arg("-c").arg(script).arg(command.get_program());
            shell
        }
    };
    within.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => within.env(name, value),
            None => within.env_remove(name),
        };
    }
    if let Some(directory) = command.get_current_dir() {
        within.current_dir(directory);
    }
    Ok(within)
}
