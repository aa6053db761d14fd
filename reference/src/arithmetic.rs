//! Lists the formats in which a norm of floats may be computed where the text is silent (integers:
//! `integer.rs`).
//!
//! `settle` does not compute the norm. From the greatest and smallest magnitude (`Census`) and the number of
//! terms it tells where a difference *could* show. So a question may change nothing.

use crate::call::Call;
use crate::dtype::{Dtype, FloatFormat, Kind, Magnitude};
use crate::integer;
pub use crate::integer::{Beyond, Held, IntegerArithmetic, Overflow};
use crate::question::{Question, Reading};
use crate::reader::{Reader, Ways};
use crate::reduction::{Elements, Reduction};
use crate::spec::{Finish, Norm, Term};
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

/// One way to compute a norm of floats: a chain of steps, each rounded to nearest in its own format. With
/// [`Range::Scaled`] no square, and no sum of squares, leaves the range of its format.
///
/// The terms are added in any order. `judge::accuracy` of `normative-conformance` bounds the error around the
/// exact norm ([`Near::values`](crate::Near::values)) by the number of roundings.
///
/// Squares are taken in `squares`, and terms added in `sums`. A sum that has a root is rounded to `root`, and the
/// root is taken there. The last step converts to the output's type, rounding by `narrowing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatArithmetic {
    /// The format of each square; of the sums, if nothing is squared.
    pub squares: FloatFormat,
    /// The format of the sum, and of every partial sum.
    pub sums: FloatFormat,
    /// The format to which the sum is rounded, and of its root; that of the sums, if there is no root.
    pub root: FloatFormat,
    /// The result where squares leave their range. `Scaled` if nothing is squared, `Naive` if no root is taken.
    pub range: Range,
    /// The treatment of subnormal numbers.
    pub subnormals: Subnormals,
    /// The rounding to a narrower output type.
    pub narrowing: Narrowing,
    /// True if the norm of data with a NaN and an infinity is infinity.
    pub infinity_over_nan: bool,
}

/// The two ways in which an arithmetic changes the exact values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Subnormal elements count as zero.
    pub flush_subnormals: bool,
    /// An infinity wins over a NaN.
    pub infinity_over_nan: bool,
}

impl Variant {
    /// Returns the changes that this arithmetic makes to the values.
    pub fn of(arithmetic: FloatArithmetic) -> Self {
        let FloatArithmetic { subnormals, infinity_over_nan, .. } = arithmetic;
        Self { flush_subnormals: subnormals == Subnormals::Flushed, infinity_over_nan }
    }
}

impl FloatArithmetic {
    /// Returns an arithmetic in which every step has this format.
    pub(crate) const fn of_format(format: FloatFormat) -> Self {
        Self {
            squares: format,
            sums: format,
            root: format,
            range: Range::Scaled,
            subnormals: Subnormals::Kept,
            narrowing: Narrowing::Nearest,
            infinity_over_nan: false,
        }
    }

    /// Returns the format with the fewest digits of all steps.
    pub fn coarsest(&self) -> FloatFormat {
        coarsest([self.squares, self.sums, self.root])
    }
}

fn coarsest(steps: [FloatFormat; 3]) -> FloatFormat {
    let [first, second, third] = steps;
    let of_two = |a: FloatFormat, b: FloatFormat| if b.precision < a.precision { b } else { a };
    of_two(of_two(first, second), third)
}

/// The result of an L2 norm whose squares, or their sum, overflow or underflow in `squares`, `sums` or
/// `root`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// The norm is right: elements are scaled before they are squared, or combined by `hypot`.
    Scaled,
    /// The norm is right where squares overflow, because it is computed again with scaling. Where all squares
    /// underflow to 0, it is right or 0. Elsewhere squares may underflow.
    Rescued,
    /// The norm is infinite where the sum of squares overflows, and squares may underflow.
    Naive,
}

/// The treatment of subnormal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subnormals {
    /// They keep their value.
    Kept,
    /// Zero, as elements and as results of any step.
    Flushed,
    /// Elements keep their value; subnormal results of any step may be zero.
    ResultsFlushed,
}

/// The rounding to a narrower type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrowing {
    /// To the nearest float.
    Nearest,
    /// To the next float towards zero.
    TowardZero,
}

/// The facts about the data that decide which arithmetic questions are asked.
pub(crate) struct Census {
    /// Greatest finite magnitude, as `(floor log2, significand)`. Floats use the log2, integers the
    /// significand. `None` if no element is finite and nonzero.
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

/// Asks every question that `call` leaves open about computing `reduction`.
pub(crate) fn settle(call: &Call, reduction: &Reduction, census: &Census, reader: &mut Reader) -> Arithmetic {
    // BLAS reads only some elements of its data. The others raise no question.
    let of_vector = match reduction.elements {
        Elements::All => None,
        Elements::Spaced { .. } => Some(Census::of(&reduction.operand(&call.data))),
    };
    let census = of_vector.as_ref().unwrap_or(census);
    let scene = Scene { call, norm: reduction.norm, terms: reduction.terms(call.data.shape()), census };
    match (call.data.dtype().kind(), reduction.norm) {
        (Kind::Float(format), _) => Arithmetic::Float(settle_float(&scene, format, reader)),
        (Kind::Integer(range), norm) => {
            let greatest = census.greatest.map_or(0, |(_, greatest)| u128::from(greatest));
            let term = match norm.term() {
                Term::Magnitude | Term::Element => greatest,
                Term::Square => greatest * greatest,
            };
            Arithmetic::Integer(match norm.finish() {
                Finish::Nothing => integer::settle_sum(range, term, scene.terms, reader),
                Finish::Root => integer::settle_root(range, greatest, scene.terms, reader),
            })
        }
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
    let [squares, sums, root] = settle_widths(scene, format, wide, reader);
    // Readings that mix formats do not scale: neither does the function body that casts its sum to f32. With one format
    // for all steps, the question is asked.
    let narrowest = coarsest([squares, sums, root]);
    let range = match (norm.term(), norm.finish(), squares_leave(narrowest, terms, census)) {
        // Without a root, the result leaves its range where the squares do, so nothing is gained by scaling.
        (Term::Square, Finish::Nothing, _) => Range::Naive,
        (Term::Square, Finish::Root, leave) if [squares, sums, root] != [narrowest; 3] => {
            if leave != (false, false) {
                reader.imply(Question::FloatRange, Reading::Naive);
            }
            Range::Naive
        }
        (Term::Square, Finish::Root, _) if scene.call.spec().rules().range_is_stated => Range::Scaled,
        (Term::Magnitude | Term::Element, ..) | (Term::Square, Finish::Root, (false, false)) => Range::Scaled,
        (Term::Square, Finish::Root, (true, false)) => reader.read(&RANGES)[0],
        (Term::Square, Finish::Root, (_, true)) => reader.read(&RANGES)[1],
    };
    // Asked where an element is subnormal, where a square that is not scaled may be in one of the three formats, or
    // where terms may cancel down to their last digit.
    let highest_min_exponent = squares.min_exponent.max(sums.min_exponent).max(root.min_exponent);
    let digits = if norm.term() == Term::Element && terms >= 2 { format.precision as i32 - 1 } else { 0 };
    let subnormal = census.smallest.is_some_and(|log2| {
        log2 - digits < format.min_exponent || (range != Range::Scaled && 2 * log2 < highest_min_exponent)
    });
    let subnormals = if subnormal { reader.read(&SUBNORMALS) } else { Subnormals::Kept };
    // An infinity wins where the greatest element is looked for, which no sum with signs does.
    let both = terms >= 2
        && census.nan
        && census.infinite
        && norm.term() != Term::Element
        && !scene.call.spec().rules().nan_is_stated;
    let infinity_over_nan = both && reader.read(&INFINITY_OVER_NAN);
    // The norm of one element is a number of its type, so nothing is left to round. The exceptions are a square,
    // and a square that was rounded to that type: its root may be another number.
    let one_rounds = match (norm.term(), norm.finish()) {
        (Term::Magnitude | Term::Element, _) => false,
        (Term::Square, Finish::Nothing) => true,
        (Term::Square, Finish::Root) => squares == format,
    };
    let rounds = terms >= 2 || terms == 1 && one_rounds;
    let narrows = root.precision > format.precision && rounds && census.greatest.is_some();
    let narrowing = if narrows { reader.read(&NARROWING) } else { Narrowing::Nearest };
    FloatArithmetic { squares, sums, root, range, subnormals, narrowing, infinity_over_nan }
}

/// Asks for the formats of squares, sum and root.
fn settle_widths(
    scene: &Scene<'_>,
    format: FloatFormat,
    wide: FloatFormat,
    reader: &mut Reader,
) -> [FloatFormat; 3] {
    let Scene { call, norm, terms, census } = *scene;
    // Every element is zero, infinite or NaN: no step rounds.
    if census.greatest.is_none() {
        return [wide; 3];
    }
    let (halves, rounds) = match (norm.term(), norm.finish()) {
        (Term::Magnitude | Term::Element, _) => (&HALVES_L1, terms >= 2),
        (Term::Square, Finish::Nothing) => (&HALVES_OF_SQUARES, terms >= 1),
        (Term::Square, Finish::Root) => (&HALVES_L2, terms >= 1),
    };
    // 16-bit floats.
    if wide != format && rounds {
        return reader.read(halves).map(|in_type| if in_type { format } else { wide });
    }
    let casts = call.data.dtype() == Dtype::F64 && call.spec().rules().casts_to_f32;
    let root = if casts && reader.read(&CASTS_THE_SUM) { FloatFormat::F32 } else { wide };
    [wide, wide, root]
}

/// True for squares, sum or root of 16-bit floats that is held in their type, not in f32.
const HALVES_L2: Ways<[bool; 3]> = Ways::of(
    Question::HalfAccumulation,
    &[
        (Reading::Wide, [false, false, false]),
        (Reading::SquaresInType, [true, false, false]),
        (Reading::ByOperator, [true, false, true]),
        (Reading::InType, [true, true, true]),
    ],
);

/// The same for L1 and Sum, which square nothing, so that its first three readings are equal. All four are listed,
/// so that a user can demand one reading of L1 and L2 together. The judge merges equal readings.
const HALVES_L1: Ways<[bool; 3]> = Ways::of(
    Question::HalfAccumulation,
    &[
        (Reading::Wide, [false; 3]),
        (Reading::SquaresInType, [false; 3]),
        (Reading::ByOperator, [false; 3]),
        (Reading::InType, [true; 3]),
    ],
);

/// The same for a sum of squares, which has no root: what `by-operator` rounds after the sum is the output.
const HALVES_OF_SQUARES: Ways<[bool; 3]> = Ways::of(
    Question::HalfAccumulation,
    &[
        (Reading::Wide, [false; 3]),
        (Reading::SquaresInType, [true, false, false]),
        (Reading::ByOperator, [true, false, false]),
        (Reading::InType, [true; 3]),
    ],
);

/// True if the sum of squares of f64 is cast to f32.
const CASTS_THE_SUM: Ways<bool> =
    Ways::of(Question::F64Precision, &[(Reading::Double, false), (Reading::Single, true)]);

/// Each reading as two ranges: the first where squares can only overflow, the second where they may
/// underflow. Where they can only overflow, *rescued* gives the same results as scaling.
const RANGES: Ways<[Range; 2]> = Ways::of(
    Question::FloatRange,
    &[
        //                 only overflow, underflow
        (Reading::Scaled, [Range::Scaled, Range::Scaled]),
        (Reading::Rescued, [Range::Scaled, Range::Rescued]),
        (Reading::Naive, [Range::Naive, Range::Naive]),
    ],
);

const SUBNORMALS: Ways<Subnormals> = Ways::of(
    Question::Subnormals,
    &[
        (Reading::Kept, Subnormals::Kept),
        (Reading::Flushed, Subnormals::Flushed),
        (Reading::ResultsFlushed, Subnormals::ResultsFlushed),
    ],
);

const INFINITY_OVER_NAN: Ways<bool> =
    Ways::of(Question::NanWithInfinity, &[(Reading::Nan, false), (Reading::Inf, true)]);

const NARROWING: Ways<Narrowing> = Ways::of(
    Question::ResultRounding,
    &[(Reading::Nearest, Narrowing::Nearest), (Reading::TowardZero, Narrowing::TowardZero)],
);

/// Returns two flags: a square or a sum of squares may overflow; a square may be so small that `format` loses
/// digits.
fn squares_leave(format: FloatFormat, terms: usize, census: &Census) -> (bool, bool) {
    // Fewer than 2^growth terms, each below 2^(2 (log2 + 1)), add up to less than 2^(2 (log2 + 1) + growth).
    // Every finite number is below 2^(max_exponent + 1), and sums overflow near that. The bound here leaves a
    // factor of two for roundings.
    let growth = terms.max(1).ilog2() as i32 + 1;
    let over = census.greatest.is_some_and(|(log2, _)| 2 * (log2 + 1) + growth > format.max_exponent);
    // A square of 2^min_exponent or more is normal, and rounds like any other. The question is also asked for
    // squares of up to 2^precision times that, because their last digits, before rounding, are subnormal.
    let under = census.smallest.is_some_and(|log2| 2 * log2 < format.min_exponent + format.precision as i32);
    (over, under)
}
