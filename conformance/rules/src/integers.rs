//! The honest steps of integer arithmetic: sums and roots are exact, whatever their size.

use std::ptr::fn_addr_eq;

use normative_conformance::reference::{Dtype, Finish, FloatFormat, Kind, Norm, Question, Reading, Term};
use num_bigint::BigInt;

use crate::floats::held;
use crate::plan::{Plan, Readings, StepResult};

/// The steps of a norm of integers, in their order.
#[derive(Clone, Debug)]
pub struct Integers {
    /// Returns the number for an element's bits.
    pub read: fn(Dtype, u64) -> i128,
    /// Returns the terms of the sum.
    pub terms: fn(Norm, &[i128], Dtype) -> Vec<i128>,
    /// Returns the sum.
    pub sum: fn(&[i128], Dtype) -> BigInt,
    /// Returns the sum of squares in the type that holds it.
    pub intermediate: fn(BigInt, Dtype, &Readings) -> BigInt,
    /// Returns L2's root.
    pub root: fn(&BigInt, &Plan, &Readings) -> BigInt,
    /// Returns the bits of the result in the output's type.
    pub fit: fn(BigInt, Dtype, &Readings) -> StepResult<u64>,
}

impl Integers {
    /// The honest steps.
    pub const HONEST: Self = Self { read, terms, sum, intermediate, root, fit };

    /// Returns true if norms under these readings equal those of `plain` steps under the first readings:
    /// every step in use is the same function.
    pub fn compute_as(&self, plain: &Self, plan: &Plan, readings: &Readings) -> bool {
        let roots = plan.norm.finish() == Finish::Root;
        let idle = |question| !roots && question != Question::IntegerOverflow;
        readings.otherwise(plan.dtype).all(idle)
            && fn_addr_eq(self.read, plain.read)
            && fn_addr_eq(self.terms, plain.terms)
            && fn_addr_eq(self.sum, plain.sum)
            && fn_addr_eq(self.fit, plain.fit)
            && (!roots
                || fn_addr_eq(self.intermediate, plain.intermediate) && fn_addr_eq(self.root, plain.root))
    }

    /// Returns the norm of elements of an integer type.
    pub fn norm(&self, plan: &Plan, bits: &[u64], readings: &Readings) -> StepResult<u64> {
        let elements: Vec<i128> = bits.iter().map(|&bits| (self.read)(plan.dtype, bits)).collect();
        let wrapped = match plan.norm.finish() {
            Finish::Nothing => None,
            Finish::Root => wrapped_squares(&elements, plan.dtype, readings),
        };
        let terms = wrapped.unwrap_or_else(|| (self.terms)(plan.norm, &elements, plan.dtype));
        let sum = (self.sum)(&terms, plan.dtype);
        let norm = match plan.norm.finish() {
            Finish::Nothing => sum,
            Finish::Root => (self.root)(&(self.intermediate)(sum, plan.dtype, readings), plan, readings),
        };
        (self.fit)(norm, plan.dtype, readings)
    }
}

/// Returns the least and the greatest number of an integer type.
pub fn range(dtype: Dtype) -> (i128, i128) {
    match dtype.kind() {
        Kind::Integer(range) => (range.min, range.max),
        Kind::Float(_) => (0, 0),
    }
}

/// Returns the number for an element's bits.
pub fn read(dtype: Dtype, bits: u64) -> i128 {
    match dtype {
        Dtype::I8 => (bits as i8).into(),
        Dtype::I16 => (bits as i16).into(),
        Dtype::I32 => (bits as i32).into(),
        Dtype::I64 => (bits as i64).into(),
        _ => bits.into(),
    }
}

/// Returns the bits of the type's number that is congruent to `value`.
pub fn wrapped(value: &BigInt, dtype: Dtype) -> u64 {
    let lowest = value.iter_u64_digits().next().unwrap_or(0);
    let bits = if *value < BigInt::ZERO { lowest.wrapping_neg() } else { lowest };
    bits & (u64::MAX >> (64 - 8 * dtype.size()))
}

/// Returns magnitudes, squares or the elements. A square of more than 127 bits becomes two halves and a remainder.
pub fn terms(norm: Norm, elements: &[i128], _: Dtype) -> Vec<i128> {
    match norm.term() {
        Term::Magnitude => return elements.iter().map(|x| x.abs()).collect(),
        Term::Element => return elements.to_vec(),
        Term::Square => {}
    }
    let mut squares = Vec::with_capacity(elements.len());
    for &x in elements {
        if let Some(square) = x.checked_mul(x) {
            squares.push(square);
            continue;
        }
        // No element has more than 64 bits, so u128 holds the square.
        let square = x.unsigned_abs().wrapping_mul(x.unsigned_abs());
        let half = (square / 2) as i128;
        squares.extend([half, half, (square % 2) as i128]);
    }
    squares
}

/// Adds the terms in order.
pub fn sum(terms: &[i128], _: Dtype) -> BigInt {
    let (mut sum, mut part) = (BigInt::ZERO, 0_i128);
    for &term in terms {
        if let Some(more) = part.checked_add(term) {
            part = more;
        } else {
            sum += part;
            part = term;
        }
    }
    sum + part
}

/// Returns a sum of squares, exact unless a reading holds it in an integer type.
pub fn intermediate(sum: BigInt, dtype: Dtype, readings: &Readings) -> BigInt {
    let Some(Holder { width, signed, beyond }) = Holder::of(dtype, readings) else { return sum };
    let all = BigInt::from(1) << width;
    let max: BigInt = if signed { &all / 2_u8 - 1_u8 } else { &all - 1_u8 };
    match beyond {
        Reading::Saturates => sum.min(max),
        Reading::Wraps => {
            let wrapped = sum % &all;
            if wrapped > max { wrapped - all } else { wrapped }
        }
        _ => sum,
    }
}

/// The integer type of squares and their sum, and the treatment of overflow.
struct Holder {
    width: u32,
    signed: bool,
    beyond: Reading,
}

impl Holder {
    /// Returns the type under these readings; `None` if it is wide enough.
    fn of(dtype: Dtype, readings: &Readings) -> Option<Self> {
        let (own, is_signed) = (8 * dtype.size() as u32, range(dtype).0 < 0);
        let (width, beyond) = match readings.of(Question::IntegerL2Intermediate) {
            Reading::Exact => (2 * own, readings.of(Question::IntegerL2Wider)),
            beyond => (own, beyond),
        };
        let says = width > own || is_signed && beyond != Reading::Saturates;
        let signed =
            if says { !readings.has(Question::IntegerL2Negative, Reading::Unsigned) } else { is_signed };
        (beyond != Reading::Exact && width <= 64).then_some(Self { width, signed, beyond })
    }
}

/// Returns squares, each held in an integer type, if a reading demands that.
fn wrapped_squares(elements: &[i128], dtype: Dtype, readings: &Readings) -> Option<Vec<i128>> {
    let holder = Holder::of(dtype, readings).filter(|holder| holder.beyond == Reading::SquaresWrap)?;
    let all = 1_i128 << holder.width;
    let wrapped = |x: &i128| {
        // No element has more than 64 bits, and neither does the remainder of its square.
        let wrapped = (x.unsigned_abs().wrapping_mul(x.unsigned_abs()) % all.unsigned_abs()) as i128;
        if holder.signed && wrapped >= all / 2 { wrapped - all } else { wrapped }
    };
    Some(elements.iter().map(wrapped).collect())
}

/// Returns the root, truncated unless a reading rounds it.
pub fn root(sum: &BigInt, plan: &Plan, readings: &Readings) -> BigInt {
    let zero = BigInt::ZERO;
    if *sum < zero {
        let indefinite = readings.has(Question::IntegerL2Negative, Reading::Indefinite);
        return if indefinite { indefinite_of(plan.dtype) } else { zero };
    }
    let nearest = readings.has(Question::IntegerL2Rounding, Reading::Nearest);
    match readings.of(Question::IntegerL2Precision) {
        Reading::Single => return in_float(sum, FloatFormat::F32, nearest),
        Reading::Double => return in_float(sum, FloatFormat::F64, nearest),
        _ => {}
    }
    let root = sum.sqrt();
    // (root + 1/2)² is root² + root + 1/4.
    let nearer = *sum > &root * &root + &root;
    if nearer && nearest { root + 1 } else { root }
}

/// Returns the result of x86 where it converts a NaN.
fn indefinite_of(dtype: Dtype) -> BigInt {
    match (range(dtype).0, dtype) {
        (0, Dtype::U64) => BigInt::from(1) << 63,
        (least, _) => least.into(),
    }
}

/// Casts the sum to a float format, takes the root there, and casts back.
fn in_float(sum: &BigInt, format: FloatFormat, nearest: bool) -> BigInt {
    // First round to odd at 60 bits, so that the rounding to the format sees the cut bits.
    let cut = sum.bits().saturating_sub(60);
    let high: BigInt = sum >> cut;
    let sticky = i64::from((&high << cut) != *sum);
    let high = i64::try_from(high).unwrap_or(i64::MAX) | sticky;
    let rounded = if format == FloatFormat::F32 { f64::from(high as f32) } else { high as f64 };
    let sum = rounded * crate::floats::power(cut as i32);
    let root = held(held(sum, format).sqrt(), format);
    let root = if nearest { root.round() } else { root };
    // An infinite root becomes 2^128, the least power of two beyond f32.
    if root.is_infinite() { BigInt::from(1) << 128 } else { BigInt::from(root as i128) }
}

/// Returns the bits of a result; beyond the type it wraps unless a reading says otherwise.
pub fn fit(norm: BigInt, dtype: Dtype, readings: &Readings) -> StepResult<u64> {
    let (min, max) = range(dtype);
    let is_beyond = norm < BigInt::from(min) || norm > BigInt::from(max);
    match readings.of(Question::IntegerOverflow) {
        Reading::Saturate => Ok(wrapped(&norm.clamp(min.into(), max.into()), dtype)),
        Reading::Indefinite if is_beyond && matches!(dtype, Dtype::I32 | Dtype::I64 | Dtype::U64) => {
            Ok(wrapped(&indefinite_of(dtype), dtype))
        }
        Reading::Reject if is_beyond => Err(format!("{norm} is beyond {dtype}")),
        _ => Ok(wrapped(&norm, dtype)),
    }
}
