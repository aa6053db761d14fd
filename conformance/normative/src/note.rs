//! What a command says beside its output, on standard error: what it is doing, how long that took, what to beware of.
//! `--quiet` leaves errors alone.

use std::fmt::Display;

use normative_conformance::display::said;

use crate::home::as_called;
use crate::progress::write_lines;
use crate::quiet::is_quiet;

/// Says what went wrong. A file or a worker may have had a say in it: each line is shown as [`said`] shows it.
pub fn error(text: impl Display) {
    let lines: Vec<String> = as_called(&text.to_string()).lines().map(said).collect();
    write_lines(&lines.join("\n"));
}

/// An error and its causes, each once: one whose text stands in what was said before it adds nothing.
pub fn once(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Says something, unless only errors are wanted.
pub fn note(text: impl Display) {
    if !is_quiet() {
        error(text);
    }
}
