//! Lists the ways to compute a norm of integers where the text is silent, and computes the results.
//!
//! An integer norm is exact, unless its type, or the type of an earlier step, cannot hold the result. No text
//! names the types of those steps. A sum of squares may be held in the type of the data, in a wider one, or
//! in a float format: each is a reading.

use std::borrow::Cow;

use num_bigint::BigUint;

use crate::dtype::{FloatFormat, IntegerRange, Magnitude};
use crate::question::{Question, Reading};
use crate::reader::{Reader, Ways};
use crate::real::Real;

/// One way to compute a norm of integers where a type cannot hold a step of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerArithmetic {
    /// A result beyond the type.
    pub overflow: Overflow,
    /// L2: true if the root is rounded to the nearest integer rather than truncated.
    pub nearest: bool,
    /// L2: the type of the sum of squares, where it cannot hold all of them; `None` where the sum is exact.
    pub held: Option<Held>,
    /// L2: the float format of the root, and, where `held` is `None`, of elements, squares and sums; `None` where all are exact.
    pub through: Option<FloatFormat>,
}

/// An integer result beyond its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Modulo 2^width.
    Wrap,
    /// The nearest value of the type: the greatest, or the least of a sum below zero.
    Saturate,
    /// The call is refused.
    Reject,
    /// The result of x86 where it converts a float beyond the type ([`IntegerRange::indefinite`]).
    Indefinite,
}

/// The integer type of a sum of squares, where it cannot hold all sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The numbers that the type holds.
    pub range: IntegerRange,
    /// The value of a sum beyond that.
    pub beyond: Beyond,
    /// True if the root of a negative sum is [`IntegerRange::indefinite`]; otherwise it is 0.
    pub indefinite: bool,
}

/// The value of a sum of squares beyond the type that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// It is taken modulo 2^width.
    Wraps,
    /// It stops at the greatest value.
    Saturates,
    /// Each square is taken modulo 2^width, and their sum is exact.
    SquaresWrap,
}

/// A sum of squares in the type that holds it.
pub(crate) enum HeldSum<'a> {
    /// A sum of 0 or more, which has a root.
    Positive(Cow<'a, BigUint>),
    /// A sum that wrapped below zero.
    Negative,
}

/// The arithmetic where nothing can overflow, and therefore nothing is asked.
pub(crate) const PLAIN: IntegerArithmetic =
    IntegerArithmetic { overflow: Overflow::Wrap, nearest: false, held: None, through: None };

/// Asks how the sum of `terms` elements, magnitudes or squares, none above `greatest`, is computed.
pub(crate) fn settle_sum(
    range: IntegerRange,
    greatest: u128,
    terms: usize,
    reader: &mut Reader,
) -> IntegerArithmetic {
    let overflows = greatest.saturating_mul(terms as u128) > range.max.unsigned_abs();
    IntegerArithmetic { overflow: settle_overflow(overflows, range, reader), ..PLAIN }
}

/// Asks how the root of the sum of `terms` squares is computed; no root of a square is above `greatest`.
pub(crate) fn settle_root(
    range: IntegerRange,
    greatest: u128,
    terms: usize,
    reader: &mut Reader,
) -> IntegerArithmetic {
    let max = range.max.unsigned_abs();
    // An upper bound of every sum of squares.
    let squares = (greatest * greatest).saturating_mul(terms as u128);
    if squares == 0 {
        return PLAIN;
    }
    // Asked of every norm but 0. Where the root is an integer, both readings expect the same.
    let nearest = reader.read(&NEAREST);
    let held = if squares > max { settle_held(range, greatest, squares, reader) } else { None };
    let most = match held {
        Some(Held { range, beyond: Beyond::Wraps | Beyond::Saturates, .. }) => range.max.unsigned_abs(),
        Some(Held { beyond: Beyond::SquaresWrap, .. }) | None => squares,
    };
    let through = if most >= exact_below(FloatFormat::F32) { reader.read(&THROUGH) } else { None };
    let through = through.filter(|&format| most >= exact_below(format));
    // The root of at most max^2 is at most max. In a float format it may be rounded beyond that: the error
    // bound of a sum stays below a factor of four, so 16 leaves enough room.
    let room = max.saturating_mul(max) / if through.is_some() { 16 } else { 1 };
    let overflow = settle_overflow(most > room, range, reader);
    IntegerArithmetic { overflow, nearest, held, through }
}

/// Returns the limit below which sums of squares, and their truncated and rounded roots, are exact: 2^(p - 2) for p
/// digits, p even. The root of a sum other than k^2 is more than 1/(2k + 1) from k, and more than 1/(8k + 5) from k +
/// 1/2. Rounding moves a root below 2^j by 2^(j - 1 - p) at most, which is less for 2j <= p - 2 and k < 2^j.
const fn exact_below(format: FloatFormat) -> u128 {
    1 << ((format.precision - 2) & !1)
}

/// Asks for the type of a sum of squares that may exceed the type of the data; `None` where the type holds the sum.
fn settle_held(range: IntegerRange, greatest: u128, squares: u128, reader: &mut Reader) -> Option<Held> {
    let in_type = reader.read(&INTERMEDIATE);
    let width = if in_type.is_some() { range.width() } else { wider(range.width(), squares)? };
    let signed_max = IntegerRange::of_width(width, true).max.unsigned_abs();
    let beyond = match in_type {
        None if squares > signed_max => reader.read(&WIDER)?,
        beyond => beyond?,
    };
    // The greatest value that is held at one time.
    let most = if beyond == Beyond::SquaresWrap { greatest * greatest } else { squares };
    // The sign of the data's type is known, that of a wider type is not. A sum that saturates is never negative.
    let open = most > signed_max && (in_type.is_none() || (range.is_signed() && beyond != Beyond::Saturates));
    let (signed, indefinite) = match open {
        false => (range.is_signed(), false),
        true if range.indefinite() == 0 => reader.read_without(&NEGATIVE, Reading::Indefinite),
        true => reader.read(&NEGATIVE),
    };
    let held = IntegerRange::of_width(width, signed);
    (most > held.max.unsigned_abs()).then_some(Held { range: held, beyond, indefinite })
}

/// Returns the width of the wider type: twice this width, and 32 bits for bytes whose squares may exceed even 16.
/// That takes more than 2^15 bytes. `None` above 64 bits: no processor adds in a wider type, so a wider sum is exact.
fn wider(width: u32, squares: u128) -> Option<u32> {
    match width {
        8 if squares > i32::MAX as u128 => Some(32),
        8 | 16 | 32 => Some(2 * width),
        _ => None,
    }
}

fn settle_overflow(may_overflow: bool, range: IntegerRange, reader: &mut Reader) -> Overflow {
    if !may_overflow {
        return Overflow::Wrap;
    }
    // Narrower types, and u32, are converted through a wider integer and then cut: that wraps.
    let converts = range.width() == 64 || (range.width() == 32 && range.is_signed());
    if converts { reader.read(&OVERFLOW) } else { reader.read_without(&OVERFLOW, Reading::Indefinite) }
}

const OVERFLOW: Ways<Overflow> = Ways::of(
    Question::IntegerOverflow,
    &[
        (Reading::Wrap, Overflow::Wrap),
        (Reading::Saturate, Overflow::Saturate),
        (Reading::Reject, Overflow::Reject),
        (Reading::Indefinite, Overflow::Indefinite),
    ],
);

/// True if the root is rounded to nearest.
const NEAREST: Ways<bool> =
    Ways::of(Question::IntegerL2Rounding, &[(Reading::Truncate, false), (Reading::Nearest, true)]);

const INTERMEDIATE: Ways<Option<Beyond>> = held_ways(Question::IntegerL2Intermediate);
const WIDER: Ways<Option<Beyond>> = held_ways(Question::IntegerL2Wider);

/// Returns the readings of either question about the type of a sum of squares.
const fn held_ways(question: Question) -> Ways<Option<Beyond>> {
    let each = &[
        (Reading::Exact, None),
        (Reading::Wraps, Some(Beyond::Wraps)),
        (Reading::Saturates, Some(Beyond::Saturates)),
        (Reading::SquaresWrap, Some(Beyond::SquaresWrap)),
    ];
    Ways::of(question, each)
}

/// Two flags: the sum has a sign; the root of a negative sum is indefinite.
const NEGATIVE: Ways<(bool, bool)> = Ways::of(
    Question::IntegerL2Negative,
    &[
        (Reading::Zero, (true, false)),
        (Reading::Indefinite, (true, true)),
        (Reading::Unsigned, (false, false)),
    ],
);

/// The float format that the sum and its root pass through.
const THROUGH: Ways<Option<FloatFormat>> = Ways::of(
    Question::IntegerL2Precision,
    &[
        (Reading::Exact, None),
        (Reading::Double, Some(FloatFormat::F64)),
        (Reading::Single, Some(FloatFormat::F32)),
    ],
);

impl Held {
    /// Returns the exact sum as this type holds it. For `SquaresWrap` the squares have wrapped already.
    pub(crate) fn sum(self, exact: Cow<'_, BigUint>) -> HeldSum<'_> {
        match self.beyond {
            Beyond::Saturates => {
                let greatest = Cow::Owned(self.range.max.unsigned_abs().into());
                HeldSum::Positive(exact.min(greatest))
            }
            Beyond::Wraps => HeldSum::of(wrapped(&exact, self.range)),
            Beyond::SquaresWrap => HeldSum::Positive(exact),
        }
    }
}

impl HeldSum<'_> {
    pub(crate) fn of(sum: i128) -> Self {
        u128::try_from(sum).map_or(Self::Negative, |sum| Self::Positive(Cow::Owned(sum.into())))
    }
}

impl IntegerArithmetic {
    /// Returns the rounded root of a sum of squares. A float format rounds the sum, then the root.
    pub(crate) fn root(self, sum: &BigUint) -> BigUint {
        let (root, up) = match self.through {
            // (root + 1/2)² = root² + root + 1/4, so above root² + root the next integer is nearer.
            None => {
                let root = sum.sqrt();
                let up = self.nearest && *sum > &root * &root + &root;
                (root, up)
            }
            Some(format) => root_in(format, sum),
        };
        root + u8::from(self.nearest && up)
    }

    /// Converts a result of this magnitude to the type; `None` where the reading refuses the call.
    pub(crate) fn fit(self, magnitude: &BigUint, negative: bool, range: IntegerRange) -> Option<i128> {
        let end = if negative { range.min } else { range.max };
        // No type is wider than 64 bits, so the lowest digit is enough.
        let low = magnitude.iter_u64_digits().next().unwrap_or(0);
        let wrapped = range.decode(if negative { low.wrapping_neg() } else { low });
        if u128::try_from(magnitude).is_ok_and(|magnitude| magnitude <= end.unsigned_abs()) {
            return Some(wrapped);
        }
        match self.overflow {
            Overflow::Wrap => Some(wrapped),
            Overflow::Saturate => Some(end),
            Overflow::Reject => None,
            Overflow::Indefinite => Some(range.indefinite()),
        }
    }
}

/// Returns the integer part of a root computed in a float format, and true if its fraction is one half or
/// more. Sum and root are each rounded; a value beyond the format counts as `2^(max_exponent + 1)`.
fn root_in(format: FloatFormat, sum: &BigUint) -> (BigUint, bool) {
    let rounded = |real: &Real| match format.magnitude(real.round(format)) {
        Magnitude::Finite { significand, exponent } => (BigUint::from(significand), exponent),
        Magnitude::Infinite | Magnitude::Nan => (BigUint::from(1_u8), format.max_exponent + 1),
    };
    let (significand, exponent) = rounded(&Real { significand: sum.clone(), ..Real::zero() });
    // A root needs an even exponent.
    let odd = exponent.rem_euclid(2);
    let (root, exponent) = rounded(&Real {
        significand: significand << odd,
        exponent: exponent - odd,
        root: true,
        ..Real::zero()
    });
    let half = u64::from(exponent.unsigned_abs()).checked_sub(1).filter(|_| exponent < 0);
    let up = half.is_some_and(|half| root.bit(half));
    (if exponent >= 0 { root << exponent } else { root >> exponent.unsigned_abs() }, up)
}

/// Returns the value of the type that is congruent to `value` modulo 2^width.
fn wrapped(value: &BigUint, range: IntegerRange) -> i128 {
    // No type is wider than 64 bits, so the lowest digit is enough.
    range.decode(value.iter_u64_digits().next().unwrap_or(0))
}
