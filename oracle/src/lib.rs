//! What [`normative_reference`] expects of an answer, at about the speed of a plain f64 loop.
//!
//! [`exact`](normative_reference::exact) is the definition, made to be read; [`evaluate`] gives the same values,
//! and tests hold it to that, bit for bit. It rules on nothing and knows no spec.
//!
//! Elements are read where they lie, a block at a time; only a tensor that is not row-major is copied
//! first. `block` adds a block up without rounding, `sum` holds what is exact of it; `few` does without
//! both. Beyond the tensor this takes a few hundred kilobytes, however large the tensor is.

mod block;
mod expected;
mod few;
mod kernels;
mod sum;

use std::array::from_fn;

use half::{bf16, f16};
use ndarray::ArrayD;
use normative_reference::exact::Variant;
use normative_reference::tensor::row_major;
use normative_reference::{Norm, Real, Reduction, Tensor, Value};

use self::block::{LANES, ROWS, Term};
use self::sum::Sum;

pub use self::expected::{expect, expect_each};

/// How many neighbouring outputs are computed together: in f32, eight cache lines.
const PANEL: usize = 128;

/// A tensor of fewer elements is added by narrow panels.
const SMALL: usize = 2048;

/// The exact norm of every output element, row-major in the output's shape.
pub fn evaluate(data: &Tensor, reduction: &Reduction, variant: Variant) -> Vec<Value> {
    match data {
        Tensor::F16(array) if variant.flush_subnormals => {
            let least = f16::MIN_POSITIVE.to_f32();
            reduce(array, reduction, variant, |x| flushed(half_magnitude(x), least))
        }
        Tensor::Bf16(array) if variant.flush_subnormals => {
            let least = bf16::MIN_POSITIVE.to_f32();
            reduce(array, reduction, variant, |x| flushed(x.to_f32().abs(), least))
        }
        Tensor::F32(array) if variant.flush_subnormals => {
            reduce(array, reduction, variant, |x| flushed(x.abs(), f32::MIN_POSITIVE))
        }
        Tensor::F64(array) if variant.flush_subnormals => {
            reduce(array, reduction, variant, |x| flushed(x.abs(), f64::MIN_POSITIVE))
        }
        Tensor::F16(array) => reduce(array, reduction, variant, half_magnitude),
        Tensor::Bf16(array) => reduce(array, reduction, variant, |x| x.to_f32().abs()),
        Tensor::F32(array) => reduce(array, reduction, variant, f32::abs),
        Tensor::F64(array) => reduce(array, reduction, variant, f64::abs),
        Tensor::I8(array) => reduce(array, reduction, variant, |x| u64::from(x.unsigned_abs())),
        Tensor::I16(array) => reduce(array, reduction, variant, |x| u64::from(x.unsigned_abs())),
        Tensor::I32(array) => reduce(array, reduction, variant, |x| u64::from(x.unsigned_abs())),
        Tensor::I64(array) => reduce(array, reduction, variant, i64::unsigned_abs),
        Tensor::U8(array) => reduce(array, reduction, variant, u64::from),
        Tensor::U16(array) => reduce(array, reduction, variant, u64::from),
        Tensor::U32(array) => reduce(array, reduction, variant, u64::from),
        Tensor::U64(array) => reduce(array, reduction, variant, |x| x),
    }
}

/// The fields of an f16 in their places in an f32 stand for 2^-112 of it. Without a branch, so that compilers
/// turn a loop of it into vector instructions.
fn half_magnitude(x: f16) -> f32 {
    let bits = u32::from(x.to_bits() & 0x7fff) << 13;
    let infinite = f32::INFINITY.to_bits();
    let nonfinite = bits >= u32::from(f16::INFINITY.to_bits()) << 13;
    if nonfinite { f32::from_bits(bits | infinite) } else { f32::from_bits(bits) * 2_f32.powi(112) }
}

/// A magnitude, where those below `least` count as zero.
fn flushed<F: Copy + PartialOrd + Default>(magnitude: F, least: F) -> F {
    if magnitude < least { F::default() } else { magnitude }
}

/// Fills blocks with magnitudes: where the innermost axis is reduced, with those of one output, row after
/// row; where it is kept, with a column for each of [`LANES`] neighbouring outputs.
fn reduce<T: Copy, M: Term>(
    array: &ArrayD<T>,
    reduction: &Reduction,
    variant: Variant,
    magnitude: impl Fn(T) -> M,
) -> Vec<Value> {
    let elements = &*row_major(array);
    let outputs = reduction.outputs(array.shape());
    if elements.is_empty() {
        return vec![Value::Finite(Real::zero()); outputs];
    }
    let (norm, terms) = (reduction.norm, reduction.terms(array.shape()));
    if elements.len() <= few::FEW && outputs == 1 {
        return vec![few::norm_of_all(elements, norm, variant, magnitude)];
    }
    let mut axes = merged(array.shape(), reduction);
    if elements.len() <= few::FEW || terms <= few::RUN {
        return few::reduce(elements, axes, norm, variant, magnitude);
    }
    let mut values = Vec::with_capacity(outputs);
    let inner = axes.pop().unwrap_or(Axis { dim: 1, stride: 1, reduced: true });
    let (mut reduced, kept): (Vec<Axis>, Vec<Axis>) = axes.into_iter().partition(|axis| axis.reduced);
    if inner.reduced {
        let mut block = vec![[M::ZERO; LANES]; terms.div_ceil(LANES).min(ROWS)];
        let mut sum = [Sum::default()];
        for_each_offset(&kept, 0, &mut |at| {
            let mut filled = 0;
            for_each_offset(&reduced, at, &mut |at| {
                let mut run = &elements[at..at + inner.dim];
                while !run.is_empty() {
                    let room = &mut block.as_flattened_mut()[filled..];
                    let (now, later) = run.split_at(run.len().min(room.len()));
                    room.iter_mut().zip(now).for_each(|(to, &x)| *to = magnitude(x));
                    (filled, run) = (filled + now.len(), later);
                    if filled == block.len() * LANES {
                        M::add(&block, norm, &mut sum);
                        filled = 0;
                    }
                }
            });
            let rows = filled.div_ceil(LANES);
            block.as_flattened_mut()[filled..rows * LANES].fill(M::ZERO);
            M::add(&block[..rows], norm, &mut sum);
            values.push(sum[0].take(norm, variant));
        });
        return values;
    }
    let rows = reduced.pop().unwrap_or(Axis { dim: 1, stride: 0, reduced: true });
    // Empty sums are a few kilobytes each: few are made where there is little to add.
    let panel = if elements.len() < SMALL { LANES } else { PANEL };
    let mut sums: Vec<Sum> = (0..panel.min(inner.dim)).map(|_| Sum::default()).collect();
    let mut blocks = vec![vec![[M::ZERO; LANES]; terms.min(ROWS)]; sums.len().div_ceil(LANES)];
    for_each_offset(&kept, 0, &mut |at| {
        for first in (0..inner.dim).step_by(panel) {
            let sums = &mut sums[..panel.min(inner.dim - first)];
            let width = sums.len();
            let mut filled = 0;
            for_each_offset(&reduced, at + first, &mut |at| {
                for row in 0..rows.dim {
                    let at = at + row * rows.stride;
                    set_row(&mut blocks, filled, &elements[at..at + width], &magnitude);
                    filled += 1;
                    if filled == ROWS {
                        add_all(&blocks, filled, norm, sums);
                        filled = 0;
                    }
                }
            });
            add_all(&blocks, filled, norm, sums);
            values.extend(sums.iter_mut().map(|sum| sum.take(norm, variant)));
        }
    });
    values
}

/// Sets one row of neighbouring blocks, each of [`LANES`] outputs. Out of line, as the loops over a block are.
#[inline(never)]
fn set_row<T: Copy, M: Term>(
    blocks: &mut [Vec<[M; LANES]>],
    row: usize,
    elements: &[T],
    magnitude: impl Fn(T) -> M,
) {
    let (whole, rest) = elements.as_chunks::<LANES>();
    for (block, chunk) in blocks.iter_mut().zip(whole) {
        block[row] = from_fn(|lane| magnitude(chunk[lane]));
    }
    if let (Some(block), false) = (blocks.get_mut(whole.len()), rest.is_empty()) {
        block[row] = from_fn(|lane| rest.get(lane).map_or(M::ZERO, |&x| magnitude(x)));
    }
}

fn add_all<M: Term>(blocks: &[Vec<[M; LANES]>], rows: usize, norm: Norm, sums: &mut [Sum]) {
    blocks.iter().zip(sums.chunks_mut(LANES)).for_each(|(block, sums)| M::add(&block[..rows], norm, sums));
}

/// Neighbouring axes that share a fate, as one. Axes of size 1 share any.
struct Axis {
    dim: usize,
    /// How far apart its elements lie.
    stride: usize,
    reduced: bool,
}

fn merged(shape: &[usize], reduction: &Reduction) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::with_capacity(shape.len());
    for (axis, &dim) in shape.iter().enumerate().filter(|&(_, &dim)| dim != 1) {
        let reduced = reduction.axes.contains(&axis);
        for outer in &mut axes {
            outer.stride *= dim;
        }
        match axes.last_mut().filter(|outer| outer.reduced == reduced) {
            Some(outer) => (outer.dim, outer.stride) = (outer.dim * dim, 1),
            None => axes.push(Axis { dim, stride: 1, reduced }),
        }
    }
    axes
}

fn for_each_offset(axes: &[Axis], at: usize, visit: &mut dyn FnMut(usize)) {
    match axes {
        [] => visit(at),
        [outer, inner @ ..] => {
            (0..outer.dim).for_each(|index| for_each_offset(inner, at + index * outer.stride, visit));
        }
    }
}
