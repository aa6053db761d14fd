//! The accuracy classes, the derivation of each bound, and the class that every type and length reached.

use std::fmt;

use super::table::{Table, text};
use super::{EvidenceRun, names};
use normative_conformance::judge::accuracy::Class;
use normative_conformance::report::tables;

/// A class, its meaning for an element, its bound, and the section of docs/accuracy.md that derives it.
const CLASSES: [(Class, &str, &str, &str); 5] = [
    (
        Class::CorrectlyRounded,
        "the float nearest to the exact value",
        "0.5 ulp; less just below a power of two",
        "The classes",
    ),
    (Class::Faithful, "the other of the two floats around the exact value", "below 1 ulp", "The classes"),
    (
        Class::AnyOrder,
        "within the bound that holds for every order of summation",
        "L1: γ(s) with s = (n - 1) u. L2: √(1 ± γ) (1 ± u)^r, or (1 ± 2u)^(n - 1) of a chain of hypot, whichever is more; \
         and the last rounding",
        "The sum; The root; Results that are flushed; The output",
    ),
    (
        Class::Vacuous,
        "not refuted, and not shown to be right",
        "S/n to S (1 + (n - 1) u), times two",
        "Where the bound says nothing",
    ),
    (Class::Beyond, "wrong: the case fails", "none", "The classes"),
];

pub(super) fn write(out: &mut dyn fmt::Write, runs: &[EvidenceRun<'_>]) -> fmt::Result {
    out.write_str(
        "<section id=\"accuracy\">\n<h2>Accuracy</h2>\n<p>An error is the distance from the unrounded exact result, in \
         units in the last place (ulp) of the output's type. The bounds are proved, not tuned; \
         <a href=\"docs/accuracy.md\">docs/accuracy.md</a>, in this folder, derives them: n is the number of terms, u the unit \
         roundoff of a format, s the sum of the roundings that a term may go through, γ(s) = s / (1 - s), S the sum of \
         squares or of absolute values.</p>\n",
    )?;
    let mut table = Table::of(&["class", "an element is", "bound", "derived under"]);
    for (class, what, bound, derived) in CLASSES {
        table.row(&[class.name(), what, bound, derived]);
    }
    table.write(out)?;
    for (run, name) in runs.iter().zip(names(runs)) {
        writeln!(out, "<h3>{}: reached</h3>", text(&name))?;
        for (of, grid) in tables::accuracies(&run.column.report) {
            writeln!(out, "<h4>{of}</h4>")?;
            let mut table = Table::of(&grid.header.iter().map(String::as_str).collect::<Vec<_>>());
            grid.rows.iter().for_each(|row| table.row(&row.iter().map(String::as_str).collect::<Vec<_>>()));
            table.write(out)?;
        }
    }
    out.write_str("</section>\n")
}
