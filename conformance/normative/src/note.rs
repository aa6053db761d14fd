//! Messages on standard error: the current step, its time, and warnings. `--quiet` suppresses all but errors.

use std::fmt::Display;

use normative_conformance::display::said;

use crate::home::as_called;
use crate::progress::write_lines;
use crate::quiet::is_quiet;

/// Prints an error. Its text may come from a file or a worker, so [`said`] escapes each line.
pub fn error(text: impl Display) {
    let lines: Vec<String> = as_called(&text.to_string()).lines().map(said).collect();
    write_lines(&lines.join("\n"));
}

/// Joins an error and its causes, without those whose text already occurs.
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

/// Prints a message, unless `--quiet` is set.
pub fn note(text: impl Display) {
    if !is_quiet() {
        error(text);
    }
}
