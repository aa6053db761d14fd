//! Evaluates whole tensors, by sums of integers in buckets.
//!
//! - **Buckets.** The exponent of a float is a field of up to 11 bits. Its lowest 2 or 3 bits shift the
//!   significand to the left, and the others choose the bucket to which the term is added. So a bucket holds
//!   the terms of 4 or 8 exponents, in units of the least. With `2^s` exponents in a bucket, bucket b of magnitudes
//!   counts units of `2^(2^s · b)`, and bucket b of squares counts the squares of these. All integers go to bucket 0.
//! - **Losses.** A bucket has 64 bits (4 exponents) where a term has at most 56, otherwise 128 bits (8
//!   exponents). A bucket that overflows loses 2^64 or 2^128 of its units. A bucket further on has exactly this
//!   unit, and it counts the loss as 1. So all buckets together always hold the exact sum.
//! - **Sum.** The buckets are the digits of the sum, but these digits are too large for their base. One pass
//!   from the lowest bucket to the highest keeps as many bits of each as its base has, and carries the others.
//! - **Lanes.** A row of elements is read as it lies in memory. Element i of a row is added in lane i, modulo
//!   the number of lanes, and each lane has its own buckets. Where the innermost axis is kept, the lanes are
//!   neighbouring outputs. Where it is reduced, the lanes are parts of one output, and they are joined at the
//!   end: with one lane, the processor would wait for one addition to memory before the next.

use std::mem;
use std::ops::{BitOr, Mul, Range};

use half::{bf16, f16};
use ndarray::ArrayD;
use num_bigint::BigUint;

use crate::arithmetic::Variant;
use crate::axes::{self, Axis, for_each_offset};
use crate::dtype::{Dtype, Kind, Magnitude};
use crate::real::{Real, Value};
use crate::reduction::Reduction;
use crate::spec::{Finish, Term};
use crate::tensor::{Element, Tensor, row_major};

/// The number of lanes for one output of many elements.
const PARTS: usize = 4;

/// The number of lanes for neighbouring outputs.
const NEIGHBOURS: usize = 64;

/// The number of elements in a lane from which it pays to clear and to search the buckets of several lanes.
const MANY: usize = 256;

/// The number of exponents in a group of buckets. A search for buckets that are not empty goes by groups.
const GROUP: usize = 32;

/// Returns the exact norm of every output element, row-major in the output's shape.
pub(super) fn evaluate(data: &Tensor, reduction: &Reduction, variant: Variant) -> Vec<Value> {
    // Each type is compiled to loops of its own. Types that are soon widened have none, so there are seven, not twelve.
    match &*reduction.operand(data) {
        Tensor::F16(array) => both::<f16, u64, u64>(array, reduction, variant),
        Tensor::Bf16(array) => both::<f32, u64, u64>(&array.mapv(bf16::to_f32), reduction, variant),
        Tensor::F32(array) => both::<f32, u64, u64>(array, reduction, variant),
        Tensor::F64(array) => both::<f64, u64, u128>(array, reduction, variant),
        Tensor::I8(array) => both::<i32, u64, u128>(&array.mapv(i32::from), reduction, variant),
        Tensor::I16(array) => both::<i32, u64, u128>(&array.mapv(i32::from), reduction, variant),
        Tensor::I32(array) => both::<i32, u64, u128>(array, reduction, variant),
        Tensor::I64(array) => both::<i64, u128, u128>(array, reduction, variant),
        Tensor::U8(array) => both::<i32, u64, u128>(&array.mapv(i32::from), reduction, variant),
        Tensor::U16(array) => both::<i32, u64, u128>(&array.mapv(i32::from), reduction, variant),
        Tensor::U32(array) => both::<u32, u64, u128>(array, reduction, variant),
        Tensor::U64(array) => both::<u64, u128, u128>(array, reduction, variant),
    }
}

/// Returns the exact norm of every output element, by buckets that a magnitude (`M`) and a square (`S`) fit into. The
/// significand of a float has 11, 24 or 53 bits. Shifted by up to 3, one of 53 has 56, as the square of one of 24
/// has at most. Shifted by up to 7, the square of one of 53 has 120. Integers are not shifted: magnitudes
/// of up to 32 bits are added in 64, all other terms in 128.
fn both<T: Element, M: Bucket, S: Bucket>(
    array: &ArrayD<T>,
    reduction: &Reduction,
    variant: Variant,
) -> Vec<Value> {
    match reduction.norm.term() {
        Term::Magnitude | Term::Element => norms::<T, M, 1>(array, reduction, variant),
        Term::Square => norms::<T, S, 2>(array, reduction, variant),
    }
}

/// The running sum of a bucket.
trait Bucket: Copy + Default + From<u64> + Into<u128> + BitOr<Output = Self> + Mul<Output = Self> {
    /// The number of exponents that share a bucket, as a power of two.
    const SHARED: usize;

    /// Adds a term modulo the range of this type, and returns true if the sum was beyond it.
    fn overflows(&mut self, term: Self) -> bool;
}

macro_rules! bucket {
    ($ty:ty, $shared:expr) => {
        impl Bucket for $ty {
            const SHARED: usize = $shared;

            #[inline]
            fn overflows(&mut self, term: Self) -> bool {
                let (sum, overflows) = self.overflowing_add(term);
                *self = sum;
                overflows
            }
        }
    };
}

bucket!(u64, 2);
bucket!(u128, 3);

/// Returns the exact norm of every output element.
fn norms<T: Element, B: Bucket, const POWER: usize>(
    array: &ArrayD<T>,
    reduction: &Reduction,
    variant: Variant,
) -> Vec<Value> {
    let elements = &*row_major(array);
    let outputs = reduction.outputs(array.shape());
    if elements.is_empty() {
        return vec![Value::Finite(Real::zero()); outputs];
    }
    let (axes, terms) = (axes::merged(array.shape(), reduction), elements.len() / outputs);
    let root = reduction.norm.finish() == Finish::Root;
    match axes.last() {
        Some(inner) if inner.reduced && terms >= MANY * PARTS => {
            Sums::<B, PARTS, POWER>::new(T::DTYPE, variant, root).norms(elements, axes, outputs)
        }
        Some(inner) if !inner.reduced && terms * inner.dim.min(NEIGHBOURS) >= MANY * NEIGHBOURS => {
            Sums::<B, NEIGHBOURS, POWER>::new(T::DTYPE, variant, root).norms(elements, axes, outputs)
        }
        _ => Sums::<B, 1, POWER>::new(T::DTYPE, variant, root).norms(elements, axes, outputs),
    }
}

/// Returns the significand of a normal float and the field of its exponent, or the absolute value of an integer
/// and 0.
#[inline]
fn normal(dtype: Dtype, bits: u64) -> Option<(u64, usize)> {
    match dtype.kind() {
        Kind::Float(format) => {
            let hidden = 1 << format.fraction_bits();
            let special = format.infinity() >> format.fraction_bits();
            let field = bits >> format.fraction_bits() & special;
            let significand = bits & (hidden - 1) | hidden;
            // One comparison excludes both the field 0 and that of infinity and NaN.
            (field.wrapping_sub(1) < special - 1).then_some((significand, field as usize))
        }
        Kind::Integer(range) => Some((range.decode(bits).unsigned_abs() as u64, 0)),
    }
}

/// Returns the significand of a subnormal, shifted as in field 0, or notes an infinity or a NaN.
#[cold]
#[inline(never)]
fn abnormal(dtype: Dtype, bits: u64, flush: bool, special: &mut Special) -> Option<u64> {
    match dtype.magnitude(bits) {
        Magnitude::Infinite => special.infinite = true,
        Magnitude::Nan => special.nan = true,
        Magnitude::Finite { .. } if flush => {}
        // Subnormals have the exponent of field 1.
        Magnitude::Finite { significand, .. } => return Some(significand << 1),
    }
    None
}

/// The special values that a lane met.
#[derive(Clone, Copy, Default)]
struct Special {
    infinite: bool,
    nan: bool,
}

/// A running sum in each of several lanes.
struct Sums<B, const LANES: usize, const POWER: usize> {
    variant: Variant,
    /// True if the results are roots of the sums.
    root: bool,
    /// The exponent that field 0 would have: 1 less than that of field 1.
    exponent: i32,
    buckets: Vec<[B; LANES]>,
    /// The groups of buckets that may not be empty, a bit for each.
    touched: u64,
    special: [Special; LANES],
    /// Space for the digits of a sum.
    digits: Vec<u32>,
}

impl<B: Bucket, const LANES: usize, const POWER: usize> Sums<B, LANES, POWER> {
    /// The binary logarithm of the unit of bucket 1, in units of bucket 0.
    const BITS: usize = POWER << B::SHARED;

    /// The distance from a bucket to the one that counts its losses.
    const CARRIED: usize = size_of::<B>() * 8 / Self::BITS;

    fn new(dtype: Dtype, variant: Variant, root: bool) -> Self {
        let (exponent, fields) = match dtype.kind() {
            Kind::Float(format) => (format.quantum() - 1, format.infinity() >> format.fraction_bits()),
            Kind::Integer(_) => (0, GROUP as u64),
        };
        let buckets = vec![[B::default(); LANES]; (fields as usize).div_ceil(1 << B::SHARED) + Self::CARRIED];
        Self {
            variant,
            root,
            exponent,
            buckets,
            touched: 0,
            special: [Special::default(); LANES],
            digits: Vec::new(),
        }
    }

    /// Returns the norm of every output.
    fn norms<T: Element>(mut self, elements: &[T], mut axes: Vec<Axis>, outputs: usize) -> Vec<Value> {
        // The neighbouring outputs.
        let columns = axes.pop_if(|axis| !axis.reduced && LANES == NEIGHBOURS).map_or(1, |axis| axis.dim);
        // The rows along the innermost reduced axis are read as one if each of them begins in the same lane. They
        // follow each other in memory, or, with one lane, single elements lie `step` apart.
        let innermost = axes.iter().rposition(|axis| axis.reduced && LANES.is_multiple_of(columns));
        let rows = innermost.map_or(Axis::ONE, |at| axes.remove(at));
        let step = (rows.stride / columns).max(1);
        let (reduced, kept): (Vec<Axis>, Vec<Axis>) = axes.into_iter().partition(|axis| axis.reduced);
        let mut values = Vec::with_capacity(outputs);
        for_each_offset(&kept, 0, &mut |at| {
            for first in (0..columns).step_by(LANES) {
                let width = LANES.min(columns - first);
                for_each_offset(&reduced, at + first, &mut |at| {
                    self.add_row(&elements[at..=at + (rows.dim * width - 1) * step], step);
                });
                self.take_each(width, &mut values);
            }
        });
        values
    }

    /// Adds element i of a row in lane i, modulo the number of lanes. With one lane, elements may lie `step`
    /// apart.
    #[inline]
    fn add_row<T: Element>(&mut self, row: &[T], step: usize) {
        let flush = self.variant.flush_subnormals;
        let (buckets, special, mut touched) = (&mut self.buckets[..], &mut self.special, self.touched);
        let mut add = |element: T, lane: usize| {
            let (significand, field) = match normal(T::DTYPE, element.to_u64()) {
                Some((significand, field)) => (significand << (field % (1 << B::SHARED)), field),
                None => match abnormal(T::DTYPE, element.to_u64(), flush, &mut special[lane]) {
                    Some(significand) => (significand, 0),
                    None => return,
                },
            };
            // Several lanes are searched at the end instead: to note this takes them a quarter more time.
            if LANES == 1 {
                touched |= 1 << (field / GROUP);
            }
            let (at, m) = (field >> B::SHARED, B::from(significand));
            if buckets[at][lane].overflows(if POWER == 1 { m } else { m * m }) {
                touched |= count_loss(buckets, at, lane, Self::CARRIED);
            }
        };
        if step > 1 {
            row.iter().step_by(step).for_each(|&element| add(element, 0));
        } else {
            let (chunks, rest) = row.as_chunks::<LANES>();
            for chunk in chunks {
                (0..LANES).for_each(|lane| add(chunk[lane], lane));
            }
            rest.iter().enumerate().for_each(|(lane, &element)| add(element, lane));
        }
        self.touched = touched;
    }

    /// Appends the norms of so many outputs, and empties all lanes. Lane i is a part of output i, modulo
    /// their number.
    fn take_each(&mut self, outputs: usize, values: &mut Vec<Value>) {
        if LANES > 1 {
            for (group, buckets) in self.buckets.chunks(GROUP >> B::SHARED).enumerate() {
                let all = buckets.as_flattened().iter().fold(B::default(), |all, &bucket| all | bucket);
                self.touched |= u64::from(all.into() != 0) << group.min(63);
            }
        }
        let group = |at: u32| at as usize * (GROUP >> B::SHARED);
        let range = match mem::take(&mut self.touched) {
            0 => 0..0,
            // The last bit also stands for the groups beyond it.
            touched if touched >> 63 == 1 => group(touched.trailing_zeros())..self.buckets.len(),
            touched => group(touched.trailing_zeros())..group(touched.ilog2() + 1),
        };
        for output in 0..outputs {
            let parts = (output..LANES).step_by(outputs);
            let significand = self.take_sum(&parts, range.clone());
            let exponent = POWER as i32 * (self.exponent + (range.start << B::SHARED) as i32);
            let special = parts.map(|part| mem::take(&mut self.special[part]));
            let Special { infinite, nan } = special.fold(Special::default(), |all, one| Special {
                infinite: all.infinite || one.infinite,
                nan: all.nan || one.nan,
            });
            values.push(match (infinite, nan) {
                (false, false) => {
                    Value::Finite(Real { significand, exponent, root: self.root, negative: false })
                }
                (true, true) if self.variant.infinity_over_nan => Value::Infinite,
                (_, true) => Value::Nan,
                (true, false) => Value::Infinite,
            });
        }
    }

    /// Returns the sum of these lanes in units of the first bucket in this range, and empties their buckets.
    fn take_sum(&mut self, lanes: &(impl Iterator<Item = usize> + Clone), range: Range<usize>) -> BigUint {
        let mut carry: u128 = 0;
        self.digits.clear();
        // A digit has 32 bits, from so many buckets. A group fills whole digits.
        for buckets in self.buckets[range].chunks_mut(32 / Self::BITS) {
            let mut digit = 0;
            for bucket in buckets {
                let (mut sum, mut lost) = (carry, 0);
                for lane in lanes.clone() {
                    let (more, overflows) = sum.overflowing_add(mem::take(&mut bucket[lane]).into());
                    (sum, lost) = (more, lost + u128::from(overflows));
                }
                digit = digit >> Self::BITS | (sum as u32) << (32 - Self::BITS);
                carry = sum >> Self::BITS | lost << (128 - Self::BITS);
            }
            self.digits.push(digit);
        }
        self.digits.extend([0, 32, 64, 96].map(|at| (carry >> at) as u32));
        BigUint::from_slice(&self.digits)
    }
}

/// Counts the loss of bucket `at` in the bucket `carried` further on, which may overflow in turn. Returns the
/// bits of the groups in which a loss was counted.
#[cold]
#[inline(never)]
fn count_loss<B: Bucket, const LANES: usize>(
    buckets: &mut [[B; LANES]],
    mut at: usize,
    lane: usize,
    carried: usize,
) -> u64 {
    let mut touched = 0;
    loop {
        at += carried;
        touched |= 1 << ((at << B::SHARED) / GROUP).min(63);
        if !buckets[at][lane].overflows(B::from(1)) {
            return touched;
        }
    }
}
