//! Keeps the first and the last lines that a process printed.

use std::io;
use std::time::Duration;

use super::drain::{Drain, Kept, Pipe};
use crate::display;

/// The bytes kept of the end.
const KEPT: usize = 4096;
/// The lines of the end that are shown.
const LINES: usize = 5;
/// The bytes kept of the beginning.
const KEPT_FIRST: usize = 1024;
/// The lines of the beginning that are shown.
const FIRST_LINES: usize = 3;

/// The kept output of a pipe.
pub(super) struct Tail(Drain);

impl Tail {
    /// Drains `pipe` until it closes, or this is dropped.
    ///
    /// # Errors
    /// Fails when the judge has no descriptor or thread left.
    pub(super) fn of(pipe: impl Pipe) -> io::Result<Self> {
        Ok(Self(Drain::of(pipe, (KEPT_FIRST, KEPT))?))
    }

    /// Forgets the output so far.
    pub(super) fn clear(&self) {
        *self.0.kept() = Kept::default();
    }

    /// Returns the first and the last lines, joined by ` | `, with an ellipsis for those left out. Waits up to
    /// `patience` for the pipe to close.
    pub(super) fn ends(&self, patience: Duration) -> String {
        self.0.wait(patience);
        let kept = self.0.kept();
        let (a, b) = kept.last.as_slices();
        let lines = lines_of(&[a, b].concat());
        if kept.all <= KEPT && lines.len() <= FIRST_LINES + LINES {
            return lines.join(" | ");
        }
        let mut ends = lines_of(&kept.first);
        ends.truncate(FIRST_LINES);
        ends.push("…".to_owned());
        ends.extend_from_slice(&lines[lines.len().saturating_sub(LINES)..]);
        ends.join(" | ")
    }
}

fn lines_of(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().filter(|line| !line.trim().is_empty()).map(tidy).collect()
}

/// Cleans a line. It removes the thread number that Rust prints after the thread's name in a panic message,
/// because it differs from run to run, and reports must not.
fn tidy(line: &str) -> String {
    let line = display::said(line.trim());
    if line.starts_with("thread '")
        && let Some((before, rest)) = line.split_once("' (")
        && let Some((number, after)) = rest.split_once(") ")
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return format!("{before}' {after}");
    }
    line
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::thread;
    use std::time::Instant;

    use rstest::rstest;

    use super::*;

    #[test]
    fn only_the_first_and_last_lines_are_kept_of_a_flood() {
        let mut flood: Vec<String> = (0..100_000).map(|n| format!("line {n}")).collect();
        flood.push("the end".to_owned());
        let flood = flood.join("\n");
        let (pipe, mut to) = io::pipe().unwrap();
        let writer = thread::spawn(move || to.write_all(flood.as_bytes()).unwrap());
        let tail = Tail::of(pipe).unwrap();
        let ends = tail.ends(Duration::from_secs(10));
        let last = "line 99996 | line 99997 | line 99998 | line 99999 | the end";
        assert_eq!(ends, format!("line 0 | line 1 | line 2 | … | {last}"));
        let kept = tail.0.kept();
        assert!(kept.last.len() <= KEPT && kept.first.len() <= KEPT_FIRST);
        drop(kept);
        writer.join().unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_that_somebody_holds_open_keeps_no_thread() {
        let (pipe, mut held) = io::pipe().unwrap();
        let tail = Tail::of(pipe).unwrap();
        drop(tail);
        // The thread held the only reader, but a process that another test is starting holds a copy until it
        // becomes its program.
        let deadline = Instant::now() + Duration::from_secs(10);
        let error = loop {
            match held.write_all(b"x") {
                Err(error) => break error,
                Ok(()) => assert!(Instant::now() < deadline, "the pipe has a reader"),
            }
            thread::sleep(Duration::from_millis(1));
        };
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    #[rstest]
    #[case::thread_number(
        "\nthread 'main' (123) panicked at a.rs:1:2:\noh",
        "thread 'main' panicked at a.rs:1:2: | oh"
    )]
    #[case::not_a_number("thread 'main' (x) waits", "thread 'main' (x) waits")]
    #[case::escapes("\x1b[31mred\x1b[0m", "[31mred [0m")]
    #[case::blank("\n \n", "")]
    fn lines_read_the_same_in_every_run(#[case] printed: &str, #[case] expected: &str) {
        assert_eq!(lines_of(printed.as_bytes()).join(" | ").replace("  ", " ").trim(), expected);
    }
}
