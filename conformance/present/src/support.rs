//! Prints the element types that each backend supports: the table of [`tables::support`] for each.

use std::fmt;

use crate::column::Column;
use crate::terminal::table;
use normative_conformance::display;
use normative_conformance::report::tables;

/// Writes a table for each backend, below its name if there are several.
///
/// # Errors
/// Errors of `out`.
pub fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>]) -> fmt::Result {
    for Column { name, report, .. } in columns {
        if columns.len() > 1 {
            writeln!(out, "\n{}:", display::name(name))?;
        }
        writeln!(out, "\n{}", table(&tables::support(report)))?;
    }
    Ok(())
}
