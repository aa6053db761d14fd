//! The last lines a process printed.
//!
//! A thread drains the pipe, so that no flood blocks the process, and keeps the end of it.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How much of the end is kept, in bytes.
const KEPT: usize = 4096;
/// How many lines of it are shown.
const LINES: usize = 5;

/// The end of what came through a pipe.
pub(super) struct Tail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    /// Hangs up when the pipe closes; nothing is ever sent.
    closed: Receiver<()>,
}

impl Tail {
    /// Drains `pipe` until it closes.
    pub(super) fn of(pipe: impl Read + Send + 'static) -> Self {
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let (open, closed) = channel();
        let shared = Arc::clone(&kept);
        thread::spawn(move || drain(pipe, &shared, &open));
        Self { kept, closed }
    }

    /// Forgets what came so far.
    pub(super) fn clear(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The last lines, joined by ` | `; waits up to `patience` for the pipe to close.
    pub(super) fn lines(&self, patience: Duration) -> String {
        let _hung_up_or_late = self.closed.recv_timeout(patience);
        let kept: Vec<u8> =
            self.kept.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        last_lines(&String::from_utf8_lossy(&kept))
    }
}

/// `_open` hangs up on return.
fn drain(mut pipe: impl Read, kept: &Mutex<VecDeque<u8>>, _open: &Sender<()>) {
    let mut chunk = [0; 8192];
    // Any error ends the watch: what was printed is a courtesy, not a verdict.
    while let Ok(read @ 1..) = pipe.read(&mut chunk) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&chunk[..read]);
        let surplus = kept.len().saturating_sub(KEPT);
        kept.drain(..surplus);
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().filter(|line| !line.trim().is_empty()).map(tidy).collect();
    lines[lines.len().saturating_sub(LINES)..].join(" | ")
}

/// The line without control characters, and without the thread's number that Rust prints between the
/// thread's name and what befell it: it differs from run to run, and reports must not.
fn tidy(line: &str) -> String {
    let line: String = line.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
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
    use rstest::rstest;

    use super::*;

    #[test]
    fn only_the_last_lines_are_kept_of_a_flood() {
        let mut flood: Vec<String> = (0..100_000).map(|n| format!("line {n}")).collect();
        flood.push("the end".to_owned());
        let flood = flood.join("\n");
        let tail = Tail::of(std::io::Cursor::new(flood));
        let lines = tail.lines(Duration::from_secs(10));
        assert_eq!(lines, "line 99996 | line 99997 | line 99998 | line 99999 | the end");
        assert!(tail.kept.lock().unwrap().len() <= KEPT);
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
        assert_eq!(last_lines(printed).replace("  ", " ").trim(), expected);
    }
}
