//! Mistakes in the formula: magnitudes, squares, sums, roots, and the number of elements.

use normative_conformance::reference::{FloatFormat, Norm};
use num_bigint::BigInt;

use super::MutantFamily::Arithmetic;
use super::{Mutant, row};
use crate::plan::{Plan, StepResult};
use crate::steps::{Steps, norm};
use crate::{floats, integers};

const NORM: &str = "norm slices function-body-abs function-body-square function-body-root";
/// The values decide, whichever rule the case is about.
const SUM: &str = "norm slices axes-some axes-all layout all-axes axes-indices";

#[rustfmt::skip]
pub(super) const ROWS: &[Mutant] = &[
    row(Arithmetic, "abs-dropped", "L1 adds signed numbers.", NORM, abs_where::<NOWHERE>),
    row(Arithmetic, "abs-on-the-first-only", "L1 takes the magnitude of the first element and adds the others as they are.", NORM, abs_where::<FIRST>),
    row(Arithmetic, "abs-but-on-the-last", "L1 adds the last element as it is.", NORM, abs_where::<BUT_LAST>),
    row(Arithmetic, "abs-but-in-tails-of-eight", "L1 adds what is left over from vectors of eight as it is.", NORM, abs_where::<EIGHTS>),
    row(Arithmetic, "abs-of-the-sum", "The magnitude is taken after adding.", NORM, |s| {
        abs_where::<NOWHERE>(s);
        s.floats.sum = |x, width| floats::sequential(x, width).abs();
        s.integers.sum = |x, dtype| { let sum = integers::sum(x, dtype); if sum < BigInt::ZERO { -sum } else { sum } };
    }),
    row(Arithmetic, "magnitude-through-the-square", "L1 takes magnitudes as roots of squares in the element's type.", NORM, |s| s.floats.terms = |norm, x| match norm {
        Norm::L1 => x.iter().map(|x| floats::held(x * x, FloatFormat::F32).sqrt()).collect(),
        Norm::L2 | Norm::SumSquare | Norm::Sum => floats::terms(norm, x),
    }),
    row(Arithmetic, "root-dropped", "L2 is the sum of squares.", NORM, |s| {
        unscaled(s);
        s.floats.root = |x| x;
        s.integers.root = |sum, _, _| sum.clone();
    }),
    row(Arithmetic, "root-twice", "L2 takes the root of the root.", NORM, |s| {
        unscaled(s);
        s.floats.root = |x| x.sqrt().sqrt();
        s.integers.root = |sum, _, _| sum.magnitude().sqrt().sqrt().into();
    }),
    row(Arithmetic, "square-of-the-sum", "L2 adds first and squares then.", NORM, |s| {
        s.floats.terms = |norm, x| if norm == Norm::L2 { x.to_vec() } else { floats::terms(norm, x) };
        s.floats.root = f64::abs;
        s.integers.terms = |norm, x, dtype| if norm == Norm::L2 { x.to_vec() } else { integers::terms(norm, x, dtype) };
        s.integers.root = |sum, _, _| sum.magnitude().clone().into();
    }),
    row(Arithmetic, "greatest-instead-of-sum", "The norm is the greatest magnitude.", NORM, |s| {
        s.floats.sum = |x, _| x.iter().fold(0.0, |greatest: f64, &x| if greatest.is_nan() || greatest > x { greatest } else { x });
        s.integers.sum = |x, _| x.iter().max().copied().unwrap_or_default().into();
    }),
    row(Arithmetic, "sums-below-zero-as-0", "A sum below 0 is 0.", NORM, |s| {
        s.floats.sum = |x, width| { let sum = floats::sequential(x, width); if sum < 0.0 { 0.0 } else { sum } };
        s.integers.sum = |x, dtype| integers::sum(x, dtype).max(BigInt::ZERO);
    }),
    row(Arithmetic, "integer-sums-stop-as-they-grow", "Each addition of integers stops at the ends of the type.", NORM, |s| s.integers.sum = |x, dtype| {
        let (least, most) = integers::range(dtype);
        x.iter().fold(0_i128, |sum, &x| sum.saturating_add(x).clamp(least, most)).into()
    }),
    row(Arithmetic, "mean", "The sum is divided by the number of elements.", NORM, |s| {
        s.floats.sum = |x, width| floats::sequential(x, width) / x.len().max(1) as f64;
        s.integers.sum = |x, dtype| integers::sum(x, dtype) / x.len().max(1);
    }),
    row(Arithmetic, "l1-as-l2", "ReduceL1 computes L2.", NORM, |s| s.norm = |s, plan, x| norm(s, &Plan { norm: Norm::L2, ..plan.clone() }, x)),
    row(Arithmetic, "l2-as-l1", "ReduceL2 computes L1.", NORM, |s| s.norm = |s, plan, x| {
        let other = if plan.norm == Norm::Sum { Norm::Sum } else { Norm::L1 };
        norm(s, &Plan { norm: other, ..plan.clone() }, x)
    }),
    row(Arithmetic, "first-dropped", "Counting starts at one.", SUM, |s| s.norm = |s, plan, x| norm(s, plan, if x.len() > 1 { &x[1..] } else { x })),
    row(Arithmetic, "last-dropped", "Counting stops one short of the end.", SUM, |s| s.norm = |s, plan, x| norm(s, plan, &x[..x.len().saturating_sub(1)])),
    row(Arithmetic, "last-of-odd-lengths-dropped", "Elements are taken in twos, and the odd one out is lost.", SUM, tail_dropped::<2>),
    row(Arithmetic, "first-counted-twice", "The sum starts with the first element and adds it again.", SUM, |s| s.norm = |s, plan, x| norm(s, plan, &[&x[..x.len().min(1)], x].concat())),
    row(Arithmetic, "every-second-skipped", "Elements are read two apart.", SUM, |s| s.norm = |s, plan, x| norm(s, plan, &x.iter().copied().step_by(2).collect::<Vec<_>>())),
    row(Arithmetic, "a-lane-of-four-never-joined", "Of four sums side by side one is left out at the end.", SUM, |s| s.norm = |s, plan, x| {
        let joined: Vec<u64> = x.iter().enumerate().filter(|(at, _)| x.len() < 4 || at % 4 != 3).map(|(_, &x)| x).collect();
        norm(s, plan, &joined)
    }),
    row(Arithmetic, "cut-at-1024", "No more than 1024 elements are summed.", NORM, |s| s.norm = |s, plan, x| norm(s, plan, &x[..x.len().min(1024)])),
    row(Arithmetic, "tails-of-four-dropped", "What is left over from vectors of four is not summed.", SUM, tail_dropped::<4>),
    row(Arithmetic, "tails-of-eight-dropped", "What is left over from vectors of eight is not summed.", SUM, tail_dropped::<8>),
    row(Arithmetic, "tails-of-sixteen-dropped", "What is left over from vectors of sixteen is not summed.", SUM, tail_dropped::<16>),
    row(Arithmetic, "tails-of-32-dropped", "What is left over from vectors of 32 is not summed.", SUM, tail_dropped::<32>),
    row(Arithmetic, "tails-of-64-dropped", "What is left over from vectors of 64 is not summed.", SUM, tail_dropped::<64>),
    row(Arithmetic, "vectors-of-four-overlap", "The last vector of four counts again what the one before it counted.", SUM, tail_overlaps::<4>),
    row(Arithmetic, "vectors-of-eight-overlap", "The last vector of eight counts again what the one before it counted.", SUM, tail_overlaps::<8>),
    row(Arithmetic, "vectors-of-sixteen-overlap", "The last vector of sixteen counts again what the one before it counted.", SUM, tail_overlaps::<16>),
    row(Arithmetic, "vectors-of-32-overlap", "The last vector of 32 counts again what the one before it counted.", SUM, tail_overlaps::<32>),
    row(Arithmetic, "vectors-of-64-overlap", "The last vector of 64 counts again what the one before it counted.", SUM, tail_overlaps::<64>),
    row(Arithmetic, "whole-vectors-of-eight-lose-their-last", "Where vectors of eight leave no tail, the last element is taken for one and lost.", SUM, last_of_whole_lost::<8>),
    row(Arithmetic, "whole-vectors-of-sixteen-lose-their-last", "Where vectors of sixteen leave no tail, the last element is taken for one and lost.", SUM, last_of_whole_lost::<16>),
    row(Arithmetic, "whole-vectors-of-64-lose-their-last", "Where vectors of 64 leave no tail, the last element is taken for one and lost.", SUM, last_of_whole_lost::<64>),
    row(Arithmetic, "long-tails-cut", "Of what is left over from vectors of eight, no more than four are summed.", SUM, |s| s.norm = |s, plan, x| {
        norm(s, plan, &x[..x.len().min(x.len() / 8 * 8 + 4)])
    }),
    row(Arithmetic, "short-rows-lost", "What is shorter than a vector of eight is not summed.", SUM, |s| s.norm = |s, plan, x| norm(s, plan, if x.len() < 8 && x.len() > 2 { &[] } else { x })),
    row(Arithmetic, "lanes-padded-with-ones", "Lanes that pad a row to whole vectors of eight hold 1.", SUM, |s| s.norm = |s, plan, x| {
        let lanes = if x.len() > 8 { x.len().next_multiple_of(8) - x.len() } else { 0 };
        let one = if plan.dtype.is_integer() { 1 } else { floats::encode(plan.dtype, 1.0) };
        norm(s, plan, &[x, &vec![one; lanes]].concat())
    }),
    row(Arithmetic, "matrix-norm-of-two-axes", "L1 over two axes is the matrix norm, the greatest sum of a column.", NORM, |s| s.norm = |s, plan, x| {
        let columns = plan.axes.iter().max().map_or(1, |&last| plan.data[last]);
        if plan.norm != Norm::L1 || plan.axes.len() != 2 || columns < 2 { return norm(s, plan, x) }
        let column = |at| norm(s, plan, &x.iter().copied().skip(at).step_by(columns).collect::<Vec<_>>());
        let sums = (0..columns).map(column).collect::<StepResult<Vec<u64>>>()?;
        let greater = |one: u64, other: u64| if plan.dtype.is_integer() {
            integers::read(plan.dtype, one) < integers::read(plan.dtype, other)
        } else {
            let [one, other] = [one, other].map(|bits| floats::read(plan.dtype, bits));
            !one.is_nan() && (other.is_nan() || one < other)
        };
        Ok(sums.into_iter().reduce(|one, other| if greater(one, other) { other } else { one }).unwrap_or(0))
    }),
    row(Arithmetic, "single-elements-returned-as-they-are", "The norm of one element is that element, sign and all.", NORM, |s| s.norm = |s, plan, x| match x {
        [one] => Ok(*one),
        _ => norm(s, plan, x),
    }),
    row(Arithmetic, "small-epsilon-under-the-root", "A small number keeps the root's argument from being zero.", NORM, |s| {
        unscaled(s);
        s.floats.root = |x| (x + 1e-12).sqrt();
        s.nothing = |plan| match plan.norm {
            Norm::L2 if !plan.dtype.is_integer() => floats::encode(plan.dtype, floats::held(1e-6, floats::format(plan.dtype))),
            _ => 0,
        };
    }),
];

/// Makes L2 square elements unscaled; f64's range still overflows.
fn unscaled(steps: &mut Steps) {
    steps.floats.scale = |_, _, _| 1.0;
}

const NOWHERE: u8 = 0;
const FIRST: u8 = 1;
const BUT_LAST: u8 = 2;
const EIGHTS: u8 = 3;

const fn takes_magnitude<const WHERE: u8>(at: usize, length: usize) -> bool {
    match WHERE {
        FIRST => at == 0,
        BUT_LAST => at + 1 < length,
        EIGHTS => at < length / 8 * 8,
        _ => false,
    }
}

/// Makes L1 take magnitudes only there.
fn abs_where<const WHERE: u8>(steps: &mut Steps) {
    steps.floats.terms = |norm, x| match norm {
        Norm::L2 | Norm::SumSquare | Norm::Sum => floats::terms(norm, x),
        Norm::L1 => {
            let there = |at| takes_magnitude::<WHERE>(at, x.len());
            x.iter().enumerate().map(|(at, &x)| if there(at) { x.abs() } else { x }).collect()
        }
    };
    steps.integers.terms = |norm, x, dtype| match norm {
        Norm::L2 | Norm::SumSquare | Norm::Sum => integers::terms(norm, x, dtype),
        Norm::L1 => {
            let there = |at| takes_magnitude::<WHERE>(at, x.len());
            x.iter().enumerate().map(|(at, &x)| if there(at) { x.abs() } else { x }).collect()
        }
    };
}

fn tail_dropped<const WIDTH: usize>(steps: &mut Steps) {
    steps.norm = |s, plan, x| norm(s, plan, if x.len() > WIDTH { &x[..x.len() / WIDTH * WIDTH] } else { x });
}

fn last_of_whole_lost<const WIDTH: usize>(steps: &mut Steps) {
    steps.norm = |s, plan, x| {
        let whole = x.len() >= WIDTH && x.len().is_multiple_of(WIDTH);
        norm(s, plan, if whole { &x[..x.len() - 1] } else { x })
    };
}

fn tail_overlaps<const WIDTH: usize>(steps: &mut Steps) {
    steps.norm = overlapping::<WIDTH>;
}

fn overlapping<const WIDTH: usize>(steps: &Steps, plan: &Plan, x: &[u64]) -> StepResult<u64> {
    if x.len() <= WIDTH || x.len().is_multiple_of(WIDTH) {
        return norm(steps, plan, x);
    }
    norm(steps, plan, &[&x[..x.len() / WIDTH * WIDTH], &x[x.len() - WIDTH..]].concat())
}
