//! Special values: contents of rows that break implementations, whatever loop they take.
//!
//! They are a second design, with the norm, the type, the position and the length. Examples: a NaN is lost in
//! one type's reduction of columns; a sum just in range overflows when eight lanes are joined.

use std::collections::BTreeSet;

use normative_reference::textbook::to_f64;
use normative_reference::{
    Call, Dtype, Elements, Finish, FloatFormat, Kind, Magnitude, Norm, Outcome, Term, rule,
};

/// The special contents of a row of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Special {
    /// Zeros only.
    Zeros,
    /// A NaN, otherwise only zeros.
    NanBesideZeros,
    /// A NaN beside numbers.
    Nan,
    /// Infinities.
    Infinity,
    /// A NaN and an infinity.
    NanAndInfinity,
    /// One smallest subnormal number, and zeros.
    Smallest,
    /// Two smallest subnormal numbers, and zeros.
    SmallestPair,
    /// Subnormal numbers.
    Subnormals,
    /// Numbers at the boundaries of nrm2's three accumulators.
    Seams,
    /// The least integer of a signed type.
    Least,
    /// The greatest number alone, beside zeros.
    Greatest,
    /// A norm within 1 % of the greatest number.
    JustInRange,
    /// Elements in range, and a norm up to 1 % beyond the greatest number.
    JustBeyond,
    /// Only the ends of an integer type.
    Extremes,
}

impl Special {
    /// Every special value.
    pub const ALL: [Self; 14] = [
        Self::Zeros,
        Self::NanBesideZeros,
        Self::Nan,
        Self::Infinity,
        Self::NanAndInfinity,
        Self::Smallest,
        Self::SmallestPair,
        Self::Subnormals,
        Self::Seams,
        Self::Least,
        Self::Greatest,
        Self::JustInRange,
        Self::JustBeyond,
        Self::Extremes,
    ];

    /// Returns true if rows of `terms` elements of the type can hold it.
    pub fn is_possible(self, dtype: Dtype, norm: Norm, terms: usize) -> bool {
        let several = terms > 1;
        match (self, dtype.kind()) {
            // Elements that add up to the greatest number are not among those of `values`: they are roots.
            (Self::JustBeyond | Self::JustInRange, _)
                if (norm.term(), norm.finish()) == (Term::Square, Finish::Nothing) =>
            {
                false
            }
            // For i8 and u8, the integer L2 norms are too coarse to come that near.
            (Self::JustBeyond, Kind::Integer(range)) => several && (norm.order() == 1 || range.max > 255),
            (Self::Least, Kind::Integer(range)) => range.is_signed(),
            (Self::Zeros | Self::Greatest | Self::JustInRange, _)
            | (Self::Infinity | Self::Smallest | Self::Subnormals | Self::Seams, Kind::Float(_)) => true,
            (Self::Extremes, Kind::Integer(_))
            | (
                Self::NanBesideZeros
                | Self::Nan
                | Self::NanAndInfinity
                | Self::SmallestPair
                | Self::JustBeyond,
                Kind::Float(_),
            ) => several,
            (Self::Least | Self::Extremes, Kind::Float(_)) | (_, Kind::Integer(_)) => false,
        }
    }

    /// Returns the special values that rows of `terms` elements of the type can hold.
    pub fn possible(dtype: Dtype, norm: Norm, terms: usize) -> Vec<Self> {
        Self::ALL.into_iter().filter(|special| special.is_possible(dtype, norm, terms)).collect()
    }
}

/// Returns the special values in a call's rows.
pub fn of(call: &Call) -> BTreeSet<Special> {
    let alternatives = rule(call).alternatives;
    let Some(Outcome::Reduce(reduction, _)) = alternatives.first().map(|first| &first.outcome) else {
        return BTreeSet::new();
    };
    let shape = call.data.shape();
    let terms = reduction.terms(shape);
    if terms == 0 || call.data.is_empty() {
        return BTreeSet::new();
    }
    let rank = if matches!(reduction.elements, Elements::All) { shape.len() } else { 1 };
    let bits = reduction.operand(&call.data).bits_by(&reduction.outer_to_inner(rank));
    let (dtype, norm) = (call.data.dtype(), reduction.norm);
    bits.chunks(terms).filter_map(|row| of_row(dtype, norm, row)).collect()
}

fn of_row(dtype: Dtype, norm: Norm, row: &[u64]) -> Option<Special> {
    match dtype.kind() {
        Kind::Float(format) => of_floats(dtype, format, norm, row),
        Kind::Integer(range) => {
            let elements: Vec<i128> = row.iter().map(|&bits| range.decode(bits)).collect();
            let is_end = |x: &i128| *x == range.max || (range.is_signed() && *x == range.min);
            if elements.len() > 1 && elements.iter().all(is_end) {
                return Some(Special::Extremes);
            }
            if range.is_signed() && elements.contains(&range.min) {
                return Some(Special::Least);
            }
            let magnitudes: Vec<f64> = elements.iter().map(|x| x.unsigned_abs() as f64).collect();
            of_magnitudes(norm, &magnitudes, range.max as f64)
        }
    }
}

fn of_floats(dtype: Dtype, format: FloatFormat, norm: Norm, row: &[u64]) -> Option<Special> {
    let kinds = || row.iter().map(|&bits| format.magnitude(bits));
    let has = |wanted: Magnitude| kinds().any(|kind| kind == wanted);
    let zeros = row.iter().filter(|&&bits| bits & (format.sign() - 1) == 0).count();
    match (has(Magnitude::Nan), has(Magnitude::Infinite)) {
        (true, true) => return Some(Special::NanAndInfinity),
        (true, false) if zeros > 0 && zeros + 1 == row.len() => return Some(Special::NanBesideZeros),
        (true, false) => return Some(Special::Nan),
        (false, true) => return Some(Special::Infinity),
        (false, false) => {}
    }
    let magnitudes: Vec<u64> =
        row.iter().map(|bits| bits & (format.sign() - 1)).filter(|&bits| bits > 0).collect();
    let subnormal = 1 << (format.precision - 1);
    match magnitudes.as_slice() {
        [] => return Some(Special::Zeros),
        [1] => return Some(Special::Smallest),
        [1, 1] => return Some(Special::SmallestPair),
        all if all.iter().all(|&bits| bits < subnormal) => return Some(Special::Subnormals),
        all if all.iter().any(|bits| seams(format).contains(bits)) => return Some(Special::Seams),
        _ => {}
    }
    let magnitudes: Vec<f64> = row.iter().map(|&bits| to_f64(dtype, bits).abs()).collect();
    of_magnitudes(norm, &magnitudes, to_f64(dtype, format.infinity() - 1))
}

/// Returns the special value of finite magnitudes of a type with this greatest number.
fn of_magnitudes(norm: Norm, magnitudes: &[f64], greatest: f64) -> Option<Special> {
    let scaled = magnitudes.iter().map(|x| x / greatest);
    let sum: f64 = match norm.term() {
        Term::Magnitude | Term::Element => scaled.sum(),
        Term::Square => scaled.map(|x| x * x).sum(),
    };
    let norm = match norm.finish() {
        Finish::Nothing => sum,
        Finish::Root => sum.sqrt(),
    };
    let others = magnitudes.iter().filter(|&&x| x > 0.0).count();
    match others {
        0 => Some(Special::Zeros),
        1 if norm >= 1.0 => Some(Special::Greatest),
        _ if norm > 1.0 && norm <= 1.01 => Some(Special::JustBeyond),
        _ if norm > 0.99 && norm <= 1.0 => Some(Special::JustInRange),
        _ => None,
    }
}

/// Returns the bits of the numbers at which nrm2 switches between its three accumulators, and of those just below.
pub(crate) fn seams(format: FloatFormat) -> [u64; 4] {
    let power = |exponent: i32| ((exponent - format.min_exponent + 1) as u64) << (format.precision - 1);
    let small = power(format.min_exponent / 2);
    let big = power((format.max_exponent + 2 - format.precision as i32).div_euclid(2));
    [small, small - 1, big, big - 1]
}
