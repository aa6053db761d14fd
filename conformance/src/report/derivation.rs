//! Spells out the arithmetic of a bound: the allowed ulps, from the number of terms.
//!
//! A reader can check a verdict with pencil and paper. [`crate::judge::accuracy`] has the formulas and their
//! proofs; nothing is judged here.

pub mod form;

use std::cmp::Ordering;

use normative_reference::arithmetic::Narrowing;
use normative_reference::{FloatFormat, Near, Real, Term};

use crate::judge::accuracy::steps::name;
use crate::judge::accuracy::{Bound, RoundingSteps};
use crate::report::finding::Line;

/// Returns lines about the bound around one exact value, on each side asked for: below (`false`), above (`true`).
pub fn lines(
    value: &Real,
    format: FloatFormat,
    near: &Near,
    declared: Option<FloatFormat>,
    sides: &[bool],
) -> Vec<Line> {
    if near.norm.term() == Term::Element {
        return of_sum(near, format);
    }
    let bounds: Vec<(bool, Bound)> =
        sides.iter().map(|&above| (above, Bound::of(value, format, near, declared, above))).collect();
    let Some((_, bound)) = bounds.first() else { return Vec::new() };
    let gamma = match bound.gamma {
        Some(gamma) => format!("γ = s / (1 - s) = {gamma:.4e}"),
        None => "s ≥ 1: γ says nothing, what holds for any n takes its place".into(),
    };
    let counts = format!("n = {}, s = {}", near.terms, roundings(&bound.steps));
    let mut lines = vec![Line::new("bound", &counts), Line::new("", &gamma)];
    lines.extend(bounds.iter().map(|(above, bound)| side(*above, bound)));
    let root = bound.steps.root;
    let last = match root.precision.cmp(&format.precision) {
        Ordering::Equal => return lines,
        Ordering::Greater if near.arithmetic.narrowing == Narrowing::TowardZero => {
            format!(
                "and half a gap between floats for rounding to {0}, or below a gap for cutting to {0}",
                near.dtype
            )
        }
        Ordering::Greater => format!("and half a gap between floats for rounding to {}", near.dtype),
        Ordering::Less => {
            format!("and half a gap between floats of {0}, which the root is rounded to", name(root))
        }
    };
    lines.push(Line::new("", &last));
    lines
}

/// Returns lines about the bound of a sum of signed elements.
fn of_sum(near: &Near, format: FloatFormat) -> Vec<Line> {
    let sums = near.arithmetic.sums;
    let before = match near.terms {
        0..=2 => "before the last addition, nothing is rounded".to_owned(),
        terms => format!(
            "before the last addition, off by at most {} · 2^-{} of the sum of magnitudes",
            terms - 2,
            sums.precision
        ),
    };
    let mut lines = vec![Line::new("bound", &before), Line::new("", "the last addition rounds to nearest")];
    if sums.precision > format.precision {
        lines.push(Line::new("", &format!("and so does the conversion to {}, or it cuts", near.dtype)));
    }
    lines.push(Line::new("", "ulp are those at the sum of magnitudes"));
    lines
}

/// Lists the roundings that a term may go through before the root, each with its unit roundoff.
fn roundings(steps: &RoundingSteps) -> String {
    let of = |count: f64, format: FloatFormat, what: &str| {
        (count > 0.0).then(|| format!("{count} · 2^-{} {what}", format.precision))
    };
    let parts = [
        of(
            steps.per_square,
            steps.squares,
            if steps.per_square > 1.0 { "(scale, square)" } else { "(square)" },
        ),
        of(steps.additions, steps.sums, "(additions)"),
        of(if steps.casts { 1.0 } else { 0.0 }, steps.root, "(rounding the sum)"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "0".into() } else { parts.join(" + ") }
}

fn side(above: bool, bound: &Bound) -> Line {
    let Bound { rho, hypot, relative, size, subnormal, flushed, .. } = bound;
    let chain = if hypot >= relative { " of a chain of hypot" } else { "" };
    let lost = if *rho > 0.0 { format!(" with ρ = {rho:.4e}") } else { String::new() };
    let more = |ulps: f64, why: &str| if ulps > 0.0 { format!(" + {ulps:.4} {why}") } else { String::new() };
    let (steps, zeros) = (more(*subnormal, "for subnormal steps"), more(*flushed, "for flushed ones"));
    let text =
        format!("{relative:.4e}{chain}{lost} · {size:.7e} ulp{steps}{zeros} = {:.4} ulp", bound.ulps());
    Line::new(if above { "above" } else { "below" }, &text)
}
