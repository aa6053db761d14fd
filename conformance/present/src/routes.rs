//! Prints the calls that routes of one product answer differently: the worst first, each kind of each spec
//! with its smallest call and the answer of every route.

use std::fmt;

use crate::terminal::{Detail, write_lines};
use normative_conformance::report::routes::RouteDifference;

/// Differences shown with their smallest call; the rest get only their heading.
const SHOWN: usize = 24;

/// Writes the section; nothing if no routes differ.
///
/// # Errors
/// Errors of `out`.
pub fn write(out: &mut dyn fmt::Write, differences: &[RouteDifference], detail: Detail<'_>) -> fmt::Result {
    if differences.is_empty() {
        return Ok(());
    }
    writeln!(out, "{TITLE}:\n")?;
    let shown = if detail == Detail::All { differences.len() } else { SHOWN.min(differences.len()) };
    for difference in &differences[..shown] {
        writeln!(out, "ROUTES of {}", difference.heading())?;
        write_lines(out, &difference.lines())?;
        writeln!(out)?;
    }
    for difference in &differences[shown..] {
        writeln!(out, "ROUTES of {}", difference.heading())?;
    }
    match differences.len() - shown {
        0 => Ok(()),
        more => writeln!(out, "--all shows the smallest call of these {more} too.\n"),
    }
}

/// The title of the section.
pub(crate) const TITLE: &str = "Routes of one product that answer the same call differently";
