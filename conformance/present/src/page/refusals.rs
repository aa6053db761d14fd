//! A table per backend, if it declined or refused calls: the reasons in its words.

use std::fmt;

use super::escape::html;
use super::names;
use crate::column::Column;
use normative_conformance::report::tables::{self, Grid};

/// Writes the table of [`tables::reasons`], which every other format shares.
pub(super) fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>]) -> fmt::Result {
    for (Column { report, .. }, name) in columns.iter().zip(names(columns)) {
        let grid = tables::reasons(report);
        if !grid.rows.is_empty() {
            table(out, &name, &grid)?;
        }
    }
    Ok(())
}

fn table(out: &mut dyn fmt::Write, name: &str, Grid { header, rows, .. }: &Grid) -> fmt::Result {
    write!(out, "<h3>{}: calls not answered</h3>\n<table class=\"profile\"><thead><tr>", html(name))?;
    for head in header {
        write!(out, "<th scope=\"col\">{}</th>", html(head))?;
    }
    out.write_str("</tr></thead>\n<tbody>")?;
    for row in rows {
        out.write_str("<tr>")?;
        for cell in row {
            write!(out, "<td>{}</td>", html(cell))?;
        }
        out.write_str("</tr>\n")?;
    }
    out.write_str("</tbody></table>\n")
}
