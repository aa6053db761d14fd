//! Two tables per backend, if it has any: refusals that answer no question, and unsupported calls whose
//! neighbours are supported.

use std::fmt;

use super::escape::html;
use super::names;
use crate::column::Column;
use normative_conformance::report::tables::{self, Grid};

/// Writes the tables of [`tables::refusals`], which every other format shares.
pub(super) fn write(out: &mut dyn fmt::Write, columns: &[Column<'_>]) -> fmt::Result {
    for (Column { report, .. }, name) in columns.iter().zip(names(columns)) {
        for grid in tables::refusals(report).iter().filter(|grid| !grid.rows.is_empty()) {
            table(out, &name, grid)?;
        }
    }
    Ok(())
}

fn table(out: &mut dyn fmt::Write, name: &str, Grid { header, rows, .. }: &Grid) -> fmt::Result {
    let title = header.first().map_or("", String::as_str);
    write!(out, "<h3>{}: {title}</h3>\n<table class=\"profile\"><thead><tr>", html(name))?;
    for (at, head) in header.iter().enumerate() {
        let head = if at == 0 { "in its words" } else { head };
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
