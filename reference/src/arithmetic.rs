//! How a norm may be computed where no text says: widths, ranges, overflow, rounding of integers.
//!
//! `settle` asks only what the data can show. It looks at the data once, as a `Census` of
//! extremes, and errs on the side of asking: a question that turns out to make no difference to a
//! call leaves equal expectations behind, and equal expectations are one.

use crate::call::Call;
use crate::dtype::{Dtype, FloatFormat, IntegerRange, Kind, Magnitude};
use crate::question::{Question, Reading};
use crate::reader::Reader;
use crate::reduction::Reduction;
use crate::spec::Norm;
use crate::tensor::{Element, Tensor};
use crate::with_array;

/// Everything a reading may fix about computing a norm beyond the formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// For float data.
    Float(FloatArithmetic),
    /// For integer data.
    Integer(IntegerArithmetic),
}

/// How a norm of floats may be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatArithmetic {
    /// The format in which sums are held (and, for L2, squared and rooted).
    pub accumulation: FloatFormat,
    /// Whether squares may overflow or underflow in that format.
    pub naive_squares: bool,
    /// Whether subnormal elements, and squares that come out subnormal, are zeros.
    pub flush_subnormals: bool,
    /// Whether an infinity wins over a NaN.
    pub infinity_over_nan: bool,
}

/// How a norm of integers that its type cannot hold is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerArithmetic {
    /// A result beyond the type.
    pub overflow: Overflow,
    /// L2: whether the root is rounded to the nearest integer rather than truncated.
    pub nearest: bool,
    /// L2: the sum of squares beyond the type; `None` where it is held exactly.
    pub intermediate: Option<Intermediate>,
    /// L2: the sum of squares and its root are rounded to f32, and the root is truncated.
    pub single: bool,
}

/// An integer result beyond its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Modulo 2^width.
    Wrap,
    /// The greatest value.
    Saturate,
    /// The call is refused.
    Reject,
}

/// A sum of squares held in the data's own integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intermediate {
    /// Modulo 2^width; where that is negative, the root is 0.
    WrapsThenZero,
    /// Modulo 2^width; where that is negative, the root is the type's minimum.
    WrapsThenMinimum,
    /// The greatest value.
    Saturates,
}

/// What arithmetic questions need to know of the data.
pub(crate) struct Census {
    /// Greatest finite magnitude, as `(floor log2, significand)`; `None` if all are zero.
    greatest: Option<(i32, u64)>,
    /// floor log2 of the smallest nonzero finite magnitude.
    smallest: Option<i32>,
    nan: bool,
    infinite: bool,
}

impl Census {
    pub(crate) fn of(data: &Tensor) -> Self {
        with_array!(data, array => Self::of_magnitudes(array.iter().map(|x| data.dtype().magnitude(x.to_u64()))))
    }

    fn of_magnitudes(magnitudes: impl Iterator<Item = Magnitude>) -> Self {
        let mut census = Self { greatest: None, smallest: None, nan: false, infinite: false };
        for magnitude in magnitudes {
            match magnitude {
                Magnitude::Nan => census.nan = true,
                Magnitude::Infinite => census.infinite = true,
                Magnitude::Finite { significand: 0, .. } => {}
                Magnitude::Finite { significand, exponent } => {
                    let log2 = exponent + significand.ilog2() as i32;
                    census.greatest = census.greatest.max(Some((log2, significand)));
                    census.smallest = Some(census.smallest.map_or(log2, |smallest| smallest.min(log2)));
                }
            }
        }
        census
    }
}

/// Asks what `call` leaves open about computing `reduction`.
pub(crate) fn settle(call: &Call, reduction: &Reduction, census: &Census, reader: &mut Reader) -> Arithmetic {
    let scene = Scene { call, norm: reduction.norm, terms: reduction.terms(call.data.shape()), census };
    match (call.data.dtype().kind(), reduction.norm) {
        (Kind::Float(format), _) => Arithmetic::Float(settle_float(&scene, format, reader)),
        (Kind::Integer(range), Norm::L1) => Arithmetic::Integer(settle_integer_l1(&scene, range, reader)),
        (Kind::Integer(range), Norm::L2) => Arithmetic::Integer(settle_integer_l2(&scene, range, reader)),
    }
}

struct Scene<'a> {
    call: &'a Call,
    norm: Norm,
    terms: usize,
    census: &'a Census,
}

fn settle_float(scene: &Scene<'_>, format: FloatFormat, reader: &mut Reader) -> FloatArithmetic {
    let Scene { norm, terms, census, .. } = *scene;
    let wide = if format.precision < FloatFormat::F32.precision { FloatFormat::F32 } else { format };
    let mut accumulation = wide;
    let mut naive_squares = false;
    let rounds = match norm {
        Norm::L1 => terms >= 2,
        Norm::L2 => terms >= 1,
    };
    if wide != format && rounds && census.greatest.is_some() {
        let in_type = reader.ask(Question::HalfAccumulation) == Reading::InType;
        // Whoever squares and sums in the type squares without scaling: no implementation pays for
        // scaling and not for width.
        (accumulation, naive_squares) = if in_type { (format, true) } else { (wide, false) };
    }
    if norm == Norm::L2
        && scene.call.data.dtype() == Dtype::F64
        && scene.call.spec().rules().casts_to_f32
        && census.greatest.is_some()
    {
        let single = reader.ask(Question::F64Precision) == Reading::Single;
        (accumulation, naive_squares) = if single { (FloatFormat::F32, true) } else { (wide, false) };
    }
    if norm == Norm::L2 && squares_leave(wide, terms, census) {
        if naive_squares {
            reader.imply(Question::FloatRange, Reading::Naive);
        } else {
            naive_squares = reader.ask(Question::FloatRange) == Reading::Naive;
        }
    }
    let naive_squares = naive_squares && norm == Norm::L2;
    let subnormal = census.smallest.is_some_and(|log2| {
        log2 < format.min_exponent || (naive_squares && 2 * log2 < accumulation.min_exponent)
    });
    FloatArithmetic {
        accumulation,
        naive_squares,
        flush_subnormals: subnormal && reader.ask(Question::Subnormals) == Reading::Flushed,
        infinity_over_nan: norm == Norm::L2
            && terms >= 2
            && census.nan
            && census.infinite
            && reader.ask(Question::NanWithInfinity) == Reading::Inf,
    }
}

/// Whether a square, or a sum of squares, may leave the range in which `format` is fully precise.
fn squares_leave(format: FloatFormat, terms: usize, census: &Census) -> bool {
    let growth = terms.max(1).ilog2() as i32 + 1;
    let over = census.greatest.is_some_and(|(log2, _)| 2 * (log2 + 1) + growth > format.max_exponent);
    let under = census.smallest.is_some_and(|log2| 2 * log2 < format.min_exponent + format.precision as i32);
    over || under
}

/// What is settled where nothing is asked.
const PLAIN: IntegerArithmetic =
    IntegerArithmetic { overflow: Overflow::Wrap, nearest: false, intermediate: None, single: false };

fn settle_integer_l1(scene: &Scene<'_>, range: IntegerRange, reader: &mut Reader) -> IntegerArithmetic {
    let greatest = scene.census.greatest.map_or(0, |(_, greatest)| u128::from(greatest));
    let overflows = greatest.saturating_mul(scene.terms as u128) > range.max.unsigned_abs();
    IntegerArithmetic { overflow: settle_overflow(overflows, reader), ..PLAIN }
}

fn settle_integer_l2(scene: &Scene<'_>, range: IntegerRange, reader: &mut Reader) -> IntegerArithmetic {
    let max = range.max.unsigned_abs();
    let greatest = scene.census.greatest.map_or(0, |(_, greatest)| u128::from(greatest));
    // At least every sum of squares there is.
    let squares = (greatest * greatest).saturating_mul(scene.terms as u128);
    if squares == 0 {
        return PLAIN;
    }
    // Sums below 2^22 and their roots are exact in f32 as far as truncation can tell.
    let single = scene.call.spec().rules().casts_to_f32
        && squares >= 1 << 22
        && reader.ask(Question::IntegerL2Precision) == Reading::Single;
    // The root in f32 is cast back, which truncates.
    if single {
        reader.imply(Question::IntegerL2Rounding, Reading::Truncate);
    }
    let nearest = !single && reader.ask(Question::IntegerL2Rounding) == Reading::Nearest;
    let intermediate = if squares > max { settle_intermediate(range, reader) } else { None };
    // A root in f32 may be rounded beyond the type, where the exact one fits just so.
    let room = if single { max.saturating_mul(max) / 2 } else { max.saturating_mul(max) };
    let overflow = settle_overflow(intermediate.is_none() && squares > room, reader);
    IntegerArithmetic { overflow, nearest, intermediate, single }
}

fn settle_overflow(may_overflow: bool, reader: &mut Reader) -> Overflow {
    if !may_overflow {
        return Overflow::Wrap;
    }
    match reader.ask(Question::IntegerOverflow) {
        Reading::Saturate => Overflow::Saturate,
        Reading::Reject => Overflow::Reject,
        _ => Overflow::Wrap,
    }
}

fn settle_intermediate(range: IntegerRange, reader: &mut Reader) -> Option<Intermediate> {
    match reader.ask(Question::IntegerL2Intermediate) {
        Reading::Wraps if range.is_signed() => Some(match reader.ask(Question::WrappedNegativeRoot) {
            Reading::Minimum => Intermediate::WrapsThenMinimum,
            _ => Intermediate::WrapsThenZero,
        }),
        Reading::Wraps => Some(Intermediate::WrapsThenZero),
        Reading::Saturates => Some(Intermediate::Saturates),
        _ => None,
    }
}
