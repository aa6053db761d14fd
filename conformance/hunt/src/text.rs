//! What came of a hunt, as text: one block a find, then the counts.
//!
//! A pure function of the catch: no time, no colour, so that the same hunt prints the same bytes.

use std::fmt::{self, Write};

use super::{Catch, Difference, Evidence, Find};
use normative_conformance::display;
use normative_conformance::report::finding::{Line, of_verdict};
use normative_present::terminal::write_lines;

/// A find, and what became of it.
pub struct Kept<'a> {
    /// The find.
    pub find: &'a Find,
    /// Its name.
    pub id: String,
    /// The file that keeps it, or why there is none.
    pub file: Result<String, String>,
    /// The command that repeats it.
    pub again: String,
}

/// Writes the report; `names` are those of the subjects.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(out: &mut dyn Write, catch: &Catch, kept: &[Kept<'_>], names: &[String]) -> fmt::Result {
    for one in kept {
        write_find(out, one, names)?;
    }
    write_differences(out, catch, names)?;
    for (name, tally) in names.iter().zip(&catch.tallies) {
        let died = if tally.died > 0 { format!(", {} died", tally.died) } else { String::new() };
        writeln!(
            out,
            "{name}: {} calls, {} conform, {} fail{died}, {} unsupported",
            tally.run, tally.conforms, tally.fails, tally.unsupported
        )?;
    }
    if catch.unexplained > 0 {
        writeln!(
            out,
            "{} more calls fail only after others; by what they are spoilt was not looked into",
            catch.unexplained
        )?;
    }
    let s = if catch.finds.len() == 1 { "" } else { "s" };
    writeln!(out, "{} find{s}; {} questions met", catch.finds.len(), catch.questions.len())
}

fn write_find(
    out: &mut dyn Write,
    Kept { find, id, file, again }: &Kept<'_>,
    names: &[String],
) -> fmt::Result {
    writeln!(out, "FIND {id}")?;
    let mut lines = vec![match file {
        Ok(file) => Line::new("file", file),
        Err(why) => Line::new("no file", why),
    }];
    if names.len() > 1 {
        let wrong: Vec<&str> =
            find.subjects.iter().filter_map(|&at| names.get(at)).map(String::as_str).collect();
        lines.push(Line::new("wrong", &wrong.join(" and ")));
    }
    let calls = find.evidence.calls();
    for (at, call) in calls.iter().enumerate() {
        let label = match find.evidence {
            Evidence::Sequence(_) if at + 1 < calls.len() => "after",
            _ => "call",
        };
        lines.push(Line::new(label, &display::call(call)));
        lines.push(Line::new("data", &display::data(&call.data)));
    }
    match (&find.evidence, find.class.question()) {
        (Evidence::Readings(says, _), Some(question)) => {
            lines.push(Line::new("reads", &format!("{question} as {}", says.join(", then as "))));
        }
        _ => lines.extend(of_verdict(&find.verdict)),
    }
    let times = if find.seen == 1 { "once" } else { &format!("{} times", find.seen) };
    lines.push(Line::new("seen", &format!("{times}, first in {}", find.id)));
    if !find.complete {
        lines.push(Line::new("note", "smaller calls may fail too: the attempts were used up"));
    }
    lines.push(Line::new("again", again));
    write_lines(out, &lines)?;
    writeln!(out)
}

fn write_differences(out: &mut dyn Write, catch: &Catch, names: &[String]) -> fmt::Result {
    let [first, second] = names else { return Ok(()) };
    for (difference, count) in &catch.differences {
        let what = match difference {
            Difference::FirstIsWrong => format!("{first} is wrong"),
            Difference::SecondIsWrong => format!("{second} is wrong"),
            Difference::BothAreWrong => "both are wrong, in two ways".to_owned(),
            Difference::Reading(question) => format!("both are right, and read {question} in two ways"),
            Difference::Rounding => "both are right, within the bounds".to_owned(),
            Difference::Support => "one does not support the call".to_owned(),
        };
        writeln!(out, "they differ {count} times: {what}")?;
    }
    Ok(())
}
