//! The worker's end: speaks the protocol of [`super::wire`] for any [`Backend`].
//!
//! A backend may print: the protocol has its own descriptor.

use std::any::Any;
use std::io::{self, BufReader, BufWriter, IsTerminal, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::frame::{self, FrameError};
use super::wire::{self, Hello, WireError};
use crate::{Answer, Backend, IntoBackend};

/// The exit status after reporting a panic, as Rust's own.
const DIED: u8 = 101;
/// The exit status if the other end breaks the protocol.
const PROTOCOL: u8 = 2;

/// The buffer size in each direction, so that many small messages take one system call.
const BUFFER: usize = 1 << 16;
/// The message to the judge if a backend changed its call.
const CHANGED: &str = "the call is not what it was before it was made";

/// The longest time for which an answer waits for later ones.
const HOLD: Duration = Duration::from_millis(1);

/// Answers the calls of the parent process until it closes the connection.
///
/// This is the whole of a worker's `main`. The exit status is 0 at the end of the connection, and after
/// reporting that no backend is available. It is 101 after a panic of the backend, which answers the call
/// that caused it. It is 2 if the connection fails; the reason goes to standard error.
pub fn serve(backend: impl IntoBackend) -> ExitCode {
    if io::stdin().is_terminal() {
        say("This program is a worker: it answers a judge over descriptor 0, and nobody else.");
        return ExitCode::from(PROTOCOL);
    }
    let ended = connection().map_err(Ended::from).and_then(|(from, to)| converse(backend, from, to));
    match ended {
        Ok(code) => code,
        Err(Ended(why)) => {
            say(&format!("worker: {why}"));
            ExitCode::from(PROTOCOL)
        }
    }
}

/// Writes a line to standard error and ignores failures.
fn say(text: &str) {
    let _nobody_reads = writeln!(io::stderr(), "{text}");
}

/// The reason why a conversation cannot go on.
struct Ended(String);

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<FrameError> for Ended {
    fn from(error: FrameError) -> Self {
        Self(error.to_string())
    }
}

impl From<WireError> for Ended {
    fn from(error: WireError) -> Self {
        Self(error.to_string())
    }
}

fn converse(backend: impl IntoBackend, from: impl Read, to: impl Write) -> Result<ExitCode, Ended> {
    let (mut from, mut to) = (BufReader::with_capacity(BUFFER, from), BufWriter::with_capacity(BUFFER, to));
    let mut backend = match backend.into_backend() {
        Ok(backend) => backend,
        Err(unavailable) => {
            frame::write(&mut to, wire::UNAVAILABLE, &wire::encode_unavailable(&unavailable))?;
            to.flush()?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    let hello = Hello { identity: backend.identity(), capabilities: backend.capabilities() };
    frame::write(&mut to, wire::HELLO, &wire::encode_hello(&hello))?;
    to.flush()?;
    let (mut body, mut out) = (Vec::new(), Vec::new());
    let mut flushed = Instant::now();
    while let Some(tag) = frame::read_into(&mut from, frame::MAX_BODY, &mut body)? {
        if tag != wire::CALL {
            return Err(Ended(format!("expected a call, got a frame tagged {tag}")));
        }
        let (number, call) = wire::decode_call(&body)?;
        let answered = catch_unwind(AssertUnwindSafe(|| backend.answer(&call)));
        let answer = answered.unwrap_or_else(|payload| Answer::Crashed(message(&*payload)));
        let died = matches!(answer, Answer::Crashed(_));
        out.clear();
        wire::put_call(&mut out, number, &call);
        let unchanged = out == body;
        out.clear();
        if died || unchanged {
            put(&mut out, number, &answer)?;
        } else {
            frame::put(&mut out, wire::ANSWER, |out| wire::put_changed_data(out, number, CHANGED))?;
        }
        to.write_all(&out)?;
        // Free the memory of a large call before small ones follow.
        for buffer in [&mut body, &mut out] {
            buffer.clear();
            buffer.shrink_to(BUFFER);
        }
        // While calls wait in the buffer, answers may wait too, but at most `HOLD`, or they would seem late.
        if died || !frame::is_whole(from.buffer()) || flushed.elapsed() > HOLD {
            to.flush()?;
            flushed = Instant::now();
        }
        if died {
            // The backend's state may be half changed; a fresh process answers the next call.
            return Ok(ExitCode::from(DIED));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn put(out: &mut Vec<u8>, number: u64, answer: &Answer) -> Result<(), FrameError> {
    frame::put(out, wire::ANSWER, |out| wire::put_answer(out, number, answer)).or_else(|error| {
        let died = Answer::Crashed(format!("its answer is {error}"));
        frame::put(out, wire::ANSWER, |out| wire::put_answer(out, number, &died))
    })
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    match text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)) {
        Some(text) => format!("panicked: {text}"),
        None => "panicked".to_owned(),
    }
}

/// Returns descriptor 0, for both directions.
#[cfg(unix)]
fn connection() -> io::Result<(impl Read, impl Write)> {
    use std::fs::File;
    use std::os::fd::AsFd;

    let stdin = io::stdin();
    let descriptor = stdin.as_fd();
    Ok((File::from(descriptor.try_clone_to_owned()?), File::from(descriptor.try_clone_to_owned()?)))
}

#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "the other systems' signature")]
fn connection() -> io::Result<(impl Read, impl Write)> {
    Ok((io::stdin(), io::stdout()))
}

#[cfg(test)]
mod tests {
    use normative_reference::{Axes, Call, Norm, Operator};
    use rstest::rstest;

    use super::*;
    use crate::Stub;

    /// All bytes arrive at once, so that the answer waits for the frame after its call.
    #[rstest]
    #[case::another_tag(wire::ANSWER, b"")]
    #[case::no_call(wire::CALL, b"\x02")]
    fn what_was_answered_before_the_other_end_broke_the_protocol_is_sent(
        #[case] tag: u8,
        #[case] body: &[u8],
    ) {
        let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: None };
        let call = Call::new(operator, ndarray::arr1(&[1.0_f32]).into_dyn().into(), Axes::Absent);
        let echo = Stub::new("echo", |call| Answer::Tensor(call.data.clone()));
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        frame::write(&mut sent, wire::CALL, &wire::encode_call(1, &call)).unwrap();
        frame::write(&mut sent, tag, body).unwrap();
        assert!(converse(echo, &sent[..], &mut received).is_err());
        let mut received = &received[..];
        let mut tags = std::iter::from_fn(|| frame::read(&mut received, frame::MAX_BODY).unwrap());
        assert_eq!(tags.next().unwrap().tag, wire::HELLO);
        let answer = wire::encode_answer(1, &Answer::Tensor(call.data));
        assert_eq!(tags.next(), Some(frame::Frame { tag: wire::ANSWER, body: answer }));
        assert_eq!(tags.next(), None);
    }
}
