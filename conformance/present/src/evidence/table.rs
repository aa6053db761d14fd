//! A table of the evidence page. Cells are text; only this module turns them into markup.

use std::fmt;

use crate::page::escape::{html, visible};

/// A table.
pub(super) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Returns a table without rows.
    pub(super) fn of(header: &[&str]) -> Self {
        Self { header: header.iter().map(|&name| name.to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row of texts, as many as the header has.
    pub(super) fn row(&mut self, cells: &[&str]) {
        self.rows.push(cells.iter().map(|cell| text(cell)).collect());
    }

    /// Adds a row of markup.
    pub(super) fn row_of_markup(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Writes the table, or "None." if it has no rows.
    pub(super) fn write(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        if self.rows.is_empty() {
            return out.write_str("<p class=\"none\">None.</p>\n");
        }
        out.write_str("<table><thead><tr>")?;
        for name in &self.header {
            write!(out, "<th scope=\"col\">{}</th>", text(name))?;
        }
        out.write_str("</tr></thead>\n<tbody>\n")?;
        for row in &self.rows {
            out.write_str("<tr>")?;
            for cell in row {
                write!(out, "<td>{cell}</td>")?;
            }
            out.write_str("</tr>\n")?;
        }
        out.write_str("</tbody></table>\n")
    }
}

/// Escapes a text, ours or a backend's, for an element.
pub(super) fn text(words: &str) -> String {
    html(&visible(words))
}
