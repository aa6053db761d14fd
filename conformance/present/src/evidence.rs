//! The page of an evidence folder: who was judged by what on which machine, every clause with what tests it, every failure
//! with its clauses, the questions, the accuracy, and what was not tested.
//!
//! A pure function of its input, without a script: all of it can be read, searched and printed. Long lists are cut with a
//! count; the tables beside the page hold them whole. What a backend says gets into markup through `escape` alone.

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

/// What the page is made of.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// Which suite judged: labels and texts.
    pub suite: &'a [(String, String)],
    /// The runs.
    pub runs: &'a [Run<'a>],
    /// What no run tests, a paragraph each.
    pub untested: &'a [String],
    /// The other files of the folder, each with what it holds.
    pub files: &'a [(String, String)],
}

/// A run.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// What came of it.
    pub column: &'a Column<'a>,
    /// What it is of.
    pub header: &'a Header,
    /// What tests what.
    pub trace: &'a Trace,
}

/// Writes the page.
///
/// # Errors
/// Whatever `out` returns.
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

fn title(runs: &[Run<'_>]) -> String {
    match runs {
        [run] => format!(
            "Evidence: {}: {}",
            outcome::verdict(&run.column.report),
            outcome::who(&run.column.report)
        ),
        runs => format!("Evidence: {} runs", runs.len()),
    }
}

/// What runs are called: what their backends were asked for by, or, of a command, what the backend says it is. One that
/// was there before bears a number.
pub fn names(runs: &[Run<'_>]) -> Vec<String> {
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

/// What every run leaves out, and what these left out.
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
