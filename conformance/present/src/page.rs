//! Writes one self-contained page for one run or several: the matrix, the hazards and defects of each
//! backend, the profile of questions, plots of accuracy, and every failure down to the arithmetic of its
//! bound.
//!
//! A pure function of the reports. Only the failures need a script: they are data in the page, which it
//! lists, filters and opens. The rest is markup. The page loads nothing, and its policy forbids that. A
//! backend's text gets into markup only through `escape`, and into the document only through text nodes.

mod cells;
mod defects;
pub(super) mod escape;
mod hazards;
mod matrix;
mod model;
pub mod picture;
mod plots;
mod profile;
mod refusals;
mod routes;
mod series;
mod support;

use std::fmt;

use crate::column::Column;
use normative_conformance::corpus::Ledger;
use normative_conformance::display::{grouped, short};
use normative_conformance::report::defect::Defect;
use normative_conformance::report::routes::RouteDifference;

/// The page with a placeholder for each part, written `{{so}}`.
const TEMPLATE: &str = include_str!("page/page.html");

/// Writes the page. `differences` are those between routes of one product; `made_by` names the suite.
///
/// # Errors
/// Errors of `out`.
pub fn write(
    out: &mut dyn fmt::Write,
    columns: &[Column<'_>],
    differences: &[RouteDifference],
    ledger: &Ledger,
    made_by: &str,
) -> fmt::Result {
    let defects: Vec<Vec<Defect<'_>>> = columns.iter().map(|column| column.report.defects()).collect();
    let (model, counts) = model::of(columns, &defects, ledger);
    let mut rest = TEMPLATE;
    while let Some((before, (piece, after))) =
        rest.split_once("{{").and_then(|(before, from)| Some((before, from.split_once("}}")?)))
    {
        out.write_str(before)?;
        match piece {
            "style" => out.write_str(include_str!("page/page.css"))?,
            "script" => out.write_str(include_str!("page/page.js"))?,
            "title" => out.write_str(&escape::html(&matrix::title(columns)))?,
            "lead" => matrix::lead(out, columns, &defects, &counts)?,
            "matrix" => matrix::write(out, columns, &defects, &counts)?,
            "defects" => defects::write(out, columns, &defects, ledger)?,
            "hazards" => hazards::write(out, columns)?,
            "profile" => {
                profile::write(out, columns)?;
                refusals::write(out, columns)?;
            }
            "support" => support::write(out, columns)?,
            "routes" => routes::write(out, columns, differences)?,
            "routes-link" if columns.len() > 1 => out.write_str("<a href=\"#routes\">Routes</a>\n")?,
            "routes-link" => {}
            "plots" => plots::write(out, columns)?,
            "maker" => out.write_str(&escape::html(&escape::visible(made_by)))?,
            "total" => write!(out, "{}", grouped(counts.values().sum()))?,
            "data" => {
                let json = serde_json::to_string(&model).map_err(|_| fmt::Error)?;
                out.write_str(&escape::script(&json))?;
            }
            // An unknown placeholder in the template fails every test of the page.
            _ => return Err(fmt::Error),
        }
        rest = after;
    }
    out.write_str(rest)
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
