//! Fills tensors of a given type and shape: elements as a model meets them, and elements at the ends of the type.
//!
//! Every element depends only on its place, so that a tensor can be made again. No element needs a norm that its type
//! cannot hold, unless it is [special](Contents::Special).

use normative_reference::dtype::IntegerRange;
use normative_reference::{Dtype, Finish, FloatFormat, Kind, Norm, Tensor, TensorError, Term};

use super::values::{narrowed, signed};
use crate::random::splitmix64;

/// The elements of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Between -8 and 8, as activations are; integers between -100 and 100.
    Usual,
    /// So great that the norm is still in the range of the type; squares and sums of squares may not be.
    Great,
    /// Around the least normal float.
    Small,
    /// As usual, but the first element is a NaN and the last an infinity; of integers, the greatest and the least.
    Special,
}

impl Contents {
    /// Returns those that a type can have.
    pub const fn of(dtype: Dtype) -> &'static [Self] {
        match dtype.kind() {
            Kind::Float(_) => &[Self::Usual, Self::Great, Self::Small, Self::Special],
            Kind::Integer(_) => &[Self::Usual, Self::Great, Self::Special],
        }
    }

    /// Returns its word in the names of calls.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Usual => "usual",
            Self::Great => "great",
            Self::Small => "small",
            Self::Special => "special",
        }
    }
}

/// Returns a tensor whose elements are reduced in rows of `terms` elements.
///
/// # Errors
/// [`TensorError`] if the shape has more elements than tensors may have.
pub fn filled(
    dtype: Dtype,
    shape: &[usize],
    norm: Norm,
    terms: usize,
    contents: Contents,
) -> Result<Tensor, TensorError> {
    let count = shape.iter().try_fold(1_usize, |count, &dim| count.checked_mul(dim)).unwrap_or(usize::MAX);
    // A shape that is too large is refused before its elements are made.
    let count = if count > normative_reference::MAX_ELEMENTS { 0 } else { count };
    let element = |at: usize| {
        let drawn = splitmix64(0, at as u64);
        match dtype.kind() {
            Kind::Float(format) => float(format, norm, terms, contents, (at, count), drawn),
            Kind::Integer(range) => range.encode(integer(range, norm, terms, contents, (at, count), drawn)),
        }
    };
    Tensor::from_bits(dtype, shape, &(0..count).map(element).collect::<Vec<_>>())
}

fn float(
    format: FloatFormat,
    norm: Norm,
    terms: usize,
    contents: Contents,
    (at, count): (usize, usize),
    drawn: u64,
) -> u64 {
    // From 1/256 to 1 in steps of 1/256.
    let share = ((drawn >> 8 & 0xff) + 1) as f64 / 256.0;
    let magnitude = match contents {
        Contents::Special if at == 0 => return format.nan(),
        Contents::Special if at + 1 == count => return signed(format, true, format.infinity()),
        Contents::Usual | Contents::Special => 8.0 * share,
        Contents::Great => share * greatest_element(f64::from(format.max_exponent).exp2(), norm, terms),
        Contents::Small => 2.0 * share * f64::from(format.min_exponent).exp2(),
    };
    signed(format, drawn & 1 == 1, narrowed(format, magnitude))
}

fn integer(
    range: IntegerRange,
    norm: Norm,
    terms: usize,
    contents: Contents,
    (at, count): (usize, usize),
    drawn: u64,
) -> i128 {
    let most = match contents {
        Contents::Special if at == 0 => return range.max,
        Contents::Special if at + 1 == count => return range.min,
        Contents::Usual | Contents::Small | Contents::Special => range.max.min(100),
        // Half as much, because a float is not exact.
        Contents::Great => (greatest_element(range.max as f64, norm, terms) / 2.0).max(1.0) as i128,
    };
    let magnitude = i128::from(drawn >> 8) % (most + 1);
    if drawn & 1 == 1 && range.min < 0 { -magnitude } else { magnitude }
}

/// Returns the magnitude that all of `terms` elements may have, for a norm of at most `limit`.
fn greatest_element(limit: f64, norm: Norm, terms: usize) -> f64 {
    let terms = (terms as f64).max(1.0);
    match (norm.term(), norm.finish()) {
        (Term::Magnitude | Term::Element, Finish::Nothing | Finish::Root) => limit / terms,
        (Term::Square, Finish::Root) => limit / terms.sqrt(),
        (Term::Square, Finish::Nothing) => (limit / terms).sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use normative_reference::{Axes, Call, Expected, Outcome, Question, Spec, expect, rule};

    /// Every result is finite and not 0, and no result of integers leaves the type.
    #[test]
    fn great_and_small_elements_have_a_norm_that_their_type_holds() {
        for spec in Spec::ALL.into_iter().filter(|spec| matches!(spec, Spec::Onnx(..))) {
            for &dtype in spec.rules().dtypes {
                for contents in Contents::of(dtype).iter().filter(|one| **one != Contents::Special) {
                    let data = filled(dtype, &[3, 1000], spec.norm(), 1000, *contents).unwrap();
                    let call = Call::new(spec.operator(), data, Axes::list(&[1]));
                    let ruling = rule(&call);
                    let Outcome::Reduce(..) = &ruling.alternatives[0].outcome else { panic!("{ruling:?}") };
                    match expect(&call, &ruling.alternatives[0].outcome).unwrap() {
                        Expected::Near(near) => {
                            let Kind::Float(format) = dtype.kind() else { panic!("{dtype}") };
                            for value in
                                near.rounded().unwrap().bits().into_iter().map(|bits| bits & !format.sign())
                            {
                                let lost = spec.norm() == Norm::SumSquare && *contents == Contents::Small;
                                assert!(
                                    value < format.infinity() && (lost || value > 0),
                                    "{spec} {dtype} {contents:?}"
                                );
                            }
                        }
                        Expected::Converted(_) | Expected::Exactly(_) => {
                            // Before a root, sums of squares may leave the type.
                            let leaves = ruling.questions().contains(&Question::IntegerOverflow);
                            let roots = spec.norm().finish() == Finish::Root;
                            assert!(roots || !leaves, "{spec} {dtype} {contents:?}");
                        }
                        other => panic!("{spec} {dtype} {contents:?}: {other:?}"),
                    }
                }
            }
        }
    }

    #[test]
    fn a_shape_without_room_is_refused() {
        assert!(filled(Dtype::U8, &[usize::MAX, 2], Norm::L1, 2, Contents::Usual).is_err());
        assert_eq!(filled(Dtype::F32, &[0, 2], Norm::L1, 2, Contents::Special).unwrap().len(), 0);
    }
}
