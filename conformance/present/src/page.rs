//! One self-contained page of one run or of many: the matrix, the hazards and the defects of each backend, the profile of questions, plots
//! of accuracy, and every failure down to the arithmetic of its bound.
//!
//! A pure function of the reports. What can be read without a script is markup: the matrix, the hazards, the defects, the profile, the
//! plots with their tables. The failures are data in the page, which its script lists, filters and opens. The page loads
//! nothing, and its policy forbids it to. A backend's words get into markup through `escape` alone, and into the
//! document through text nodes alone.

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
use normative_conformance::report::routes::Difference;

/// The page with a place for each piece, written `{{so}}`.
const TEMPLATE: &str = include_str!("page/page.html");

/// Writes the page. `differences` are those of routes of one product, `made_by` says which suite judged.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(
    out: &mut dyn fmt::Write,
    columns: &[Column<'_>],
    differences: &[Difference],
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
            // A template of ours with another name in it fails every test of the page.
            _ => return Err(fmt::Error),
        }
        rest = after;
    }
    out.write_str(rest)
}

/// The names of columns as they are shown. One that was there before bears a number: filters tell backends apart by
/// name.
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
