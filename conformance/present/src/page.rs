//! Writes one self-contained page for one run or several: the matrix, the hazards and defects of each
//! backend, the profile of questions, plots of accuracy, and every failure down to the arithmetic of its
//! bound.
//!
//! A pure function of the reports. The page is data and a script: `model` makes one JSON value, and
//! `page/*.js` lay it out. The page loads nothing, and its policy forbids that. A
//! backend's text gets into the file only through `escape`, and into the document only through text nodes.

mod cells;
pub(super) mod escape;
mod failures;
mod lead;
mod model;
pub mod picture;

use std::fmt;

use crate::column::Column;
use normative_conformance::corpus::Ledger;
use normative_conformance::display::short;

/// Writes the page. `made_by` names the suite.
///
/// # Errors
/// Errors of `out`.
pub fn write(
    out: &mut dyn fmt::Write,
    columns: &[Column<'_>],
    ledger: &Ledger,
    made_by: &str,
) -> fmt::Result {
    write!(
        out,
        include_str!("page/page.html"),
        title = escape::html(&lead::title(columns)),
        maker = escape::html(&escape::visible(made_by)),
        style = include_str!("page/page.css"),
        data = escape::script(&model::of(columns, ledger).to_string()),
        elements = include_str!("page/elements.js"),
        sections = include_str!("page/sections.js"),
        plots = include_str!("page/plots.js"),
        failures = include_str!("page/failures.js"),
    )
}

/// Returns the displayed names of columns. A repeated name gets a number, because filters tell backends apart
/// by name.
fn names(columns: &[Column<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for column in columns {
        let name = short(&column.name);
        let other = (2..).map(|nth| format!("{name} ({nth})"));
        let free = std::iter::once(name.clone()).chain(other).find(|name| !names.contains(name));
        names.push(free.unwrap_or(name));
    }
    names
}

/// Returns the index of an item that the list has.
fn place_in<T: PartialEq>(all: &[T], one: &T) -> usize {
    all.iter().position(|other| other == one).unwrap_or_default()
}
