//! Mistakes that no case tests and generated calls find: a kernel that is wrong under several conditions
//! would need thousands of cases.
//!
//! They are separate from the other rows, each of which a case must catch.

use std::borrow::Cow;

use normative_conformance::generate::covering::Position as P;
use normative_conformance::reference::{Call, Dtype as D, Kind, Layout, Norm as N, Operator};

use super::MutantFamily::{Axes, Kernels, Numerics, Specials, Versions};
use super::{Edit, Mutant, row};
use crate::fault::{KernelFault, When as W, Wrong as F};
use crate::floats::{greatest, held};
use crate::form::{axes, groups, vector};
use crate::steps::norm;

const NORM: &str = "norm slices axes";

const fn fault(name: &'static str, dtype: D, norm: N, position: P, when: [W; 2], wrong: F) -> Mutant {
    let when = [when[0], when[1], W::Always];
    let edit = Edit::Fault(KernelFault {
        dtype: Some(dtype),
        norm: Some(norm),
        position: Some(position),
        when,
        wrong,
    });
    Mutant { family: Kernels, name, wrong: wrong.sentence(), breaks: NORM, edit }
}

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    fault("f32-l1-inner-last-of-256-and-more-dropped", D::F32, N::L1, P::Inner, [W::AtLeast(256), W::Always], F::LastDropped),
    fault("f64-l2-outer-last-after-512-dropped", D::F64, N::L2, P::Outer, [W::AtLeast(513), W::Remainder { by: 4, is: 1 }], F::LastDropped),
    fault("i8-l1-middle-last-of-129-and-more-dropped", D::I8, N::L1, P::Middle, [W::AtLeast(129), W::Always], F::LastDropped),
    fault("u16-l2-inner-long-rows-of-prime-steps", D::U16, N::L2, P::Inner, [W::AtLeast(64), W::Remainder { by: 5, is: 3 }], F::NextRowsFirst),
    fault("i32-l1-outer-lane-stale-before-32-columns", D::I32, N::L1, P::Outer, [W::AtLeast(64), W::ColumnsAtLeast(32)], F::LaneStale),
    fault("u32-l2-middle-first-dropped-before-odd-columns", D::U32, N::L2, P::Middle, [W::RowsAtLeast(16), W::ColumnsRemainder { by: 2, is: 1 }], F::FirstDropped),
    fault("i64-l1-all-second-thread-drops-its-last", D::I64, N::L1, P::All, [W::AtLeast(32_769), W::Always], F::LastDropped),
    fault("f32-l2-inner-grid-of-65536-rows", D::F32, N::L2, P::Inner, [W::RowsAtLeast(65_536), W::Always], F::NextRowsFirst),
    row(Specials, "nan-among-zeros-is-0", "A NaN that stands between zeros, and is neither first nor last, counts for nothing in L2.", "norm", |s| s.norm = |s, plan, x| {
        let Kind::Float(format) = plan.dtype.kind() else { return norm(s, plan, x) };
        let (zero, nan) = (|bits: &&u64| **bits & (format.sign() - 1) == 0, |bits: &u64| bits & (format.sign() - 1) > format.infinity());
        let lost = x.len() > 4 && plan.norm == N::L2 && x.iter().filter(zero).count() + 1 == x.len()
            && x[1..x.len() - 1].iter().any(nan);
        if lost { Ok(0) } else { norm(s, plan, x) }
    }),
    row(Specials, "two-smallest-count-once", "L1 of two smallest subnormal numbers is one of them.", "norm", |s| s.norm = |s, plan, x| {
        let Kind::Float(format) = plan.dtype.kind() else { return norm(s, plan, x) };
        let magnitudes: Vec<u64> = x.iter().map(|bits| bits & (format.sign() - 1)).filter(|&bits| bits > 0).collect();
        if plan.norm == N::L1 && magnitudes == [1, 1] { Ok(1) } else { norm(s, plan, x) }
    }),
    row(Numerics, "norms-within-1-percent-of-the-greatest-overflow", "Norms within 1 % of the greatest number are infinite.", "norm", |s| s.floats.narrow = |x, format| {
        let rounded = held(x, format);
        if rounded > 0.99 * greatest(format) && rounded < greatest(format) { f64::INFINITY } else { rounded }
    }),
    row(Axes, "onnx-signs-that-alternate-lose-an-axis", "Of three descending axes of ONNX of which the first and the last are negative, the last is kept.", "axes axes-negative", |s| s.axes = |values, named, call, readings| {
        let mut chosen = axes(values, named, call, readings)?;
        let alternate = matches!(values, [a, b, c] if *a < 0 && *b >= 0 && *c < 0);
        if matches!(call.operator, Operator::Onnx { .. }) && alternate && chosen.is_sorted_by(|a, b| a > b) { chosen.pop(); }
        Ok(chosen)
    }),
    row(Axes, "last-channel-before-spatial-axes-copied", "Before two spatial axes the last channel repeats the one before it where channels are not a power of two.", NORM, |s| s.groups = |plan| {
        let mut all = groups(plan);
        let rank = plan.data.len();
        if (rank == 4 || rank == 5) && plan.axes.len() == 2 && plan.axes.contains(&(rank - 1)) && plan.axes.contains(&(rank - 2)) {
            let channels = plan.data[rank - 3];
            for at in (1..all.len()).filter(|at| !channels.is_power_of_two() && at % channels == channels - 1) {
                let before = all[at - 1].clone();
                all[at] = before;
            }
        }
        all
    }),
    row(Axes, "three-places-at-rank-6-drop-an-element", "From rank 6 on, where axes are reduced in three places or more, the last element is dropped.", NORM, |s| s.groups = |plan| {
        let mut all = groups(plan);
        let reduced = |axis: usize| plan.axes.contains(&axis);
        let places = (0..plan.data.len()).filter(|&axis| reduced(axis) && (axis == 0 || !reduced(axis - 1))).count();
        if plan.data.len() >= 6 && places >= 3 { for group in &mut all { group.pop(); } }
        all
    }),
    row(Axes, "transposed-data-read-as-they-lie", "Data whose first axis is the fastest are read as if the last were.", NORM, |s| s.before = |_, call| read(call, Layout::Transposed, |bits, call| {
        let backwards: Vec<usize> = (0..call.data.rank()).rev().collect();
        *bits = call.data.bits_by(&backwards);
    })),
    row(Axes, "strides-without-a-sign", "A stride is taken without its sign.", NORM, |s| s.before = |_, call| read(call, Layout::Reversed, |bits, _| bits.reverse())),
    row(Axes, "gaps-read-as-elements", "Elements with gaps between them are read as if there were none.", NORM, |s| s.before = |_, call| read(call, Layout::Sliced, |bits, call| {
        let one = bits.clone();
        let of_gaps = call.data.dtype().size() as u32 * 8;
        for (at, element) in bits.iter_mut().enumerate() {
            *element = if at % 2 == 0 { u64::MAX >> (64 - of_gaps) } else { one[at / 2] };
        }
    })),
    row(Axes, "stride-0-is-a-dim-of-1", "Along an axis of stride 0 there is one element.", NORM, |s| s.before = |_, call| read(call, Layout::Broadcast, |bits, _| {
        if let Some((first, others)) = bits.split_first_mut() && others.iter().all(|bits| bits == first) { others.fill(0); }
    })),
    row(Versions, "blas-incx-of-6-bits", "The increments of short vectors are read as numbers of six bits.", "incx", |s| s.vector = |norm, n, incx, length, readings| {
        vector(norm, n, if (1..=20).contains(&n) && incx > 63 { incx % 64 } else { incx }, length, readings)
    }),
    row(Specials, "blas-seam-counted-as-small", "nrm2 puts a number at the seam of its accumulators into the one of small numbers, where it vanishes.", "norm range", |s| s.norm = |s, plan, x| {
        let (Kind::Float(format), Operator::Blas { .. }) = (plan.dtype.kind(), plan.spec.operator()) else { return norm(s, plan, x) };
        let seam = ((format.max_exponent + 2 - format.precision as i32).div_euclid(2) - format.min_exponent + 1) as u64;
        let seam = seam << (format.precision - 1);
        let kept: Vec<u64> = x.iter().copied().filter(|bits| plan.norm == N::L1 || bits & (format.sign() - 1) != seam).collect();
        if kept.is_empty() { Ok(0) } else { norm(s, plan, &kept) }
    }),
];

/// Returns the call with misread elements, if its data have this layout.
fn read(call: &Call, layout: Layout, misread: fn(&mut Vec<u64>, &Call)) -> Cow<'_, Call> {
    if call.layout != layout {
        return Cow::Borrowed(call);
    }
    let mut bits = call.data.bits();
    misread(&mut bits, call);
    super::with_bits(call, call.data.shape(), &bits)
}
