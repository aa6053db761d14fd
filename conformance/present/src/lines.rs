//! Labelled lines as text: what every format that has no markup for them shows.

use std::fmt;

use normative_conformance::report::finding::{self, Line};

/// Labelled lines. What goes on with a text has a mark before it, or it could be taken for a line of ours; only commands, which
/// are copied, have none.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_lines(out: &mut dyn fmt::Write, lines: &[Line]) -> fmt::Result {
    for Line { label, text } in lines {
        let mut lines = text.lines();
        writeln!(out, "  {label:<9} {}", lines.next().unwrap_or_default())?;
        let mark = if *label == finding::ROW { "" } else { "| " };
        lines.try_for_each(|more| writeln!(out, "  {:<9} {mark}{more}", ""))?;
    }
    Ok(())
}
