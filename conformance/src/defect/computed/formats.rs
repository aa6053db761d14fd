//! Norms in f64, and the numbers of other formats, near enough to tell an arithmetic by.

use half::{bf16, f16};
use normative_reference::dtype::IntegerRange;
use normative_reference::{Finish, FloatFormat, Norm, Term};

/// Returns the norm and the sum that it is made of, or a signed sum and that of its magnitudes; `None` if an element is
/// infinite or NaN.
pub(super) fn norm_of(norm: Norm, elements: &[f64]) -> Option<(f64, f64)> {
    let greatest = elements.iter().fold(0.0_f64, |most, element| most.max(element.abs()));
    if !elements.iter().all(|element| element.is_finite()) {
        return None;
    }
    let power = i32::from(norm.order());
    Some(match norm.finish() {
        Finish::Nothing if norm.term() == Term::Element => {
            (elements.iter().sum(), elements.iter().map(|element| element.abs()).sum())
        }
        Finish::Nothing => {
            let sum = elements.iter().map(|element| element.abs().powi(power)).sum();
            (sum, sum)
        }
        Finish::Root if greatest == 0.0 => (0.0, 0.0),
        Finish::Root => {
            let scaled: f64 = elements.iter().map(|element| (element / greatest).powi(power)).sum();
            let norm = scaled.sqrt() * greatest;
            (norm, norm * norm)
        }
    })
}

/// Returns the greatest number of a format.
pub(super) fn greatest(format: FloatFormat) -> f64 {
    (2.0 - (1.0 - f64::from(format.precision)).exp2()) * f64::from(format.max_exponent).exp2()
}

/// Returns the number of a format that is nearest to this one.
pub(super) fn round(number: f64, format: FloatFormat) -> f64 {
    match format {
        FloatFormat::F16 => f16::from_f64(number).to_f64(),
        FloatFormat::BF16 => bf16::from_f64(number).to_f64(),
        FloatFormat::F32 => f64::from(number as f32),
        _ => number,
    }
}

/// Returns the greatest integer of a type that a format holds.
pub(super) fn last(range: IntegerRange, format: FloatFormat) -> i128 {
    let beyond = (i128::BITS - range.max.leading_zeros()).saturating_sub(format.precision);
    range.max >> beyond << beyond
}
