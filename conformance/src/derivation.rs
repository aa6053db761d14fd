//! The arithmetic of a bound in words: how the ulps allowed come from the number of terms.
//!
//! For whoever checks a verdict with pencil and paper. The formulas, and why they hold, stand in
//! [`crate::accuracy`]; nothing is judged here.

use normative_reference::{FloatFormat, Near, Real};

use crate::accuracy::Bound;
use crate::finding::Line;

/// The bound around one exact value, on the sides asked for: below it (`false`), above it (`true`).
pub fn lines(
    value: &Real,
    format: FloatFormat,
    near: &Near,
    declared: Option<FloatFormat>,
    sides: &[bool],
) -> Vec<Line> {
    let bounds: Vec<(bool, Bound)> =
        sides.iter().map(|&above| (above, Bound::of(value, format, near, declared, above))).collect();
    let Some((_, bound)) = bounds.first() else { return Vec::new() };
    let (k, p) = (bound.roundings, bound.accumulation.precision);
    let gamma = match bound.gamma {
        Some(gamma) => format!("γ = ku / (1 - ku) = {gamma:.4e}"),
        None => "ku ≥ 1: γ says nothing, what holds for any n takes its place".into(),
    };
    let counts = format!("n = {}, u = 2^-{p}, k = {k} roundings a term", near.terms);
    let mut lines = vec![Line::new("bound", &counts), Line::new("", &gamma)];
    lines.extend(bounds.iter().map(|(above, bound)| side(*above, bound)));
    if bound.accumulation.precision > format.precision {
        lines.push(Line::new("", &format!("and half a gap between floats for rounding to {}", near.dtype)));
    }
    lines
}

fn side(above: bool, bound: &Bound) -> Line {
    let Bound { rho, relative, size, scaling, .. } = bound;
    let lost = if *rho > 0.0 { format!(" with ρ = {rho:.4e}") } else { String::new() };
    let back = if *scaling > 0.0 { format!(" + {scaling:.4} for scaling back") } else { String::new() };
    let text = format!("{relative:.4e}{lost} · {size:.7e} ulp{back} = {:.4} ulp", bound.ulps());
    Line::new(if above { "above" } else { "below" }, &text)
}
