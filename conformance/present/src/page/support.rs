//! The element types that each backend supports: a table for each, open if there is only one backend.

use std::fmt;

use super::escape::{html, visible};
use super::names;
use crate::column::Column;
use normative_conformance::report::tables;

/// Writes the tables of [`tables::support`].
pub(super) fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>]) -> fmt::Result {
    let open = if columns.len() == 1 { " open" } else { "" };
    for (Column { report, .. }, name) in columns.iter().zip(names(columns)) {
        let grid = tables::support(report);
        write!(
            out,
            "<details{open}><summary>{name}</summary><div class=\"wide\" tabindex=\"0\" role=\"region\" \
             aria-label=\"types that {name} supports\"><table class=\"profile support\">\n<thead><tr>",
            name = html(&name)
        )?;
        for head in &grid.header {
            write!(out, "<th scope=\"col\">{head}</th>")?;
        }
        out.write_str("</tr></thead>\n<tbody>")?;
        for row in &grid.rows {
            out.write_str("<tr>")?;
            for cell in row {
                write!(out, "<td>{}</td>", html(&visible(cell)))?;
            }
            out.write_str("</tr>\n")?;
        }
        out.write_str("</tbody></table></div></details>\n")?;
    }
    Ok(())
}
