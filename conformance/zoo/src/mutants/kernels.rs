//! One wrong kernel of many: a mistake in one element type, one norm, one position of the reduced axes and at one
//! remainder of the length or of the inner dim, while all others are right.
//!
//! Such are the defects that releases of real runtimes had. A row says where the kernel is taken and what it does; how
//! that is done, [`Fault`] knows for all of them.

use normative_conformance::generate::covering::Position as P;
use normative_conformance::reference::{Dtype as D, Norm as N};

use super::Family::Kernels;
use super::{Edit, Mutant, row};
use crate::fault::{Fault, When as W, Wrong as F};

const fn fault(name: &'static str, dtype: D, norm: N, position: Option<P>, when: W, wrong: F) -> Mutant {
    let edit = Edit::Fault(Fault { dtype, norm, position, when, wrong });
    Mutant { family: Kernels, name, wrong: wrong.sentence(), breaks: NORM, edit }
}

const NORM: &[&str] = &["norm", "slices", "axes", "axes-some", "numpy-like"];

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    fault("f16-l1-inner-last-of-1-dropped", D::F16, N::L1, Some(P::Inner), W::Residue(1), F::LastDropped),
    fault("f16-l2-outer-tail-of-1-dropped", D::F16, N::L2, Some(P::Outer), W::Residue(1), F::TailDropped),
    fault("f16-l1-middle-tail-of-3-begun-early", D::F16, N::L1, Some(P::Middle), W::Residue(3), F::FirstOfTailDoubled),
    fault("f16-l2-inner-overrun-at-7", D::F16, N::L2, Some(P::Inner), W::Residue(7), F::NextRowsFirst),
    fault("f16-l1-outer-overlap-before-5", D::F16, N::L1, Some(P::Outer), W::Residue(5), F::VectorBeforeTailDoubled),
    fault("f16-l2-outer-last-of-1-columns-unwritten", D::F16, N::L2, Some(P::Outer), W::Columns(1), F::LastColumnsUnwritten),
    fault("f16-l1-inner-square-transposed", D::F16, N::L1, Some(P::Inner), W::Square, F::Transposed),
    fault("f16-l2-outer-lane-dropped", D::F16, N::L2, Some(P::Outer), W::Vectors, F::LaneDropped),
    fault("f16-l1-all-tail-without-abs", D::F16, N::L1, Some(P::All), W::Tail, F::TailWithoutAbs),
    fault("bf16-l2-outer-last-of-2-dropped", D::Bf16, N::L2, Some(P::Outer), W::Residue(2), F::LastDropped),
    fault("bf16-l1-middle-tail-of-4-dropped", D::Bf16, N::L1, Some(P::Middle), W::Residue(4), F::TailDropped),
    fault("bf16-l2-all-tail-of-1-begun-early", D::Bf16, N::L2, Some(P::All), W::Residue(1), F::FirstOfTailDoubled),
    fault("bf16-l1-middle-overrun-at-2", D::Bf16, N::L1, Some(P::Middle), W::Residue(2), F::NextRowsFirst),
    fault("bf16-l2-middle-overlap-before-1", D::Bf16, N::L2, Some(P::Middle), W::Residue(1), F::VectorBeforeTailDoubled),
    fault("bf16-l1-middle-last-of-7-columns-copied", D::Bf16, N::L1, Some(P::Middle), W::Columns(7), F::LastColumnCopied),
    fault("bf16-l2-outer-square-transposed", D::Bf16, N::L2, Some(P::Outer), W::Square, F::Transposed),
    fault("bf16-l1-inner-lane-dropped", D::Bf16, N::L1, Some(P::Inner), W::Vectors, F::LaneDropped),
    fault("bf16-l1-several-tail-without-abs", D::Bf16, N::L1, Some(P::Several), W::Tail, F::TailWithoutAbs),
    fault("f32-l1-middle-last-of-3-dropped", D::F32, N::L1, Some(P::Middle), W::Residue(3), F::LastDropped),
    fault("f32-l2-all-tail-of-7-dropped", D::F32, N::L2, Some(P::All), W::Residue(7), F::TailDropped),
    fault("f32-l1-several-tail-of-6-begun-early", D::F32, N::L1, Some(P::Several), W::Residue(6), F::FirstOfTailDoubled),
    fault("f32-l2-outer-overrun-at-5", D::F32, N::L2, Some(P::Outer), W::Residue(5), F::NextRowsFirst),
    fault("f32-l1-inner-overlap-before-4", D::F32, N::L1, Some(P::Inner), W::Residue(4), F::VectorBeforeTailDoubled),
    fault("f32-l2-outer-last-of-2-columns-unwritten", D::F32, N::L2, Some(P::Outer), W::Columns(2), F::LastColumnsUnwritten),
    fault("f32-l1-inner-square-transposed", D::F32, N::L1, Some(P::Inner), W::Square, F::Transposed),
    fault("f32-l2-outer-lane-dropped", D::F32, N::L2, Some(P::Outer), W::Vectors, F::LaneDropped),
    fault("f32-l1-inner-tail-without-abs", D::F32, N::L1, Some(P::Inner), W::Tail, F::TailWithoutAbs),
    fault("f64-l2-all-last-of-4-dropped", D::F64, N::L2, Some(P::All), W::Residue(4), F::LastDropped),
    fault("f64-l1-several-tail-of-3-dropped", D::F64, N::L1, Some(P::Several), W::Residue(3), F::TailDropped),
    fault("f64-l2-inner-tail-of-4-begun-early", D::F64, N::L2, Some(P::Inner), W::Residue(4), F::FirstOfTailDoubled),
    fault("f64-l1-inner-overrun-at-0", D::F64, N::L1, Some(P::Inner), W::Residue(0), F::NextRowsFirst),
    fault("f64-l2-outer-overlap-before-7", D::F64, N::L2, Some(P::Outer), W::Residue(7), F::VectorBeforeTailDoubled),
    fault("f64-l1-middle-last-of-4-columns-copied", D::F64, N::L1, Some(P::Middle), W::Columns(4), F::LastColumnCopied),
    fault("f64-l2-outer-square-transposed", D::F64, N::L2, Some(P::Outer), W::Square, F::Transposed),
    fault("f64-l1-inner-lane-dropped", D::F64, N::L1, Some(P::Inner), W::Vectors, F::LaneDropped),
    fault("f64-l1-outer-tail-without-abs", D::F64, N::L1, Some(P::Outer), W::Tail, F::TailWithoutAbs),
    fault("i8-l1-several-last-of-5-dropped", D::I8, N::L1, Some(P::Several), W::Residue(5), F::LastDropped),
    fault("i8-l2-inner-tail-of-6-dropped", D::I8, N::L2, Some(P::Inner), W::Residue(6), F::TailDropped),
    fault("i8-l1-outer-tail-of-2-begun-early", D::I8, N::L1, Some(P::Outer), W::Residue(2), F::FirstOfTailDoubled),
    fault("i8-l2-middle-overrun-at-3", D::I8, N::L2, Some(P::Middle), W::Residue(3), F::NextRowsFirst),
    fault("i8-l1-middle-overlap-before-3", D::I8, N::L1, Some(P::Middle), W::Residue(3), F::VectorBeforeTailDoubled),
    fault("i8-l2-outer-last-of-1-columns-unwritten", D::I8, N::L2, Some(P::Outer), W::Columns(1), F::LastColumnsUnwritten),
    fault("i8-l1-inner-square-transposed", D::I8, N::L1, Some(P::Inner), W::Square, F::Transposed),
    fault("i8-l2-outer-lane-dropped", D::I8, N::L2, Some(P::Outer), W::Vectors, F::LaneDropped),
    fault("i8-l1-middle-tail-without-abs", D::I8, N::L1, Some(P::Middle), W::Tail, F::TailWithoutAbs),
    fault("i16-l2-inner-last-of-6-dropped", D::I16, N::L2, Some(P::Inner), W::Residue(6), F::LastDropped),
    fault("i16-l1-outer-tail-of-2-dropped", D::I16, N::L1, Some(P::Outer), W::Residue(2), F::TailDropped),
    fault("i16-l2-middle-tail-of-7-begun-early", D::I16, N::L2, Some(P::Middle), W::Residue(7), F::FirstOfTailDoubled),
    fault("i16-l1-outer-overrun-at-6", D::I16, N::L1, Some(P::Outer), W::Residue(6), F::NextRowsFirst),
    fault("i16-l2-inner-overlap-before-6", D::I16, N::L2, Some(P::Inner), W::Residue(6), F::VectorBeforeTailDoubled),
    fault("i16-l1-middle-last-of-7-columns-copied", D::I16, N::L1, Some(P::Middle), W::Columns(7), F::LastColumnCopied),
    fault("i16-l2-outer-square-transposed", D::I16, N::L2, Some(P::Outer), W::Square, F::Transposed),
    fault("i16-l1-inner-lane-dropped", D::I16, N::L1, Some(P::Inner), W::Vectors, F::LaneDropped),
    fault("i16-l1-all-tail-without-abs", D::I16, N::L1, Some(P::All), W::Tail, F::TailWithoutAbs),
    fault("i32-l1-outer-last-of-7-dropped", D::I32, N::L1, Some(P::Outer), W::Residue(7), F::LastDropped),
    fault("i32-l2-middle-tail-of-5-dropped", D::I32, N::L2, Some(P::Middle), W::Residue(5), F::TailDropped),
    fault("i32-l1-all-tail-of-5-begun-early", D::I32, N::L1, Some(P::All), W::Residue(5), F::FirstOfTailDoubled),
    fault("i32-l2-inner-overrun-at-1", D::I32, N::L2, Some(P::Inner), W::Residue(1), F::NextRowsFirst),
    fault("i32-l1-outer-overlap-before-2", D::I32, N::L1, Some(P::Outer), W::Residue(2), F::VectorBeforeTailDoubled),
    fault("i32-l2-outer-last-of-2-columns-unwritten", D::I32, N::L2, Some(P::Outer), W::Columns(2), F::LastColumnsUnwritten),
    fault("i32-l1-inner-square-transposed", D::I32, N::L1, Some(P::Inner), W::Square, F::Transposed),
    fault("i32-l2-outer-lane-dropped", D::I32, N::L2, Some(P::Outer), W::Vectors, F::LaneDropped),
    fault("i32-l1-several-tail-without-abs", D::I32, N::L1, Some(P::Several), W::Tail, F::TailWithoutAbs),
    fault("i64-l2-middle-last-of-0-dropped", D::I64, N::L2, Some(P::Middle), W::Residue(0), F::LastDropped),
    fault("i64-l1-all-tail-of-1-dropped", D::I64, N::L1, Some(P::All), W::Residue(1), F::TailDropped),
    fault("i64-l2-several-tail-of-3-begun-early", D::I64, N::L2, Some(P::Several), W::Residue(3), F::FirstOfTailDoubled),
    fault("i64-l1-middle-overrun-at-4", D::I64, N::L1, Some(P::Middle), W::Residue(4), F::NextRowsFirst),
    fault("i64-l2-middle-overlap-before-5", D::I64, N::L2, Some(P::Middle), W::Residue(5), F::VectorBeforeTailDoubled),
    fault("i64-l1-middle-last-of-4-columns-copied", D::I64, N::L1, Some(P::Middle), W::Columns(4), F::LastColumnCopied),
    fault("i64-l2-outer-square-transposed", D::I64, N::L2, Some(P::Outer), W::Square, F::Transposed),
    fault("i64-l1-inner-lane-dropped", D::I64, N::L1, Some(P::Inner), W::Vectors, F::LaneDropped),
    fault("i64-l1-inner-tail-without-abs", D::I64, N::L1, Some(P::Inner), W::Tail, F::TailWithoutAbs),
    fault("u8-l1-all-last-of-1-dropped", D::U8, N::L1, Some(P::All), W::Residue(1), F::LastDropped),
    fault("u8-l2-several-tail-of-4-dropped", D::U8, N::L2, Some(P::Several), W::Residue(4), F::TailDropped),
    fault("u8-l1-inner-tail-of-1-begun-early", D::U8, N::L1, Some(P::Inner), W::Residue(1), F::FirstOfTailDoubled),
    fault("u8-l2-outer-overrun-at-7", D::U8, N::L2, Some(P::Outer), W::Residue(7), F::NextRowsFirst),
    fault("u8-l1-inner-overlap-before-1", D::U8, N::L1, Some(P::Inner), W::Residue(1), F::VectorBeforeTailDoubled),
    fault("u8-l2-outer-last-of-1-columns-unwritten", D::U8, N::L2, Some(P::Outer), W::Columns(1), F::LastColumnsUnwritten),
    fault("u8-l1-inner-square-transposed", D::U8, N::L1, Some(P::Inner), W::Square, F::Transposed),
    fault("u8-l2-outer-lane-dropped", D::U8, N::L2, Some(P::Outer), W::Vectors, F::LaneDropped),
    fault("u16-l2-several-last-of-2-dropped", D::U16, N::L2, Some(P::Several), W::Residue(2), F::LastDropped),
    fault("u16-l1-inner-tail-of-7-dropped", D::U16, N::L1, Some(P::Inner), W::Residue(7), F::TailDropped),
    fault("u16-l2-outer-tail-of-6-begun-early", D::U16, N::L2, Some(P::Outer), W::Residue(6), F::FirstOfTailDoubled),
    fault("u16-l1-inner-overrun-at-2", D::U16, N::L1, Some(P::Inner), W::Residue(2), F::NextRowsFirst),
    fault("u16-l2-outer-overlap-before-4", D::U16, N::L2, Some(P::Outer), W::Residue(4), F::VectorBeforeTailDoubled),
    fault("u16-l1-middle-last-of-7-columns-copied", D::U16, N::L1, Some(P::Middle), W::Columns(7), F::LastColumnCopied),
    fault("u16-l2-outer-square-transposed", D::U16, N::L2, Some(P::Outer), W::Square, F::Transposed),
    fault("u16-l1-inner-lane-dropped", D::U16, N::L1, Some(P::Inner), W::Vectors, F::LaneDropped),
    fault("u32-l1-inner-last-of-3-dropped", D::U32, N::L1, Some(P::Inner), W::Residue(3), F::LastDropped),
    fault("u32-l2-outer-tail-of-3-dropped", D::U32, N::L2, Some(P::Outer), W::Residue(3), F::TailDropped),
    fault("u32-l1-middle-tail-of-4-begun-early", D::U32, N::L1, Some(P::Middle), W::Residue(4), F::FirstOfTailDoubled),
    fault("u32-l2-middle-overrun-at-5", D::U32, N::L2, Some(P::Middle), W::Residue(5), F::NextRowsFirst),
    fault("u32-l1-middle-overlap-before-7", D::U32, N::L1, Some(P::Middle), W::Residue(7), F::VectorBeforeTailDoubled),
    fault("u32-l2-outer-last-of-2-columns-unwritten", D::U32, N::L2, Some(P::Outer), W::Columns(2), F::LastColumnsUnwritten),
    fault("u32-l1-inner-square-transposed", D::U32, N::L1, Some(P::Inner), W::Square, F::Transposed),
    fault("u32-l2-outer-lane-dropped", D::U32, N::L2, Some(P::Outer), W::Vectors, F::LaneDropped),
    fault("u64-l2-outer-last-of-4-dropped", D::U64, N::L2, Some(P::Outer), W::Residue(4), F::LastDropped),
    fault("u64-l1-middle-tail-of-6-dropped", D::U64, N::L1, Some(P::Middle), W::Residue(6), F::TailDropped),
    fault("u64-l2-all-tail-of-2-begun-early", D::U64, N::L2, Some(P::All), W::Residue(2), F::FirstOfTailDoubled),
    fault("u64-l1-outer-overrun-at-0", D::U64, N::L1, Some(P::Outer), W::Residue(0), F::NextRowsFirst),
    fault("u64-l2-inner-overlap-before-3", D::U64, N::L2, Some(P::Inner), W::Residue(3), F::VectorBeforeTailDoubled),
    fault("u64-l1-middle-last-of-4-columns-copied", D::U64, N::L1, Some(P::Middle), W::Columns(4), F::LastColumnCopied),
    fault("u64-l2-outer-square-transposed", D::U64, N::L2, Some(P::Outer), W::Square, F::Transposed),
    fault("u64-l1-inner-lane-dropped", D::U64, N::L1, Some(P::Inner), W::Vectors, F::LaneDropped),
    row(Kernels, "i16-pairs-of-squares-wrap", "Squares of shorts are added in pairs of 32 bits with a sign, where two of the least overflow.", &["norm", "output-type", "silent-on-overflow"], |s| s.integers.terms = pairs::<16>),
    row(Kernels, "i8-pairs-of-squares-wrap", "Squares of bytes are added in pairs of 16 bits with a sign, where two of the least overflow.", &["norm", "output-type", "silent-on-overflow"], |s| s.integers.terms = pairs::<8>),
];

/// Squares added in pairs of twice the width, as `pmaddwd` adds them.
fn pairs<const BITS: usize>(norm: N, elements: &[i128], dtype: D) -> Vec<i128> {
    let terms = crate::integers::terms(norm, elements, dtype);
    let (signed, range) = (dtype == D::I8 || dtype == D::I16, 1_i128 << (2 * BITS));
    if norm == N::L1 || !signed || 8 * dtype.size() != BITS {
        return terms;
    }
    let wrap = |sum: i128| if sum >= range / 2 { sum - range } else { sum };
    terms.chunks(2).map(|pair| wrap(pair.iter().sum())).collect()
}
