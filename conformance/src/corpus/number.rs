//! Reads the numbers of case files exactly.
//!
//! A YAML parser may round a number twice on its way into an `f32`, so none reads numbers: a number reaches
//! this module as text and leaves it as the bits of an element type, rounded once from the exact value, ties to
//! even. [The format](super) lists the spellings.

use num_bigint::BigUint;
use thiserror::Error;

use normative_reference::dtype::IntegerRange;
use normative_reference::real;
use normative_reference::{Dtype, FloatFormat, Kind};

/// The longest spelling read. The longest useful one is the halfway point below the smallest f64 in plain
/// decimals, with 1,078 characters.
pub const MAX_LENGTH: usize = 1200;

/// A power of ten and a power of two beyond which neither a number nor its square root is a finite nonzero
/// float: f64 ends at 2^±1075 and its squares at 2^±2150.
const EXTREME_TEN: i64 = 725;
const EXTREME_TWO: i64 = 2400;

/// The property that a spelling lacks. Messages say `expected`, this, and the spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NumberError {
    /// Not one of the spellings.
    #[error("a number")]
    Syntax,
    /// Longer than [`MAX_LENGTH`].
    #[error("at most {MAX_LENGTH} characters")]
    TooLong,
    /// Not an integer, for an integer type.
    #[error("an integer for {0}")]
    NotAnInteger(Dtype),
    /// Beyond an integer type, or finite and rounded to infinity.
    #[error("a number within {0}")]
    OutOfRange(Dtype),
    /// More bits than the type has.
    #[error("no more bits than {0} has")]
    TooManyBits(Dtype),
    /// A generated number that the type cannot hold exactly.
    #[error("a number that is exact in {0}")]
    Inexact(Dtype),
    /// A negative number, which has no real root.
    #[error("a radicand of 0 or more")]
    NegativeRadicand,
    /// A number without an integer root.
    #[error("the square of an integer for {0}")]
    NotASquare(Dtype),
}

/// Returns the bits of the number spelled `text`, correctly rounded to `dtype`.
///
/// # Errors
/// Returns [`NumberError`]. A finite number too great for a float is an error, because infinity has its own
/// spelling; one too small for it is a zero of its sign.
pub fn parse(text: &str, dtype: Dtype) -> Result<u64, NumberError> {
    if let Some(digits) = text.strip_prefix("bits:0x") {
        return raw_bits(digits, dtype);
    }
    match dtype.kind() {
        Kind::Float(format) => match float_name(text, format) {
            Some(bits) => Ok(bits),
            None => float(&Literal::read(text)?, format, dtype),
        },
        Kind::Integer(range) => match text {
            "min" => Ok(range.encode(range.min)),
            "max" => Ok(range.encode(range.max)),
            _ if float_name(text, FloatFormat::F64).is_some() => Err(NumberError::NotAnInteger(dtype)),
            _ => integer(&Literal::read(text)?, range, dtype),
        },
    }
}

/// Returns the bits of the square root of the non-negative number spelled `text` (decimal or hexadecimal),
/// correctly rounded to `dtype`.
///
/// # Errors
/// Returns [`NumberError`]; for an integer type also if the root is not an integer.
pub fn parse_root(text: &str, dtype: Dtype) -> Result<u64, NumberError> {
    let literal = Literal::read(text)?;
    if literal.negative {
        return Err(NumberError::NegativeRadicand);
    }
    match dtype.kind() {
        Kind::Float(format) => {
            let bits = match &literal.size {
                Size::Tiny => 0,
                Size::Huge => format.infinity(),
                Size::Exact(rational) => rational.round_root(format),
            };
            if bits == format.infinity() { Err(NumberError::OutOfRange(dtype)) } else { Ok(bits) }
        }
        Kind::Integer(range) => {
            let square = literal.whole(dtype)?;
            let root = square.sqrt();
            if &root * &root != *square {
                return Err(NumberError::NotASquare(dtype));
            }
            signed(false, &root, range, dtype)
        }
    }
}

/// Returns the bits of `integer · 2^scale`.
///
/// # Errors
/// Returns [`NumberError::Inexact`] if `dtype` does not hold exactly that number.
pub fn dyadic(integer: i64, scale: i32, dtype: Dtype) -> Result<u64, NumberError> {
    if integer == 0 {
        return Ok(0);
    }
    // For an odd number and its exponent, counting bits decides if it fits.
    let zeros = integer.trailing_zeros();
    let odd = integer >> zeros;
    let exponent = i64::from(scale) + i64::from(zeros);
    let bits = i64::from(u64::BITS - odd.unsigned_abs().leading_zeros());
    match dtype.kind() {
        Kind::Float(format) => {
            let fits = bits <= i64::from(format.precision)
                && exponent >= i64::from(format.quantum())
                && exponent + bits - 1 <= i64::from(format.max_exponent);
            if !fits {
                return Err(NumberError::Inexact(dtype));
            }
            let magnitude = real::round(format, &BigUint::from(odd.unsigned_abs()), exponent as i32, false);
            Ok(magnitude | if odd < 0 { format.sign() } else { 0 })
        }
        Kind::Integer(range) => {
            // 63 bits shifted by at most 63 fit 128.
            let value = (0..64).contains(&exponent).then(|| i128::from(odd) << exponent);
            match value {
                Some(value) if (range.min..=range.max).contains(&value) => Ok(range.encode(value)),
                _ => Err(NumberError::Inexact(dtype)),
            }
        }
    }
}

fn raw_bits(digits: &str, dtype: Dtype) -> Result<u64, NumberError> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(NumberError::Syntax);
    }
    let bits = u64::from_str_radix(digits, 16).map_err(|_| NumberError::TooManyBits(dtype))?;
    let width = 8 * dtype.size() as u32;
    if u64::BITS - bits.leading_zeros() > width { Err(NumberError::TooManyBits(dtype)) } else { Ok(bits) }
}

fn float_name(text: &str, format: FloatFormat) -> Option<u64> {
    Some(match text {
        ".inf" => format.infinity(),
        "-.inf" => format.infinity() | format.sign(),
        ".nan" => format.nan(),
        "max" => format.infinity() - 1,
        "min" => (format.infinity() - 1) | format.sign(),
        "tiny" => 1,
        "normal" => 1 << (format.precision - 1),
        _ => return None,
    })
}

fn float(literal: &Literal, format: FloatFormat, dtype: Dtype) -> Result<u64, NumberError> {
    let magnitude = match &literal.size {
        Size::Tiny => 0,
        Size::Huge => format.infinity(),
        Size::Exact(rational) => rational.round(format),
    };
    if magnitude == format.infinity() {
        return Err(NumberError::OutOfRange(dtype));
    }
    Ok(magnitude | if literal.negative { format.sign() } else { 0 })
}

fn integer(literal: &Literal, range: IntegerRange, dtype: Dtype) -> Result<u64, NumberError> {
    signed(literal.negative, literal.whole(dtype)?, range, dtype)
}

fn signed(
    negative: bool,
    magnitude: &BigUint,
    range: IntegerRange,
    dtype: Dtype,
) -> Result<u64, NumberError> {
    let value = i128::try_from(magnitude).map_err(|_| NumberError::OutOfRange(dtype))?;
    let value = if negative { -value } else { value };
    if (range.min..=range.max).contains(&value) {
        Ok(range.encode(value))
    } else {
        Err(NumberError::OutOfRange(dtype))
    }
}

/// The parts of a decimal or hexadecimal spelling.
struct Literal {
    negative: bool,
    /// True if spelled with digits alone, without a point or an exponent.
    integral: bool,
    size: Size,
}

enum Size {
    /// Nonzero, but it and its square root are below half of any float.
    Tiny,
    Exact(Rational),
    /// It and its square root are beyond any float.
    Huge,
}

/// `numerator / denominator`, with a nonzero denominator.
struct Rational {
    numerator: BigUint,
    denominator: BigUint,
}

impl Literal {
    fn read(text: &str) -> Result<Self, NumberError> {
        if text.len() > MAX_LENGTH {
            return Err(NumberError::TooLong);
        }
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (base, body) = match unsigned.strip_prefix("0x") {
            Some(rest) => (16, rest),
            None => (10, unsigned),
        };
        let marks: &[char] = if base == 16 { &['p', 'P'] } else { &['e', 'E'] };
        let (mantissa, exponent) = match body.split_once(marks) {
            Some((mantissa, exponent)) => (mantissa, Some(self::exponent(exponent)?)),
            None => (body, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_digit(base));
        // A leading zero means octal to some YAML readers.
        let octal = base == 10 && whole.len() > 1 && whole.starts_with('0');
        if octal || !digits(whole) || !fraction.is_none_or(digits) {
            return Err(NumberError::Syntax);
        }
        let places = fraction.map_or(0, str::len) as i64;
        let all = [whole, fraction.unwrap_or("")].concat();
        let significand = BigUint::parse_bytes(all.as_bytes(), base).ok_or(NumberError::Syntax)?;
        let exponent = exponent.unwrap_or(0);
        let size = if base == 16 {
            Size::of(significand, 2, exponent - 4 * places)
        } else {
            Size::of(significand, 10, exponent - places)
        };
        Ok(Self { negative, integral: fraction.is_none() && !body.contains(marks), size })
    }

    /// Returns the magnitude, if spelled as an integer.
    fn whole(&self, dtype: Dtype) -> Result<&BigUint, NumberError> {
        match &self.size {
            _ if !self.integral => Err(NumberError::NotAnInteger(dtype)),
            Size::Exact(rational) => Ok(&rational.numerator),
            Size::Tiny | Size::Huge => Err(NumberError::OutOfRange(dtype)),
        }
    }
}

/// Parses an exponent; one beyond i32 becomes [`i32::MAX`], which is beyond every limit here.
fn exponent(text: &str) -> Result<i64, NumberError> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NumberError::Syntax);
    }
    Ok(sign * i64::from(digits.parse::<i32>().unwrap_or(i32::MAX)))
}

impl Size {
    /// Returns `significand · base^exponent`, without computing the power if the limits decide: so
    /// `1e999999999` is as cheap as `1`.
    fn of(significand: BigUint, base: u32, exponent: i64) -> Self {
        // The number lies in [base^(top - 1), base^top) for base 2, and for base 10 not far below: 0.30103 is a
        // little more than log10(2).
        let bits = significand.bits() as i64;
        let (top, extreme) = match base {
            2 => (bits + exponent, EXTREME_TWO),
            _ => (bits * 30_103 / 100_000 + exponent, EXTREME_TEN),
        };
        if significand == BigUint::ZERO {
            return Self::Exact(Rational { numerator: significand, denominator: BigUint::from(1_u8) });
        }
        if top.abs() > extreme {
            return if top > 0 { Self::Huge } else { Self::Tiny };
        }
        // |exponent| is at most the extreme plus the length of a spelling.
        let power = BigUint::from(base).pow(exponent.unsigned_abs() as u32);
        Self::Exact(if exponent >= 0 {
            Rational { numerator: significand * power, denominator: BigUint::from(1_u8) }
        } else {
            Rational { numerator: significand, denominator: power }
        })
    }
}

impl Rational {
    /// Returns `floor(self · 2^shift)`, and true if there is a remainder.
    fn scaled(&self, shift: u32) -> (BigUint, bool) {
        let scaled = &self.numerator << shift;
        let quotient = &scaled / &self.denominator;
        let inexact = &quotient * &self.denominator != scaled;
        (quotient, inexact)
    }

    /// Returns the shift after which the quotient has at least `bits` bits.
    fn shift_for(&self, bits: u32) -> u32 {
        let wanted = u64::from(bits) + self.denominator.bits();
        wanted.saturating_sub(self.numerator.bits()) as u32
    }

    /// Rounds with [`real::round`], which needs a sticky bit and two bits beyond the precision.
    fn round(&self, format: FloatFormat) -> u64 {
        let shift = self.shift_for(format.precision + 2);
        let (quotient, inexact) = self.scaled(shift);
        real::round(format, &quotient, -(shift as i32), inexact)
    }

    /// Rounds the root. The integer root of an integer part is the integer part of the root, so the two
    /// remainders make one sticky bit.
    fn round_root(&self, format: FloatFormat) -> u64 {
        let shift = self.shift_for(2 * (format.precision + 2)).next_multiple_of(2);
        let (square, inexact) = self.scaled(shift);
        let root = square.sqrt();
        let inexact = inexact || &root * &root != square;
        real::round(format, &root, -((shift / 2) as i32), inexact)
    }
}

#[cfg(test)]
mod tests;
