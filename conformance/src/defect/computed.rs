//! Finds wrong values that another arithmetic explains: "f64 and i64 data are computed in f32".
//!
//! A wrong rule has one answer a call, but a sum of floats depends on the order of its additions. So the answer is held
//! against a range: every order of summation in the other format gives a number of that format within it. An integer is
//! converted from such a number, and stops, wraps or becomes the least integer if its type cannot hold that.
//!
//! This names defects. It is evidence and no verdict, so plain f64 arithmetic suffices for the ranges.

#![allow(clippy::float_cmp, reason = "a number is one of a format, or it is not")]

mod formats;

use std::collections::BTreeMap;

use normative_reference::dtype::IntegerRange;
use normative_reference::textbook::to_f64;
use normative_reference::{
    Alternative, Call, Dims, Dtype, Elements, Finish, FloatFormat, Kind, Norm, Outcome, Reduction, Term, rule,
};

use self::formats::{greatest, last, norm_of, round};
use super::rules::Likeness;
use super::traits::reduction;
use crate::judge::compare::{ElementMismatch, Mismatch};
use crate::judge::verdict::Verdict;
use crate::parallel;

/// The arithmetics. Of two that explain the same answers, one of integers is likelier, because it has one answer a call;
/// then the wider.
const ARITHMETICS: [(Arithmetic, &str); 7] = [
    (Arithmetic::Signed, "Unsigned elements are read as signed ones."),
    (Arithmetic::Integer, "The result is computed in i32."),
    (Arithmetic::Cut, "Elements are converted to i32, and summed in f32."),
    (Arithmetic::Float(FloatFormat::F64), "The result is computed in f64."),
    (Arithmetic::Float(FloatFormat::F32), "The result is computed in f32."),
    (Arithmetic::Float(FloatFormat::F16), "The result is computed in f16."),
    (Arithmetic::Float(FloatFormat::BF16), "The result is computed in bf16."),
];

/// The arithmetic in which a norm may be computed instead of its own type's.
#[derive(Clone, Copy)]
enum Arithmetic {
    Float(FloatFormat),
    /// i32, whose sums wrap.
    Integer,
    /// i32 for elements beyond it, which wrap or stop, and then f32.
    Cut,
    /// The signed type of the same width, of unsigned data.
    Signed,
}

/// The integers of i32.
const NARROW: IntegerRange = IntegerRange::of_width(32, true);

/// The greatest relative error of a sum that still says something about its format.
const WIDEST: f64 = 0.125;

/// The output elements of a conforming call that a format is tried on.
const TRIED: usize = 4;

/// The least number of wrong answers of a type that one format must explain.
const LEAST: usize = 2;

/// A single wrong answer of a type is of the format that explains at least this many of others.
const SURE: usize = 10;

/// A format must explain this many times the wrong answers of a type that its right ones contradict.
const AGAINST: usize = 4;

/// Returns the formats that explain wrong values of some types and norms, and that nearly no conforming call of these
/// contradicts. Each call has the verdict on its answer if that fails, and `None` if it conforms.
pub(crate) fn likenesses(told: &[(&Call, Option<&Verdict>)]) -> Vec<Likeness> {
    let views = parallel::each(told, |&(call, verdict)| seen(call, verdict));
    ARITHMETICS.iter().filter_map(|&(arithmetic, sentence)| likeness(&views, arithmetic, sentence)).collect()
}

/// The failures that an arithmetic explains, those of them that it explains by an end of the type or 0 alone, and the number of
/// calls that speak against it.
type Evidence = (Vec<usize>, Vec<usize>, usize);

fn likeness(views: &[Option<Seen>], arithmetic: Arithmetic, sentence: &'static str) -> Option<Likeness> {
    // A kernel is of one type and one norm, and perhaps of the last axis or of others; another may be right.
    let mut kernels: BTreeMap<(Dtype, Norm), [Evidence; 2]> = BTreeMap::new();
    for (at, seen) in views.iter().enumerate().filter_map(|(at, seen)| Some((at, seen.as_ref()?))) {
        let (same, similar, against) =
            &mut kernels.entry((seen.dtype, seen.norm)).or_default()[usize::from(seen.is_last)];
        let explains = |ends: bool| seen.rows.iter().all(|row| row.is_of(seen, arithmetic, ends));
        match (seen.is_wrong, explains(true)) {
            (true, true) => {
                same.push(at);
                similar.extend((!explains(false)).then_some(at));
            }
            (false, false) => *against += 1,
            _ => {}
        }
    }
    let holds = |(same, similar, against): &Evidence| {
        same.len() >= LEAST && same.len() > similar.len() && against * AGAINST <= same.len()
    };
    let both = |one: &Evidence, other: &Evidence| {
        ([&*one.0, &other.0].concat(), [&*one.1, &other.1].concat(), one.2 + other.2)
    };
    let of_kernel = |[others, last]: [Evidence; 2]| {
        let whole = both(&others, &last);
        if holds(&whole) { vec![whole] } else { vec![others, last] }
    };
    let (mut kept, single): (Vec<Evidence>, Vec<Evidence>) =
        kernels.into_values().flat_map(of_kernel).partition(holds);
    if kept.iter().map(|(same, ..)| same.len()).sum::<usize>() >= SURE {
        kept.extend(
            single.into_iter().filter(|(same, similar, against)| same.len() > similar.len() && *against == 0),
        );
    }
    let (same, similar, against) = kept.into_iter().reduce(|all, of_kernel| both(&all, &of_kernel))?;
    Some(Likeness { sentence, same, similar, against })
}

/// The values of a call that a format is held against.
struct Seen {
    dtype: Dtype,
    norm: Norm,
    /// True if the last axis is reduced.
    is_last: bool,
    /// True if the rows are answers that fail; otherwise they are right.
    is_wrong: bool,
    rows: Vec<Row>,
}

/// One output element.
struct Row {
    /// The elements that go into it.
    elements: Vec<f64>,
    /// The same, exactly; empty for floats.
    integers: Vec<i128>,
    /// The answer.
    got: Number,
}

/// A value of the output.
#[derive(Clone, Copy)]
enum Number {
    Float(f64),
    Integer(i128, IntegerRange),
}

/// Returns the first wrong element, or the right values of some elements if the call conforms. `None` if its failure
/// is of another kind, or if it has nothing to compute.
fn seen(call: &Call, verdict: Option<&Verdict>) -> Option<Seen> {
    let wrong = match verdict.map(Verdict::mismatch) {
        Some(Some(Mismatch::Element(wrong))) => Some(&**wrong),
        Some(_) => return None,
        None => None,
    };
    let ruling = rule(call);
    // Data that are returned wrongly passed through the arithmetic, each element as a sum of one.
    let each = Reduction { norm: Norm::Sum, axes: Vec::new(), dims: Dims::Keep, elements: Elements::All };
    let is_returned = |one: &Alternative| matches!(one.outcome, Outcome::Unchanged);
    let reduction = match reduction(&ruling) {
        Some(reduction) => reduction,
        None => ruling.alternatives.iter().any(is_returned).then_some(&each)?,
    };
    let is_certain =
        |one: &Alternative| matches!(&one.outcome, Outcome::Reduce(other, _) if other == reduction);
    if wrong.is_none() && !ruling.alternatives.iter().all(is_certain) {
        return None;
    }
    let (dtype, norm) = (call.data.dtype(), reduction.norm);
    let data = reduction.operand(&call.data);
    let shape = reduction.output_shape(data.shape());
    let (terms, outputs) = (reduction.terms(data.shape()), shape.iter().product::<usize>());
    let bits = data.bits_by(&reduction.outer_to_inner(data.rank()));
    let run = |output: usize| bits.get(output.checked_mul(terms)?..(output + 1).checked_mul(terms)?);
    let rows = match wrong {
        Some(wrong) => vec![Row::of(
            dtype,
            run(place(wrong, data.shape(), reduction)?)?,
            Number::of(wrong.dtype, wrong.got),
        )],
        // Over no axes a right answer may be a plain copy, which computes nothing.
        None if reduction.axes.is_empty() && norm.finish() == Finish::Nothing => return None,
        None => (0..outputs.min(TRIED)).filter_map(|output| Row::right(dtype, norm, run(output)?)).collect(),
    };
    let is_last = reduction.axes.last().is_none_or(|&axis| axis + 1 == data.rank());
    Some(Seen { dtype, norm, is_last, is_wrong: wrong.is_some(), rows }).filter(|seen| !seen.rows.is_empty())
}

/// Returns the place of a wrong element among those of the output.
fn place(wrong: &ElementMismatch, shape: &[usize], reduction: &Reduction) -> Option<usize> {
    // The nearest reading may keep the reduced dims, or drop them.
    let is_kept = wrong.index.len() == shape.len();
    let mut kept = (0..shape.len()).filter(|axis| !reduction.axes.contains(axis)).enumerate();
    kept.try_fold(0, |flat, (at, axis)| {
        Some(flat * shape[axis] + wrong.index.get(if is_kept { axis } else { at })?)
    })
}

impl Seen {
    /// Returns the same values of another norm, without the rows.
    fn with(&self, norm: Norm) -> Self {
        Self { norm, rows: Vec::new(), ..*self }
    }
}

impl Number {
    fn of(dtype: Dtype, bits: u64) -> Self {
        match dtype.kind() {
            Kind::Float(_) => Self::Float(to_f64(dtype, bits)),
            Kind::Integer(range) => Self::Integer(range.decode(bits), range),
        }
    }
}

impl Row {
    fn of(dtype: Dtype, elements: &[u64], got: Number) -> Self {
        let integers = match dtype.kind() {
            Kind::Integer(range) => elements.iter().map(|&bits| range.decode(bits)).collect(),
            Kind::Float(_) => Vec::new(),
        };
        Self { elements: elements.iter().map(|&bits| to_f64(dtype, bits)).collect(), integers, got }
    }

    /// Returns a row with its right value; `None` if no number that the type holds is right, or if 0 or an infinity may be
    /// right as well.
    fn right(dtype: Dtype, norm: Norm, elements: &[u64]) -> Option<Self> {
        let row = Self::of(dtype, elements, Number::Float(0.0));
        let (value, total) = norm_of(norm, &row.elements)?;
        let got = match dtype.kind() {
            Kind::Float(own) => {
                let most = if norm.finish() == Finish::Root { value } else { total };
                let is_subnormal = value != 0.0 && value.abs() < f64::from(own.min_exponent).exp2();
                if is_subnormal || most >= greatest(own) / 2.0 {
                    return None;
                }
                Number::Float(value)
            }
            Kind::Integer(range) if (range.min as f64..range.max as f64).contains(&value) => {
                Number::Integer(value as i128, range)
            }
            Kind::Integer(_) => return None,
        };
        Some(Self { got, ..row })
    }

    /// Returns true if this arithmetic gives the value, in some order of summation. Without `ends`, not by an end of a type
    /// or 0 alone: any other mistake may give these for a number beyond the type.
    fn is_of(&self, seen: &Seen, arithmetic: Arithmetic, ends: bool) -> bool {
        match arithmetic {
            Arithmetic::Float(format) => self.is_of_float(seen, format, ends),
            // If all elements fit, a right answer says nothing, and a wrong one has another cause.
            Arithmetic::Cut => {
                let cuts = self.cut(seen.norm);
                cuts.is_empty() && !seen.is_wrong
                    || cuts
                        .iter()
                        .any(|(norm, cut)| cut.is_of_float(&seen.with(*norm), FloatFormat::F32, ends))
            }
            Arithmetic::Integer => self.is_of_integers(seen.norm),
            Arithmetic::Signed => self.is_of_signed(seen.norm),
        }
    }

    /// Returns the row with its integers, or their squares, wrapped to i32, and with the integers stopped at its ends; none
    /// if no integer is beyond these.
    fn cut(&self, norm: Norm) -> Vec<(Norm, Self)> {
        let top = last(NARROW, FloatFormat::F32);
        let with = |norm, held: &dyn Fn(i128) -> i128| {
            let integers: Vec<i128> = self.integers.iter().map(|&integer| held(integer)).collect();
            let elements = integers.iter().map(|&integer| integer as f64).collect();
            (norm, Self { elements, integers, got: self.got })
        };
        let wrapped = with(norm, &|integer| NARROW.wrap(integer));
        let stopped = with(norm, &|integer| integer.clamp(NARROW.min, top));
        if norm == Norm::SumSquare {
            if self.integers.iter().all(|integer| integer.abs() < 1 << 15) {
                return Vec::new();
            }
            let square = |integer: i128| NARROW.wrap(NARROW.wrap(integer) * NARROW.wrap(integer));
            return vec![wrapped, stopped, with(Norm::Sum, &square)];
        }
        if wrapped.1.integers == self.integers { Vec::new() } else { vec![wrapped, stopped] }
    }

    fn is_of_integers(&self, norm: Norm) -> bool {
        let Number::Integer(got, range) = self.got else { return false };
        // An element is cut or stopped before its magnitude is taken, or cut after.
        let holds: [fn(i128) -> i128; 3] =
            [|x| NARROW.wrap(x).abs(), |x| x.clamp(NARROW.min, NARROW.max).abs(), i128::abs];
        let gives = |hold: &fn(i128) -> i128| {
            let term = |&integer: &i128| {
                let held = NARROW.wrap(hold(integer));
                match norm.term() {
                    Term::Magnitude => held,
                    Term::Square => held * held,
                    Term::Element => NARROW.wrap(integer),
                }
            };
            let sum = self.integers.iter().map(term).fold(0, |sum, term| NARROW.wrap(sum + term));
            match norm.finish() {
                Finish::Nothing => range.wrap(sum) == got,
                Finish::Root => (sum as f64).sqrt().floor() == got as f64,
            }
        };
        range != NARROW && holds.iter().any(gives)
    }

    fn is_of_signed(&self, norm: Norm) -> bool {
        let Number::Integer(got, range @ IntegerRange { min: 0, .. }) = self.got else { return false };
        let sum = self.integers.iter().fold(0_i128, |sum, &integer| {
            let signed = if integer > range.max / 2 { integer - range.max - 1 } else { integer };
            sum.saturating_add(match norm.term() {
                Term::Magnitude => signed.abs(),
                Term::Square => signed * signed,
                Term::Element => signed,
            })
        });
        match norm.finish() {
            Finish::Nothing => range.wrap(sum) == got,
            Finish::Root => sum.isqrt() == got,
        }
    }

    /// Returns the greatest relative error of a sum in this format.
    fn error(&self, format: FloatFormat) -> f64 {
        (self.elements.len() + 4) as f64 * (-f64::from(format.precision)).exp2()
    }

    fn is_of_float(&self, seen: &Seen, format: FloatFormat, ends: bool) -> bool {
        let is_own = match seen.dtype.kind() {
            Kind::Float(own) => own == format,
            // The format holds each number of the type, so that nothing tells its arithmetic.
            Kind::Integer(range) => last(range, format) == range.max,
        };
        if is_own {
            return false;
        }
        // For integers a range so wide neither explains a wrong answer nor is contradicted by a right one.
        if seen.dtype.is_integer() && self.error(format) > WIDEST {
            return !seen.is_wrong;
        }
        let held: Vec<f64> = self.elements.iter().map(|&element| round(element, format)).collect();
        // An element that the format cannot hold may stop at its greatest number, with its sign.
        let stops =
            held.iter().any(|element| element.is_infinite()) && seen.norm.term() == Term::Element && {
                let greatest = greatest(format);
                let held: Vec<f64> = held.iter().map(|element| element.clamp(-greatest, greatest)).collect();
                self.is_of_held(seen, format, &held, ends)
            };
        stops || self.is_of_held(seen, format, &held, ends)
    }

    /// Returns true if the format gives the value from these elements.
    fn is_of_held(&self, seen: &Seen, format: FloatFormat, held: &[f64], ends: bool) -> bool {
        // A float of more digits than the format has is hardly one of it by chance, so a narrower range is enough for long sums.
        let error = self.error(format).min(WIDEST);
        let greatest = greatest(format);
        let sums = norm_of(seen.norm, held).map(|(norm, squares)| {
            let off = error * if seen.norm.term() == Term::Element { squares } else { norm };
            (norm - off, norm + off, squares)
        });
        let leaves = sums.is_none_or(|(_, high, squares)| high.max(squares) > greatest);
        let (low, high) = sums.map_or((f64::INFINITY, f64::INFINITY), |(low, high, _)| (low, high));
        match self.got {
            // Infinities among the elements make no NaN of a norm, whatever its format.
            Number::Float(got) if got.is_nan() => {
                let is_finite = self.elements.iter().all(|element| element.is_finite());
                leaves && (is_finite || seen.norm.term() == Term::Element)
            }
            Number::Float(got) if got.is_infinite() || got.abs() == greatest => leaves,
            Number::Float(got) => {
                let own = if let Kind::Float(own) = seen.dtype.kind() { own } else { format };
                let rounded = (-f64::from(own.precision)).exp2();
                let is_held = |got: f64, within: f64| (round(got, format) - got).abs() <= within * got.abs();
                // The sum of squares alone may be held in the format. The root then has an error of its own.
                let is_root =
                    |within: f64| seen.norm.finish() == Finish::Root && is_held(got * got, 2.0 * within);
                if seen.is_wrong {
                    let fits = (low..=high).contains(&got) && (is_held(got, 0.0) || is_root(rounded));
                    let vanishes =
                        || sums.is_some_and(|(.., squares)| got == 0.0 && round(squares, format) == 0.0);
                    return fits || vanishes();
                }
                // The right value is within its own error of a number of the format.
                let cancelled = match (seen.norm.term(), sums) {
                    (Term::Element, Some((.., total))) if got != 0.0 => (total / got.abs()).max(1.0),
                    _ => 1.0,
                };
                let within = (self.elements.len() + 2) as f64 * rounded * cancelled;
                is_held(got, within) || is_root(within)
            }
            Number::Integer(got, range) => {
                // A sum of integers is one, but a root may be cut or rounded up.
                let near = match seen.norm.finish() {
                    Finish::Nothing => low.round()..=high.round(),
                    Finish::Root => low.floor()..=high.ceil(),
                };
                let near = near.contains(&(got as f64));
                let squares =
                    sums.filter(|_| seen.norm.finish() == Finish::Root).map(|(_, _, squares)| squares);
                let squares =
                    squares.is_some_and(|squares| is_beyond(got, range, [squares; 2], format, ends));
                near && round(got as f64, format) as i128 == got
                    || is_beyond(got, range, [low, high], format, ends)
                    || squares
            }
        }
    }
}

/// Returns true if this is an integer of the type, or of i32 on the way to it, for a number beyond that: an end of the
/// type or 0, if these count, or what is left of the number.
fn is_beyond(got: i128, range: IntegerRange, [low, high]: [f64; 2], format: FloatFormat, ends: bool) -> bool {
    if got == 0 && !ends {
        return false;
    }
    let of = |held: IntegerRange| {
        // A conversion alone gives the indefinite integer, or an end that is a number of the format.
        let mut tells =
            [held.indefinite(), last(held, format)].into_iter().filter(|&value| value != held.max);
        let stops = tells.any(|value| range.wrap(value) == got)
            || ends && [held.max, held.min, 0].map(|value| range.wrap(value)).contains(&got);
        let wraps = || {
            let (low, high) = (low.floor() as i128, high.ceil() as i128);
            let past = got.wrapping_sub(low) & (held.max - held.min);
            let number = low.saturating_add(past);
            let is_of_format = round(number as f64, format) as i128 == number;
            past <= high.saturating_sub(low) && held.wrap(got) == got && is_of_format
        };
        let is_outside = high >= held.max as f64 || low < held.min as f64;
        is_outside && (stops || high.is_finite() && wraps())
    };
    of(range) || of(NARROW)
}

#[cfg(test)]
mod tests;
