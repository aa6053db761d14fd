//! Describes the hazards of a run: a sentence each for summaries, and labelled lines for sections.

use normative_reference::{Dtype, Kind, Norm, Value};

use crate::display::shell::asking;
use crate::display::{self, counted, joined};
use crate::judge::hazard::Hazard;
use crate::report::defect::Witness;
use crate::report::finding::Line;
use crate::report::label;
use crate::run::hazards::{HazardKind, Met};

/// The most data elements in a sentence.
const ELEMENTS: usize = 8;

/// Describes a kind of hazard in a sentence, such as `L2 norms of i32 may be negative: [40000, -30000] gives
/// -2147483648, the norm is 50000 (integer-l2-intermediate)`.
pub fn sentence<W>(kind: &HazardKind, met: &Met<W>) -> String {
    let HazardKind { gives, norm, questions } = kind;
    let (dtypes, questions) = (joined(&met.dtypes), joined(questions));
    let data = display::some(&met.call.data, ELEMENTS);
    let (got, due) = gives_and_norm(&met.hazard);
    let result = if matches!(norm, Norm::L1 | Norm::L2) { "norm" } else { "sum" };
    let (results, may) = (results(*norm), gives.words());
    format!("{results} of {dtypes} may be {may}: {data} gives {got}, the {result} is {due} ({questions})")
}

/// Returns the results of an operator, as the start of a sentence.
pub const fn results(norm: Norm) -> &'static str {
    match norm {
        Norm::L1 => "L1 norms",
        Norm::L2 => "L2 norms",
        Norm::SumSquare => "Sums of squares",
        Norm::Sum => "Sums",
    }
}

/// Describes the value in place of the norm, such as `gives inf at [1], the norm is 5e30`.
pub fn of_answer(hazard: &Hazard) -> String {
    let (gives, norm) = gives_and_norm(hazard);
    format!("gives {gives}, the norm is {norm}")
}

/// Returns the value in place of the norm, such as `inf at [1]`, and the norm.
pub fn gives_and_norm(Hazard { dtype, index, got, norm, .. }: &Hazard) -> (String, String) {
    let at = if index.is_empty() { String::new() } else { format!(" at {index:?}") };
    (format!("{}{at}", display::element(*dtype, *got)), shown(*dtype, norm))
}

/// Returns lines for a kind of hazard, with the command that shows it.
pub fn lines(kind: &HazardKind, met: &Met<Witness<'_>>, again: &str) -> Vec<Line> {
    let mut lines: Vec<Line> =
        kind.questions.iter().map(|question| Line::new("asks", question.asks())).collect();
    lines.extend([
        Line::new("met in", &format!("{}: {}", counted(met.calls, "call", "calls"), joined(&met.specs))),
        Line::new("smallest", &met.smallest.name()),
        Line::new(label::CALL, &display::call(&met.call)),
        Line::new(label::DATA, &display::data(&met.call.data)),
        Line::new(label::RESULT, &of_answer(&met.hazard)),
        Line::new(label::AGAIN, &format!("{again} {}", asking(&met.smallest.asked_by()))),
    ]);
    lines
}

/// Returns the norm rounded to its type; an integer norm exactly.
fn shown(dtype: Dtype, norm: &Value) -> String {
    match dtype.kind() {
        Kind::Float(format) => display::element(dtype, norm.round(format)),
        Kind::Integer(_) => display::exact(norm),
    }
}
