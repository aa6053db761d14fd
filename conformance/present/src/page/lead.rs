//! The outcome of one run or several in a few sentences, which page and picture share.

use super::cells::specs;
use crate::column::Column;
use crate::outcome::{verdict, who};
use normative_conformance::display::counted;

/// Returns the title.
pub(super) fn title(columns: &[Column<'_>]) -> String {
    match columns {
        [column] => format!("{}: {}", verdict(&column.report), who(&column.report)),
        columns => format!("Norm reductions, {}", counted(columns.len(), "backend", "backends")),
    }
}

/// Returns the number of conforming backends in a sentence.
pub(super) fn outcome(columns: &[Column<'_>]) -> String {
    let conforming = columns.iter().filter(|column| column.report.conforms()).count();
    match (columns, conforming) {
        ([_], 1) => "It conforms.".to_owned(),
        ([one], _) if one.report.is_clean() && one.report.is_flaky() => {
            "It is flaky: no answer is wrong, but its process failed over no call in particular.".to_owned()
        }
        ([_], _) => "It does not conform.".to_owned(),
        (columns, 0) => format!("None of {} backends conforms.", columns.len()),
        (columns, 1) => format!("One of {} backends conforms.", columns.len()),
        (columns, some) => format!("{some} of {} backends conform.", columns.len()),
    }
}

/// Returns the number of runs that were stopped early, if any.
pub(super) fn partial(columns: &[Column<'_>]) -> Option<String> {
    match columns.iter().filter(|column| !column.report.is_complete()).count() {
        0 => None,
        some => Some(format!("Partial: {}.", counted(some, "run was stopped", "runs were stopped"))),
    }
}

/// Returns the number of cases, specs and generated calls.
pub(super) fn asked(columns: &[Column<'_>]) -> String {
    let cases = columns.iter().map(|column| column.report.corpus).max().unwrap_or(0);
    let calls = columns.iter().filter_map(|column| column.report.generated.as_ref());
    let calls = calls.map(|generated| (generated.total().run, generated.seed)).max();
    let calls = calls.map_or_else(String::new, |(calls, seed)| {
        format!(" and {} of seed {seed}", counted(calls, "generated call", "generated calls"))
    });
    let specs = counted(specs(columns).len(), "specification", "specifications");
    format!("{} of {specs}{calls}", counted(cases, "case", "cases"))
}
