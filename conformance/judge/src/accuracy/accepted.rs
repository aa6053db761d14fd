//! Turns the bounds of an accuracy class into bits: the floats that are accepted around an exact value.
//!
//! Serves tools that judge without this crate. It decides nothing: [`measure`] judges every float. All floats
//! between two accepted ones are accepted too, unless they are not numbers of the root's narrower format. Only
//! infinity and zero may be accepted apart from the rest: where naive squares may overflow, or results may be
//! flushed.

use normative_reference::{FloatFormat, Near, Real, Value};

use super::signed::{self, SumSpan, at_place, place};
use super::{Class, RoundingSteps, float, measure, measure_at};

/// The bits of the floats that are accepted: of a norm, non-negative ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The least float, except a zero that is apart.
    pub low: u64,
    /// The greatest float, except an infinity that is apart.
    pub high: u64,
    /// True if zero is accepted though the floats just above it are not.
    pub or_zero: bool,
    /// True if infinity is accepted though the floats just below it are not. Of a sum: an infinity of some sign, or
    /// NaN.
    pub or_infinite: bool,
}

/// Returns the floats of this class or a tighter one for output element `at`. `None` as in [`accepted`].
pub fn accepted_at(
    near: &Near,
    at: usize,
    format: FloatFormat,
    declared: Option<FloatFormat>,
    class: Class,
) -> Option<Accepted> {
    match (near.values.get(at)?, near.parts.get(at)) {
        (Value::Finite(value), None) => accepted(value, format, near, declared, class),
        (Value::Finite(sum), Some(parts)) => {
            let reached = |bits| measure_at(near, at, bits, format, declared)?.class;
            Some(of_sum(sum.round(format), signed::span(parts, format, near), format, class, reached))
        }
        (value, _) => {
            let only = value.round(format);
            Some(Accepted { low: only, high: only, or_zero: false, or_infinite: false })
        }
    }
}

/// Returns the floats of this class or a tighter one around a sum, from the float nearest to it and the span of all.
fn of_sum(
    nearest: u64,
    span: SumSpan,
    format: FloatFormat,
    class: Class,
    reached: impl Fn(u64) -> Option<Class>,
) -> Accepted {
    let beside = |steps| {
        let bits = at_place(place(nearest, format) + steps, format);
        if reached(bits).is_some_and(|reached| reached <= Class::Faithful) { bits } else { nearest }
    };
    let (low, high, or_infinite) = match class {
        Class::CorrectlyRounded => (nearest, nearest, false),
        Class::Faithful => (beside(-1), beside(1), false),
        Class::AnyOrder | Class::Vacuous | Class::Beyond => {
            (span.least, span.greatest, span.nan || span.infinite.contains(&true))
        }
    };
    Accepted { low, high, or_zero: false, or_infinite }
}

/// Returns the floats of this class or a tighter one around a norm. `None` if there are none: squares must overflow, and
/// the class asks for the float nearest to the value.
pub fn accepted(
    value: &Real,
    format: FloatFormat,
    near: &Near,
    declared: Option<FloatFormat>,
    class: Class,
) -> Option<Accepted> {
    let accepts = |bits: u64| {
        let reached = measure(value, bits, format, near, declared).class;
        reached.is_some_and(|reached| reached <= class)
    };
    let (rounded, infinity) = (value.round(format), format.infinity());
    if !accepts(rounded) {
        // If all squares underflow, or their sum overflows, a single answer is left.
        let only = [0, infinity].into_iter().find(|&bits| accepts(bits))?;
        return Some(Accepted { low: only, high: only, or_zero: false, or_infinite: false });
    }
    let low = rounded - farthest(rounded, |steps| accepts(rounded - steps));
    let high = rounded + farthest(infinity - rounded, |steps| accepts(rounded + steps));
    let root = RoundingSteps::of(near, declared).root;
    let (low, high) =
        if root.precision < format.precision { of_root(value, root, format, accepts) } else { (low, high) };
    let or_zero = low > 0 && accepts(0);
    let or_infinite = high < infinity && accepts(infinity);
    Some(Accepted { low, high, or_zero, or_infinite })
}

/// Returns the least and the greatest accepted number of the root's format, and includes the float nearest to
/// the value. Both are floats of the wider output format.
fn of_root(
    value: &Real,
    root: FloatFormat,
    format: FloatFormat,
    accepts: impl Fn(u64) -> bool,
) -> (u64, u64) {
    let wide = |bits: u64| float(bits, root).map_or(format.infinity(), |held| held.real().round(format));
    let (nearest, most) = (value.round(root), root.infinity() - 1);
    let nearest = nearest.min(most);
    let low = nearest - farthest(nearest, |steps| accepts(wide(nearest - steps)));
    let high = nearest + farthest(most - nearest, |steps| accepts(wide(nearest + steps)));
    let rounded = value.round(format);
    (wide(low).min(rounded), wide(high).max(rounded))
}

/// Returns the greatest number up to `most` that `holds`, which must be true up to some number and false beyond.
fn farthest(most: u64, holds: impl Fn(u64) -> bool) -> u64 {
    // Invariant: true for `known`, false from `beyond` on. Asks `most` only if `most - 1` holds.
    let (mut known, mut beyond) = (0, most + 1);
    while beyond - known > 1 {
        let middle = known.midpoint(beyond);
        if holds(middle) { known = middle } else { beyond = middle }
    }
    known
}

#[cfg(test)]
mod tests {
    use normative_reference::{Axes, Call, Dtype, Expected, Kind, Norm, Operator, Opset, Tensor, Value};
    use rstest::rstest;

    use super::*;
    use crate::verdict::Sheet;

    /// Returns every way of computing one row, under every reading.
    fn nears(norm: Norm, bits: &[u64]) -> Vec<Near> {
        let operator =
            Operator::Onnx { norm, opset: Opset::V18, keepdims: Some(0), noop_with_empty_axes: None };
        let data = Tensor::from_bits(Dtype::F16, &[bits.len()], bits).unwrap();
        let call = Call::new(operator, data, Axes::list(&[0]));
        let near = |expected| if let Expected::Near(near) = expected { Some(near) } else { None };
        Sheet::of(&call).unwrap().entries.into_iter().filter_map(|entry| near(entry.expected)).collect()
    }

    #[rstest]
    #[case::a_few(&[0x3c01, 0x4200, 0x3555])]
    #[case::halfway(&[0x6800, 0x3c00])]
    #[case::nothing(&[0x0000])]
    #[case::subnormals(&[0x0003, 0x0001, 0x0011])]
    #[case::squares_that_underflow(&[0x0003; 5])]
    #[case::squares_that_may_overflow(&[0x5bff])]
    #[case::a_sum_at_the_threshold(&[0x7bff, 0x4c00])]
    #[case::a_sum_beyond(&[0x7bff, 0x7bff])]
    #[case::many(&[0x3800; 300])]
    fn what_is_accepted_are_these_floats_and_no_others(
        #[case] bits: &[u64],
        #[values(Norm::L1, Norm::L2)] norm: Norm,
        #[values(Class::CorrectlyRounded, Class::Faithful, Class::AnyOrder, Class::Vacuous)] class: Class,
    ) {
        let Kind::Float(format) = Dtype::F16.kind() else { unreachable!() };
        for near in nears(norm, bits) {
            let [Value::Finite(value)] = near.values.as_slice() else { unreachable!() };
            let accepted = accepted(value, format, &near, None, class);
            for bits in 0..=format.infinity() {
                let measured = measure(value, bits, format, &near, None).class;
                let stated = accepted.is_some_and(|Accepted { low, high, or_zero, or_infinite }| {
                    let apart = or_infinite && bits == format.infinity() || or_zero && bits == 0;
                    (low..=high).contains(&bits) || apart
                });
                assert_eq!(measured.is_some_and(|reached| reached <= class), stated, "{bits:#x} {near:?}");
            }
        }
    }

    #[test]
    fn halving_finds_the_last_step_that_holds_and_may_take_all() {
        for most in 0..40 {
            for last in 0..=most {
                assert_eq!(farthest(most, |steps| steps <= last), last, "of {most}");
            }
        }
    }

    #[test]
    fn an_infinity_that_follows_the_greatest_float_is_not_apart() {
        let Kind::Float(format) = Dtype::F16.kind() else { unreachable!() };
        for near in nears(Norm::L1, &[0x7bff, 0x4c00]) {
            let [Value::Finite(value)] = near.values.as_slice() else { unreachable!() };
            let Some(accepted) = accepted(value, format, &near, None, Class::Faithful) else {
                unreachable!()
            };
            assert_eq!((accepted.high, accepted.or_infinite), (format.infinity(), false), "{near:?}");
        }
    }

    #[test]
    fn the_tables_rows_cover_an_infinity_that_lies_apart() {
        let Kind::Float(format) = Dtype::F16.kind() else { unreachable!() };
        let apart = nears(Norm::L2, &[0x5bff]).iter().any(|near| {
            let [Value::Finite(value)] = near.values.as_slice() else { return false };
            accepted(value, format, near, None, Class::AnyOrder).is_some_and(|accepted| accepted.or_infinite)
        });
        assert!(apart);
    }

    /// A root held in f32, of data in f64: accepted ends are numbers of f32.
    #[test]
    fn of_a_root_in_a_narrower_format_the_ends_are_numbers_of_that() {
        let operator = Operator::Onnx {
            norm: Norm::L2,
            opset: Opset::V18,
            keepdims: Some(0),
            noop_with_empty_axes: None,
        };
        let data = Tensor::from_bits(Dtype::F64, &[3], &[1_f64.to_bits(); 3]).unwrap();
        let sheet = Sheet::of(&Call::new(operator, data, Axes::list(&[0]))).unwrap();
        let near = sheet.entries.into_iter().find_map(|entry| match entry.expected {
            Expected::Near(near) if near.arithmetic.root == FloatFormat::F32 => Some(near),
            _ => None,
        });
        let near = near.unwrap();
        let [Value::Finite(value)] = near.values.as_slice() else { unreachable!() };
        let accepted = accepted(value, FloatFormat::F64, &near, None, Class::AnyOrder).unwrap();
        for bits in [accepted.low, accepted.high] {
            let float = f64::from_bits(bits);
            assert_eq!(f64::from(float as f32).to_bits(), bits, "{float:e}");
            assert!((float / 3_f64.sqrt() - 1.0).abs() < 1e-7, "{float:e}");
        }
        assert!(accepted.low < accepted.high);
    }
}
