//! Writes labelled lines as text, for the formats without markup for them.

use std::fmt;

use normative_conformance::report::finding::Line;

/// Writes labelled lines. Continuation lines start with a mark, so that foreign text cannot look like a line of ours.
///
/// # Errors
/// Errors of `out`.
pub fn write_lines(out: &mut dyn fmt::Write, lines: &[Line]) -> fmt::Result {
    for Line { label, text } in lines {
        let mut lines = text.lines();
        writeln!(out, "  {label:<9} {}", lines.next().unwrap_or_default())?;
        lines.try_for_each(|more| writeln!(out, "  {:<9} | {more}", ""))?;
    }
    Ok(())
}
