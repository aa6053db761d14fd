//! Checks the reference against itself: two ways to compute a value must agree.
//!
//! Nothing here judges a backend. Fuzzers run it on the values that verdicts rest on. [`exact::evaluate`] must give what
//! [`exact::run_by_run`] defines. Rounding must give the nearest float of a format. The f64 loop of [`textbook`], taken
//! as an answer, must conform.

use std::cmp::Ordering;

use normative_conformance::{Demands, Observed, Sheet, Verdict, display, judge};
use normative_reference::exact::{self, Variant};
use normative_reference::{
    Call, Dtype, FloatFormat, Kind, Magnitude, Norm, Outcome, Real, Reduction, Tensor, TensorError, Value,
    rule, textbook,
};
use num_bigint::BigUint;
use thiserror::Error;

/// Two ways to compute a value that do not agree.
#[derive(Debug, Error)]
pub enum Contradiction {
    /// A tensor is evaluated to other values than its runs, one by one.
    #[error("{reduction:?} under {variant:?}: expected {defined}, got {evaluated}")]
    Evaluated {
        /// The reduction evaluated.
        reduction: Reduction,
        /// The reading of the values.
        variant: Variant,
        /// The values that the definition gives.
        defined: String,
        /// The values evaluated.
        evaluated: String,
    },
    /// Another float is nearer, or as near and even.
    #[error("{value} rounds to {rounded} in {format:?}, which is not the nearest")]
    Rounding {
        /// The exact value.
        value: String,
        /// The format of the rounding.
        format: FloatFormat,
        /// The bits of the rounded value.
        rounded: String,
    },
    /// The loop over f64 does not conform.
    #[error("the loop over f64 does not conform: {0:?}")]
    Textbook(Verdict),
    /// A result is too large to hold.
    #[error(transparent)]
    TooLarge(#[from] TensorError),
}

/// The formats that every value is rounded to, whatever its own.
const FORMATS: [FloatFormat; 4] = [FloatFormat::F16, FloatFormat::BF16, FloatFormat::F32, FloatFormat::F64];

/// Checks every reduction that the call may mean, under every variant.
///
/// # Errors
/// Returns the first [`Contradiction`].
pub fn hold(call: &Call) -> Result<(), Contradiction> {
    let mut reductions: Vec<Reduction> = Vec::new();
    for alternative in rule(call).alternatives {
        match alternative.outcome {
            Outcome::Reduce(reduction, _) if !reductions.contains(&reduction) => reductions.push(reduction),
            Outcome::Reduce(..) | Outcome::Unchanged | Outcome::Rejected(_) | Outcome::OutOfScope(_) => {}
        }
    }
    let sheet = Sheet::of(call)?;
    for reduction in &reductions {
        for value in agreed(&call.data, reduction)? {
            FORMATS.iter().try_for_each(|&format| nearest(&value, format, value.round(format)))?;
        }
        textbook_conforms(call, reduction, &sheet)?;
    }
    Ok(())
}

/// Returns the values of the plain reading, after both ways agreed under every reading.
fn agreed(data: &Tensor, reduction: &Reduction) -> Result<Vec<Value>, Contradiction> {
    for (flush_subnormals, infinity_over_nan) in [(true, false), (false, true), (true, true)] {
        agreed_under(data, reduction, Variant { flush_subnormals, infinity_over_nan })?;
    }
    agreed_under(data, reduction, Variant::default())
}

fn agreed_under(data: &Tensor, reduction: &Reduction, variant: Variant) -> Result<Vec<Value>, Contradiction> {
    let (defined, evaluated) =
        (exact::run_by_run(data, reduction, variant), exact::evaluate(data, reduction, variant));
    if evaluated == defined {
        return Ok(evaluated);
    }
    let shown = |values: &[Value]| values.iter().map(display::exact).collect::<Vec<_>>().join(", ");
    let (reduction, defined, evaluated) = (reduction.clone(), shown(&defined), shown(&evaluated));
    Err(Contradiction::Evaluated { reduction, variant, defined, evaluated })
}

/// Checks that the value lies between the midpoints around this float; on a midpoint only if the bits are even.
fn nearest(value: &Value, format: FloatFormat, bits: u64) -> Result<(), Contradiction> {
    let even = bits & 1 == 0;
    let holds = match value {
        Value::Nan => bits == format.nan(),
        Value::Infinite => bits == format.infinity(),
        Value::NegativeInfinite => bits == format.sign() | format.infinity(),
        Value::Finite(real) if real.negative => {
            let magnitude = Value::Finite(Real { negative: false, ..real.clone() });
            return nearest(&magnitude, format, bits & (format.sign() - 1));
        }
        Value::Finite(real) => {
            let beyond = |middle: &Real, side| match order(real, middle) {
                Ordering::Equal => even,
                other => other == side,
            };
            // Zero has no float below, and infinity none above.
            let from = bits.checked_sub(1).and_then(|less| middle_above(format, less, real.root));
            let to = middle_above(format, bits, real.root);
            bits <= format.infinity()
                && from.is_none_or(|middle| beyond(&middle, Ordering::Greater))
                && to.is_none_or(|middle| beyond(&middle, Ordering::Less))
        }
    };
    holds.then_some(()).ok_or_else(|| {
        let (value, rounded) = (display::exact(value), format!("{bits:#x}"));
        Contradiction::Rounding { value, format, rounded }
    })
}

/// Returns the midpoint between a finite float and the next; as a root, if it is compared with a root.
fn middle_above(format: FloatFormat, bits: u64, root: bool) -> Option<Real> {
    let Magnitude::Finite { significand, exponent } = format.magnitude(bits) else { return None };
    let middle = BigUint::from(2 * significand + 1);
    let exponent = exponent - 1;
    Some(if root {
        Real { significand: &middle * &middle, exponent: 2 * exponent, root, negative: false }
    } else {
        Real { significand: middle, exponent, root, negative: false }
    })
}

/// Compares two reals; both must be roots, or both must not.
fn order(a: &Real, b: &Real) -> Ordering {
    let least = a.exponent.min(b.exponent);
    let shifted = |real: &Real| &real.significand << (real.exponent - least);
    shifted(a).cmp(&shifted(b))
}

/// Judges the f64 loop like the answer of a backend.
fn textbook_conforms(call: &Call, reduction: &Reduction, sheet: &Sheet) -> Result<(), Contradiction> {
    // The loop squares without scaling. That is an honest reading unless the text says that squares stay in range.
    if call.spec().rules().range_is_stated && !squares_fit(&reduction.operand(&call.data)) {
        return Ok(());
    }
    // Terms of 64 bits that cancel may have been rounded, although their sum is small.
    if reduction.norm == Norm::Sum && matches!(call.data.dtype(), Dtype::I64 | Dtype::U64) {
        return Ok(());
    }
    let values = textbook::evaluate(&call.data, reduction);
    let dtype = call.data.dtype();
    let Some(bits) =
        values.iter().map(|&value| narrowed(dtype, reduction.norm, value)).collect::<Option<Vec<_>>>()
    else {
        return Ok(());
    };
    let answer = Observed::Tensor(Tensor::from_bits(dtype, values.shape(), &bits)?);
    match judge(sheet, &answer, &Demands::default()) {
        Verdict::Conforms { .. } => Ok(()),
        verdict => Err(Contradiction::Textbook(verdict)),
    }
}

/// Returns true if f64 holds the squares of all elements, and any sum of them.
fn squares_fit(data: &Tensor) -> bool {
    data.bits().into_iter().map(|bits| textbook::to_f64(data.dtype(), bits).abs()).all(|x| {
        match FloatFormat::F64.magnitude(x.to_bits()) {
            Magnitude::Finite { significand: 0, .. } | Magnitude::Infinite | Magnitude::Nan => true,
            // These squares lie between 2^-1000 and 2^900, so a sum of fewer than 2^100 of them does not overflow.
            Magnitude::Finite { significand, exponent } => {
                (-500..450).contains(&(exponent + significand.ilog2() as i32))
            }
        }
    })
}

/// Converts a value of the f64 loop to the data's type: floats are rounded, integers cut. `None` for an integer
/// that the type does not hold, or that f64 may not have held exactly.
fn narrowed(dtype: Dtype, norm: Norm, value: f64) -> Option<u64> {
    match dtype.kind() {
        Kind::Float(format) => {
            let value = match FloatFormat::F64.magnitude(value.to_bits()) {
                Magnitude::Nan => Value::Nan,
                Magnitude::Infinite if value < 0.0 => Value::NegativeInfinite,
                Magnitude::Infinite => Value::Infinite,
                Magnitude::Finite { significand, exponent } => Value::Finite(Real {
                    significand: significand.into(),
                    exponent,
                    root: false,
                    negative: value < 0.0,
                }),
            };
            Some(value.round(format))
        }
        Kind::Integer(range) => {
            // Below this limit, the sum and every part of it have at most 52 bits.
            let exact = if norm.order() == 1 { 2_f64.powi(52) } else { 2_f64.powi(26) };
            let held = value.abs() < exact && (range.min..=range.max).contains(&(value as i128));
            held.then(|| range.encode(value as i128))
        }
    }
}

#[cfg(test)]
mod tests {
    use normative_conformance::run::property::row;
    use normative_reference::Spec;
    use proptest::prelude::*;
    use rstest::rstest;

    use super::*;

    #[test]
    fn the_reference_does_not_contradict_itself_on_generated_calls() {
        for id in row(17, &Spec::ALL).take(4000) {
            hold(&id.call()).unwrap_or_else(|contradiction| panic!("{id}: {contradiction}"));
        }
    }

    #[rstest]
    #[case::least(FloatFormat::F32, 0, 1, -150)]
    #[case::one(FloatFormat::F32, 0x3f80_0000, 0x100_0001, -24)]
    #[case::below_a_power_of_two(FloatFormat::F32, 0x3f7f_ffff, 0x1ff_ffff, -25)]
    #[case::greatest(FloatFormat::F16, 0x7bff, 4095, 4)]
    fn the_middle_is_half_a_step_above(
        #[case] format: FloatFormat,
        #[case] bits: u64,
        #[case] significand: u32,
        #[case] exponent: i32,
    ) {
        let middle = Real { significand: significand.into(), exponent, root: false, negative: false };
        assert_eq!(middle_above(format, bits, false), Some(middle));
    }

    proptest! {
        #[test]
        fn only_the_nearest_float_is_taken(significand: u64, half in -600..400_i32, root: bool) {
            let value = Value::Finite(Real { significand: significand.into(), exponent: 2 * half, root, negative: false });
            for format in FORMATS {
                let bits = value.round(format);
                prop_assert!(nearest(&value, format, bits).is_ok());
                prop_assert!(nearest(&value, format, bits + 1).is_err());
                prop_assert!(bits == 0 || nearest(&value, format, bits - 1).is_err());
            }
        }
    }

    #[rstest]
    // Halfway between two f16: 2049 / 2048, whose neighbours are 1 and 1 + 2^-10.
    #[case::to_even(2049, -11, 0x3c00, true)]
    #[case::to_odd(2049, -11, 0x3c01, false)]
    #[case::to_even_above(2051, -11, 0x3c02, true)]
    #[case::to_infinity(4095, 4, 0x7c00, true)]
    #[case::to_the_greatest(4095, 4, 0x7bff, false)]
    fn on_a_middle_the_even_float_is_taken(
        #[case] significand: u32,
        #[case] exponent: i32,
        #[case] bits: u64,
        #[case] taken: bool,
    ) {
        let value =
            Value::Finite(Real { significand: significand.into(), exponent, root: false, negative: false });
        assert_eq!(nearest(&value, FloatFormat::F16, bits).is_ok(), taken);
    }
}
