//! Writes the page of an evidence folder: backend, suite and machine, every clause with its tests, every
//! failure with its clauses, the questions, the accuracy, and the untested parts.
//!
//! It is a pure function of its input, without a script. Long lists are cut with a count; the tables beside
//! the page are complete. A backend's text gets into markup only through `escape`.

mod accuracy;
mod identity;
mod table;
mod trace;

use std::fmt;

use crate::column::Column;
use crate::{outcome, safety};
use normative_conformance::drive::Asking;
use normative_conformance::report::record::Header;
use normative_conformance::report::trace::Trace;

use self::table::{Table, text};

/// The input of the page.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The suite that judged, as labels and texts.
    pub suite: &'a [(String, String)],
    /// The runs.
    pub runs: &'a [EvidenceRun<'a>],
    /// The things that no run tests, a paragraph each.
    pub untested: &'a [String],
    /// The other files of the folder, each with its content.
    pub files: &'a [(String, String)],
}

/// A run.
#[derive(Clone, Copy, Debug)]
pub struct EvidenceRun<'a> {
    /// The backend and its report.
    pub column: &'a Column<'a>,
    /// The header of its record.
    pub header: &'a Header,
    /// The links between clauses, tests and failures.
    pub trace: &'a Trace,
}

/// Writes the page.
///
/// # Errors
/// Errors of `out`.
pub fn write(out: &mut dyn fmt::Write, evidence: &Evidence<'_>) -> fmt::Result {
    let title = title(evidence.runs);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{0}</title>\n<style>\n{1}</style>\n</head>\n<body>\n<header>\n<p class=\"mark\">Normative</p>\n<h1>{0}</h1>\n",
        text(&title),
        include_str!("evidence/evidence.css")
    )?;
    for run in evidence.runs {
        writeln!(out, "<p class=\"outcome\">{}</p>", text(&outcome::outcome(&run.column.report)))?;
        for line in safety::named(&run.column.report) {
            writeln!(out, "<p>{}</p>", text(&line))?;
        }
    }
    contents(out)?;
    out.write_str("</header>\n<main>\n")?;
    identity::write(out, evidence)?;
    trace::clauses(out, evidence.runs)?;
    trace::failures(out, evidence.runs)?;
    trace::questions(out, evidence.runs)?;
    accuracy::write(out, evidence.runs)?;
    untested(out, evidence)?;
    files(out, evidence.files)?;
    out.write_str("</main>\n</body>\n</html>\n")
}

fn title(runs: &[EvidenceRun<'_>]) -> String {
    match runs {
        [run] => format!(
            "Evidence: {}: {}",
            outcome::verdict(&run.column.report),
            outcome::who(&run.column.report)
        ),
        runs => format!("Evidence: {} runs", runs.len()),
    }
}

/// Returns the names of runs: the command-line names of backends, or, for a command, the backend's own name.
/// A repeated name gets a number.
pub fn names(runs: &[EvidenceRun<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for run in runs {
        let is_command = Asking::of_command(&run.header.name).is_some();
        let name = if is_command { outcome::who(&run.column.report) } else { run.header.name.clone() };
        let other = (2..).map(|nth| format!("{name} ({nth})"));
        let free = std::iter::once(name.clone()).chain(other).find(|name| !names.contains(name));
        names.extend(free);
    }
    names
}

fn contents(out: &mut dyn fmt::Write) -> fmt::Result {
    let all = [
        ("identity", "Identity"),
        ("clauses", "Clauses"),
        ("failures", "Failures"),
        ("questions", "Questions"),
        ("accuracy", "Accuracy"),
        ("untested", "Not tested"),
        ("files", "Files"),
    ];
    out.write_str("<nav aria-label=\"Sections\">")?;
    for (id, name) in all {
        write!(out, "<a href=\"#{id}\">{name}</a> ")?;
    }
    out.write_str("</nav>\n")
}

/// Writes the parts that no run tests, and those that these runs left out.
fn untested(out: &mut dyn fmt::Write, evidence: &Evidence<'_>) -> fmt::Result {
    out.write_str("<section id=\"untested\">\n<h2>Not tested</h2>\n")?;
    for paragraph in evidence.untested {
        writeln!(out, "<p>{}</p>", text(paragraph))?;
    }
    let mut table = Table::of(&["run", "what was left out", "how many"]);
    for (run, name) in evidence.runs.iter().zip(names(evidence.runs)) {
        for (what, count) in trace::left_out(run) {
            table.row(&[&name, &what, &count]);
        }
    }
    table.write(out)?;
    out.write_str("</section>\n")
}

fn files(out: &mut dyn fmt::Write, files: &[(String, String)]) -> fmt::Result {
    out.write_str("<section id=\"files\">\n<h2>Files</h2>\n")?;
    let mut table = Table::of(&["file", "what it holds"]);
    for (name, holds) in files {
        table.row(&[name, holds]);
    }
    table.write(out)?;
    out.write_str("</section>\n")
}
