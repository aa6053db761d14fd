//! Runs a program once to its end: an interpreter that answers a question, or an installer.
//!
//! It starts like a worker: in its own group, which ends with it, with this process, and at its deadline.

use std::io;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use super::drain::Drain;
use super::guard::{Watch, marked, ready};
use super::process::{end, limited};

/// The time that its output may stay open after its end.
const GRACE: Duration = Duration::from_millis(500);

/// The limits of an errand.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The time from its start to its end.
    pub within: Duration,
    /// The bytes of address space (`ulimit -v`), if limited; Unix only.
    pub memory: Option<u64>,
    /// The bytes of its output that are kept, and the same for its errors.
    pub kept: usize,
}

/// Runs a command to its end, without input. Only the beginning of its output is kept.
///
/// # Errors
/// Returns the system's errors; [`io::ErrorKind::TimedOut`] if it did not end by itself in time, and
/// [`io::ErrorKind::FileTooLarge`] if it succeeded and printed more than is kept.
pub fn errand(command: &Command, bounds: Bounds) -> io::Result<Output> {
    let Bounds { within, memory, kept } = bounds;
    let mut command = limited(command, memory)?;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    marked(&mut command);
    ready()?;
    let mut child = command.spawn()?;
    drop(command);
    let pipes = Watch::over(child.id()).and_then(|watch| {
        let stdout = child.stdout.take().map(|pipe| Drain::of(pipe, (kept, 0))).transpose()?;
        let stderr = child.stderr.take().map(|pipe| Drain::of(pipe, (kept, 0))).transpose()?;
        Ok((watch, stdout, stderr))
    });
    let status = end(&mut child, if pipes.is_ok() { within } else { Duration::ZERO });
    let (_watch, stdout, stderr) = pipes?;
    let taken = |drain: Option<Drain>| {
        drain.map_or((Vec::new(), 0), |drain| {
            drain.wait(GRACE);
            let mut kept = drain.kept();
            (std::mem::take(&mut kept.first), kept.all)
        })
    };
    let ((stdout, all), (stderr, _)) = (taken(stdout), taken(stderr));
    let late =
        || io::Error::new(io::ErrorKind::TimedOut, format!("no end within {} s", within.as_secs_f64()));
    let status = status.ok_or_else(late)?;
    if status.success() && all > kept {
        let why = format!("expected at most {kept} bytes of output, got {all}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(Output { status, stdout, stderr })
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Instant;

    use rstest::rstest;

    use super::*;

    fn shell(script: &str, bounds: Bounds) -> io::Result<Output> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        errand(&command, bounds)
    }

    const BOUNDS: Bounds = Bounds { within: Duration::from_secs(60), memory: None, kept: 100 };

    #[test]
    fn what_a_program_prints_and_how_it_ends_is_told() {
        let output = shell("read x; echo out; echo err >&2; exit 3", BOUNDS).unwrap();
        assert_eq!(
            (output.status.code(), &output.stdout[..], &output.stderr[..]),
            (Some(3), &b"out\n"[..], &b"err\n"[..])
        );
    }

    #[rstest]
    #[case::hangs("sleep 1000", io::ErrorKind::TimedOut)]
    #[case::hangs_deaf_to_signals("trap '' TERM INT; sleep 1000; sleep 1000", io::ErrorKind::TimedOut)]
    #[case::floods("yes", io::ErrorKind::TimedOut)]
    #[case::prints_much("head -c 101 /dev/zero", io::ErrorKind::FileTooLarge)]
    fn a_program_that_takes_too_much_is_ended(#[case] script: &str, #[case] due: io::ErrorKind) {
        let (started, bounds) = (Instant::now(), Bounds { within: Duration::from_secs(2), ..BOUNDS });
        assert_eq!(shell(script, bounds).unwrap_err().kind(), due);
        assert!(started.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn what_a_program_left_running_ends_with_it() {
        let output = shell("sleep 1000 >/dev/null 2>&1 & echo $!", BOUNDS).unwrap();
        let left = String::from_utf8(output.stdout).unwrap();
        let gone = || {
            !Command::new("kill").args(["-0", left.trim()]).stderr(Stdio::null()).status().unwrap().success()
        };
        let started = Instant::now();
        while !gone() {
            assert!(started.elapsed() < Duration::from_secs(10), "{left} runs on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_gets_no_more_memory_than_its_bound() {
        let grows = "x=$(head -c 100000000 /dev/zero | tr '\\0' x) && echo grown";
        let bounds = Bounds { memory: Some(50 << 20), ..BOUNDS };
        assert_ne!(shell(grows, bounds).unwrap().stdout, b"grown\n");
        assert_eq!(shell(grows, BOUNDS).unwrap().stdout, b"grown\n");
    }
}
