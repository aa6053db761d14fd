//! One worker process: starting it, sending it frames, taking its frames, and saying how it ended.
//!
//! A deadline covers the whole of a frame ([`super::line`]), however the other end dribbles. No process outlives its
//! [`Process`], and none is left a zombie; nor does a process that it started, unless that left its group.

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
use normative_backend::wire::{self, Bound, Hello, Reply, WireError};
use normative_backend::{Identity, Unavailable};

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
    /// What it is sent for each call.
    pub asking: Asking,
}

impl Program {
    /// The program at `path`, without arguments.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), args: Vec::new(), env: Vec::new(), asking: Asking::default() }
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
        // A runtime in Python takes seconds to load, and more on a machine with other work.
        let (hello, answer) = (Duration::from_secs(60), Duration::from_secs(10));
        Self { hello, answer, max_frame: frame::MAX_BODY, memory: None }
    }
}

/// Why an exchange failed.
#[derive(Debug)]
pub(super) enum Fault {
    /// Nothing, or not all of it, came within this time.
    TimedOut(Duration),
    /// The stream ended or failed, or the process did.
    Ended,
    /// Somebody wanted an end.
    Stopped,
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
    // The numbers are others in every run.
    #[error("an answer to another call than the one that was due")]
    Number,
    #[error("more than one answer to a call")]
    Unasked,
    #[error("an answer before its call")]
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
    /// Whether it was ended, and waited for.
    buried: bool,
    /// How it ended by itself, if it did.
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
        // The command holds the child's end of the connection, which must be the child's alone.
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
                        format!("no hello within {seconds} s (--hello-timeout of the commands allows more)")
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
        // They stand in every report and record.
        let Identity { name, version, report_bugs_to } = &mut hello.identity;
        for text in [name, version, report_bugs_to] {
            *text = display::said(text);
        }
        Ok(Ok(hello))
    }

    /// Whether bytes came that were not asked for.
    pub(super) fn spoke_unasked(&mut self) -> bool {
        self.line.has_bytes()
    }

    /// Sends frames; what was printed before is forgotten.
    pub(super) fn send(&mut self, frames: Vec<u8>) {
        if let Some(tail) = &self.stderr {
            tail.clear();
        }
        self.line.send(frames);
    }

    /// The next answer with the number of its call, all of it within `limit`. Of its body no more is kept than an
    /// answer within `bound` takes.
    pub(super) fn answer(&mut self, bound: Bound, limit: Duration) -> Result<(u64, Reply), Fault> {
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

    /// Ends the conversation. What comes where nothing is due is a fault; how the process ends is none.
    pub(super) fn dismiss(&mut self) -> Result<(), Fault> {
        let Self { child, line, .. } = self;
        match line.rest(GRACE, &mut || is_gone(child)) {
            Ok(_) => Err(Fault::Violation(Violation::Unasked)),
            Err(NoFrame::Broken(error)) => Err(Fault::Violation(Violation::Frame(error))),
            Err(NoFrame::TimedOut | NoFrame::Ended | NoFrame::Stopped) => Ok(()),
        }
    }

    /// Whether the process has ended by itself.
    pub(super) fn has_ended(&mut self) -> bool {
        self.buried || is_gone(&mut self.child)
    }

    /// Waits up to `grace` for the process to end, then kills it, and all of its group in any case. How it ended by itself,
    /// if it did.
    fn end(&mut self, grace: Duration) -> Option<ExitStatus> {
        if !self.buried {
            self.status = end(&mut self.child, grace);
            self.buried = true;
        }
        self.status
    }

    /// Ends the process after a fault and says what is known of it.
    pub(super) fn obituary(&mut self, fault: &Fault) -> String {
        let how = self.fate(fault);
        self.with_last_words(how)
    }

    /// The same without what it printed.
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
                // Whether a core was written depends on the machine, and reports must not.
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

    /// Hangs up. How the process then ended by itself, if it did.
    pub(super) fn hang_up(mut self) -> Option<ExitStatus> {
        self.line.hang_up();
        self.end(GRACE)
    }

    fn with_last_words(&self, how: String) -> String {
        let words = self.stderr.as_ref().map(|tail| tail.ends(GRACE)).unwrap_or_default();
        if words.is_empty() { how } else { format!("{how}; stderr: {words}") }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.line.hang_up();
        self.end(GRACE);
    }
}

/// Refuses a frame of another tag.
fn due(got: u8, due: u8) -> Result<(), Fault> {
    if got == due { Ok(()) } else { Err(Fault::Violation(Violation::Tag { got, due })) }
}

/// As [`Process::end`], of a process that was not waited for. Once only: then its number may be another's.
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

/// Whether the process has ended. It stays a zombie, so that its number, which is its group's, is no other's.
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

    // It fails where nobody is left, or a process took another user's rights.
    let _gone = kill_process_group(Pid::from_child(child), Signal::KILL);
    // It may have left its group.
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
    // Ctrl-C is for the judge, who ends the worker, and what the worker has started, when it is done with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    marked(&mut command);
    command.env("RUST_BACKTRACE", "0").envs(program.env.iter().map(|(name, value)| (name, value)));
    Ok(command)
}

/// The same command, within so many bytes of address space where they are limited.
///
/// # Errors
/// Where the system has no `ulimit`.
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
