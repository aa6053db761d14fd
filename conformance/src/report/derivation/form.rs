//! Spells out the form of an expectation: which axes are reduced and what becomes of their dims, or why a call is refused.
//!
//! Each line has the numbers of the call, and the words of the clause that it follows.

use normative_reference::{Call, Clause, Dims, Elements, Reduction};

use crate::corpus::{ClauseRef, Ledger, cited};
use crate::judge::compare::Mismatch;
use crate::report::finding::{Line, of_clause};

/// Returns lines for the axes and the dims of a reduction.
pub fn of_reduction(call: &Call, reduction: &Reduction, ledger: &Ledger) -> Vec<Line> {
    if reduction.elements != Elements::All {
        return Vec::new();
    }
    let (from, to) = (call.data.shape().to_vec(), reduction.output_shape(call.data.shape()));
    let dims = match reduction.dims {
        Dims::Keep => "reduced dims stay, as 1",
        Dims::Drop => "reduced dims are removed",
        Dims::DropToVector => "reduced dims are removed, and of a single number a vector is left",
    };
    let mismatch = Mismatch::Shape { expected: to.clone(), got: Vec::new() };
    vec![
        Line::new("axes", &axes(call, reduction)),
        Line::new("dims", &format!("{from:?} to {to:?}: {dims}")),
        of_clause(&cited::clause(call, Some(&mismatch), ledger), ledger),
    ]
}

/// Returns lines for a refusal: the clause, and what about the call may break it.
pub fn of_refusal(call: &Call, clause: &Clause, ledger: &Ledger) -> [Line; 2] {
    let cited = ClauseRef { spec: clause.spec, name: clause.name.to_owned() };
    [of_clause(&cited, ledger), Line::new("call has", &facts(call).join("; "))]
}

/// Says which axis each number names, where that is not the number itself.
fn axes(call: &Call, reduction: &Reduction) -> String {
    let rank = call.data.rank();
    let reduced = |axis: i128| reduction.axes.iter().any(|&known| i128::try_from(known) == Ok(axis));
    match call.axes.written() {
        Some(axes) if !axes.values.is_empty() => {
            let read = |&axis: &i128| {
                let folded = axis.checked_add(rank as i128)?;
                match axis < 0 {
                    true if reduced(folded) => Some(format!("{axis} + {rank} = {folded}")),
                    _ if reduced(axis) => None,
                    _ => Some(format!("{axis} names nothing to reduce")),
                }
            };
            let read: Vec<String> = axes.values.iter().filter_map(read).collect();
            let read = if read.is_empty() { String::new() } else { format!(": {}", read.join(", ")) };
            format!("{:?} of rank {rank}{read}", axes.values)
        }
        _ => format!("none named, of rank {rank}"),
    }
}

/// Returns the numbers of a call for which a text may refuse it.
fn facts(call: &Call) -> Vec<String> {
    let rank = call.data.rank() as i128;
    let values = call.axes.written().map_or(&[][..], |axes| &axes.values);
    let mut facts = vec![format!("{} data of rank {rank}", call.data.dtype())];
    facts.extend(call.axes.written().map(|axes| format!("axes {} {values:?}", axes.dtype)));
    let is_out = |axis: &&i128| !(-rank..rank).contains(*axis);
    facts.extend(
        values.iter().find(is_out).map(|axis| format!("axis {axis} outside [{}, {}]", -rank, rank - 1)),
    );
    let folded = |axis: i128| if axis < 0 { axis.saturating_add(rank) } else { axis };
    let again = |&at: &usize| values[..at].iter().position(|&before| folded(before) == folded(values[at]));
    let twice = (0..values.len()).find_map(|at| Some((values[again(&at)?], values[at])));
    facts.extend(twice.map(|(one, other)| format!("{one} and {other} name one axis")));
    let keep = call.operator.keep_dims().filter(|keep| !(0..=1).contains(keep));
    facts.extend(keep.map(|keep| format!("keepdims {keep}")));
    facts
}
