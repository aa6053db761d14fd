//! Writes the table of a model's reductions, and what is known to be risky in them before anything is run.

use std::fmt::Write as _;

use anyhow::Result;
use normative_conformance::display::{counted, grouped, plain, version};
use normative_conformance::generate::filled::{Contents, filled};
use normative_conformance::reference::spec::AxesForm;
use normative_conformance::reference::{
    Alternative, Axes, Call, Dtype, FloatFormat, Kind, Norm, Operator, Outcome, Term, rule,
};
use normative_onnx::nodes::{Dim, ElementType, FoundNode, NodeCall, Stated};
use normative_onnx::op_type;

use super::calls::{NotAsked, asked, terms};
use super::on_file::OnFile;

/// The most characters of a node's name.
const NAME: usize = 60;

/// Magnitudes that integer data of models do not reach.
const USUAL_INTEGERS: i128 = 1_000_000_000;

/// Writes a row for each node, then the reasons why some are not asked, then the risks, then what is on file.
pub(super) fn write(text: &mut String, file: &str, found: &[FoundNode]) -> Result<()> {
    writeln!(text, "{} in {file}", counted(found.len(), "reduction", "reductions"))?;
    if found.is_empty() {
        writeln!(text, "  norms of other operators, such as ReduceSum of Abs or Mul, are not looked for")?;
        return Ok(());
    }
    let heads = ["", "operator", "opset", "type", "dims", "axes", "keepdims", "node"].map(str::to_owned);
    let rows: Vec<[String; 8]> =
        std::iter::once(heads).chain(found.iter().enumerate().map(|(at, one)| row(at, one))).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        writeln!(text, "  {}  {}", cells.join("  "), row[7])?;
    }
    let of_each =
        |of: &mut dyn FnMut(&FoundNode) -> Result<Vec<String>>| -> Result<Vec<(String, Vec<usize>)>> {
            let mut told: Vec<(String, Vec<usize>)> = Vec::new();
            for (at, one) in found.iter().enumerate() {
                for line in of(one)? {
                    match told.iter_mut().find(|(known, _)| *known == line) {
                        Some((_, nodes)) => nodes.push(at + 1),
                        None => told.push((line, vec![at + 1])),
                    }
                }
            }
            Ok(told)
        };
    let reason = |one: &FoundNode| asked(one).err().map(|NotAsked(why)| plain(&why)).into_iter().collect();
    let mut on_file = OnFile::new()?;
    let mut about = |one: &FoundNode| call_of(one).map_or(Ok(Vec::new()), |call| on_file.about(&call));
    for (head, lines) in [
        ("asked with", of_each(&mut |one| Ok(other_dims(one)))?),
        ("not asked", of_each(&mut |one| Ok(reason(one)))?),
        ("risky, whatever runs it", of_each(&mut |one| Ok(risks_of(one)))?),
        ("on file of runtimes; `ask` shows the calls", of_each(&mut about)?),
    ] {
        if !lines.is_empty() {
            writeln!(text, "{head}")?;
        }
        for (line, nodes) in lines {
            writeln!(text, "  {}: {line}", numbers(&nodes, found.len()))?;
        }
    }
    Ok(())
}

/// Returns the dims that a node is asked with, if they are not those of the file.
fn other_dims(found: &FoundNode) -> Vec<String> {
    let Ok((reduction, _, asked)) = asked(found) else { return Vec::new() };
    let stated = dims(&reduction.data);
    let shapes: Vec<String> = asked.shapes.iter().map(|shape| list(shape)).collect();
    if shapes == [stated] { Vec::new() } else { vec![format!("dims {}", shapes.join(" and "))] }
}

/// Returns the numbers of nodes, of many the first ones; of all nodes their count.
fn numbers(nodes: &[usize], all: usize) -> String {
    if all > 1 && nodes.len() == all {
        return format!("all {all} nodes");
    }
    let shown: Vec<String> = nodes.iter().take(8).map(ToString::to_string).collect();
    let more = nodes.len().saturating_sub(shown.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} {}{more}", if nodes.len() == 1 { "node" } else { "nodes" }, shown.join(", "))
}

fn row(at: usize, found: &FoundNode) -> [String; 8] {
    let place: String = plain(&found.place).chars().take(NAME).collect();
    let [kind, dims, axes, keepdims] = match &found.reduction {
        Err(_) => ["?", "?", "?", "?"].map(str::to_owned),
        Ok(reduction) => [
            match &reduction.data.element_type {
                ElementType::Known(dtype) => dtype.to_string(),
                ElementType::Unknown => "?".to_owned(),
                ElementType::Other(name) => plain(name),
            },
            dims(&reduction.data),
            axes(reduction.axes.as_ref(), &reduction.operator),
            keepdims(&reduction.operator),
        ],
    };
    // The version that is asked: opset 21 imports ReduceL2-18.
    let operator = found.reduction.as_ref().map_or_else(
        |_| op_type(found.norm).to_owned(),
        |reduction| version(reduction.operator.spec()).to_owned(),
    );
    [(at + 1).to_string(), operator, found.version.to_string(), kind, dims, axes, keepdims, place]
}

fn dims(stated: &Stated) -> String {
    let Some(dims) = &stated.dims else { return "?".to_owned() };
    let dim = |dim: &Dim| match dim {
        Dim::Size(size) => size.to_string(),
        Dim::Symbol(symbol) if symbol.is_empty() => "?".to_owned(),
        Dim::Symbol(symbol) => plain(symbol).chars().take(16).collect(),
    };
    list(&dims.iter().map(dim).collect::<Vec<_>>())
}

fn keepdims(operator: &Operator) -> String {
    let default = || format!("{} (default)", u8::from(operator.spec().rules().keep_dims_default));
    operator.keep_dims().map_or_else(default, |keep| keep.to_string())
}

/// Returns the axes and where they come from.
fn axes(axes: Option<&Axes>, operator: &Operator) -> String {
    match axes {
        None => "not known".to_owned(),
        Some(Axes::Absent) => "left out".to_owned(),
        Some(Axes::Null) => "an empty input".to_owned(),
        Some(Axes::Given(given) | Axes::OtherForm(given)) => {
            let is_attribute = operator.spec().rules().axes == AxesForm::Attribute;
            let is_input = is_attribute == matches!(axes, Some(Axes::OtherForm(_)));
            format!("{} {}", if is_input { "constant" } else { "attribute" }, list(&given.values))
        }
    }
}

fn list<T: ToString>(values: &[T]) -> String {
    format!("[{}]", values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}

/// Returns a node's call with data of its form: the form does not depend on the size of dims beyond 1.
fn call_of(found: &FoundNode) -> Option<Call> {
    let (reduction, axes, asked) = asked(found).ok()?;
    let shape: Vec<usize> = asked.shapes.iter().take(1).flatten().map(|&dim| dim.min(2)).collect();
    let data = filled(asked.dtype, &shape, found.norm, 1, Contents::Usual).ok()?;
    Some(Call::new(reduction.operator.clone(), data, axes.clone()))
}

/// Returns what can go wrong in a node on a runtime that does what the text allows.
fn risks_of(found: &FoundNode) -> Vec<String> {
    let (Ok((reduction, axes, asked)), Some(call)) = (asked(found), call_of(found)) else {
        return Vec::new();
    };
    let ruling = rule(&call);
    let refusal = |one: &Alternative| match &one.outcome {
        Outcome::Rejected(clause) | Outcome::OutOfScope(clause) => Some(clause.to_string()),
        Outcome::Unchanged | Outcome::Reduce(..) => None,
    };
    if let Some(clauses) = ruling.alternatives.iter().map(refusal).collect::<Option<Vec<String>>>() {
        let clause = clauses.first().cloned().unwrap_or_default();
        return vec![format!(
            "the text gives this call no meaning ({clause}), and not every runtime refuses it"
        )];
    }
    let of_form = ruling.questions().into_iter().filter(|question| !question.concerns_values());
    let mut risks: Vec<String> =
        of_form.map(|question| format!("open in the text, {question}: {}", question.asks())).collect();
    risks.extend(of_sum(found.norm, reduction, axes, asked.dtype));
    risks
}

/// Returns the magnitudes beyond which a sum leaves its type, as far as the file states how many elements are added.
fn of_sum(norm: Norm, reduction: &NodeCall, axes: &Axes, dtype: Dtype) -> Option<String> {
    let sized = |dim: &Dim| if let Dim::Size(size) = dim { *size } else { usize::MAX };
    let dims: Vec<usize> = reduction.data.dims.as_ref()?.iter().map(sized).collect();
    let is_empty = axes.written().is_none_or(|axes| axes.values.is_empty());
    let is_noop = reduction.operator.noop_with_empty_axes().is_some_and(|noop| noop != 0);
    if is_noop && is_empty {
        return None;
    }
    let squares = norm.term() == Term::Square;
    let Some(terms) = terms(&dims, axes) else {
        let of = if squares { "squares" } else { "magnitudes" };
        let is_f16 = dtype.kind() == Kind::Float(FloatFormat::F16);
        return is_f16.then(|| {
            format!("a sum of {of} in f16 is infinite beyond 65,504, and the file does not state of how many")
        });
    };
    if terms == 0 {
        return None;
    }
    let sum = format!(
        "a sum of {}{}",
        if squares { "the squares of " } else { "" },
        counted(terms, "element", "elements")
    );
    match dtype.kind() {
        Kind::Float(FloatFormat::F16) => {
            // From 65520 on, a number is rounded to infinity.
            let each = 65520.0 / terms as f64;
            let most = if squares { each.sqrt() } else { each };
            let most = if most < 10.0 { format!("{most:.3}") } else { format!("{most:.0}") };
            let is_near = squares || each < 1024.0;
            // Half of the least subnormal number, and less, is rounded to 0.
            let least = if squares { " and 0 below 0.000173" } else { "" };
            is_near.then(|| {
                format!("{sum} in f16 is infinite for magnitudes of about {most}{least}, and no text says that a wider type holds it")
            })
        }
        Kind::Float(_) => None,
        Kind::Integer(range) => {
            let each = range.max / terms as i128;
            let most = if squares { each.isqrt() } else { each };
            (most < USUAL_INTEGERS).then(|| {
                let most = grouped(most as usize);
                format!("{sum} of {dtype} leaves the type where all magnitudes exceed {most}, and no text says what comes then")
            })
        }
    }
}
