//! Defines every norm, and the sum, as an exact real, by integer arithmetic alone.
//!
//! A finite element is `m · 2^e` for integers m and e. Its term is `m · 2^e` (a magnitude) or `m² · 2^2e` (a square). In units
//! of the least term's power of two, all terms are integers, so their sum is an integer. A [`Value`] is this
//! integer and the exponent of its unit. A root is not taken: a flag says that it is due. So nothing
//! rounds before [`Real::round`] or a tolerance compares the value with a float. A NaN makes the norm NaN,
//! otherwise an infinity makes it infinite, and no term at all makes it 0. A sum of signed elements is the difference of
//! two sums of magnitudes ([`Parts`]).
//!
//! [`norm_of`] is this definition, and [`run_by_run`] applies it to tensors. Verdicts rest on [`evaluate`],
//! which computes the same values at about the speed of a loop over f64. Its module says why they are the
//! same, and tests hold it to that.

mod signed;
mod sums;

use num_bigint::BigUint;

use self::signed::with_parts;
use crate::dtype::{Kind, Magnitude};
use crate::real::{Real, Value};
use crate::reduction::Reduction;
use crate::spec::{Finish, Norm};
use crate::tensor::Tensor;

pub use self::signed::Parts;
pub use crate::arithmetic::Variant;

/// Returns the norm of one run of elements, given by their magnitudes.
pub fn norm_of(norm: Norm, elements: impl IntoIterator<Item = Magnitude>) -> Value {
    let (mut numbers, mut infinite) = (Vec::new(), false);
    for element in elements {
        match element {
            Magnitude::Nan => return Value::Nan,
            Magnitude::Infinite => infinite = true,
            Magnitude::Finite { significand, exponent } => {
                numbers.push((BigUint::from(significand), exponent));
            }
        }
    }
    if infinite {
        return Value::Infinite;
    }
    let power = u32::from(norm.order());
    let least = numbers.iter().map(|&(_, exponent)| exponent).min().unwrap_or(0);
    let terms = numbers.into_iter().map(|(m, exponent)| m.pow(power) << (power as i32 * (exponent - least)));
    let root = norm.finish() == Finish::Root;
    Value::Finite(Real { significand: terms.sum(), exponent: power as i32 * least, root, negative: false })
}

/// Returns the exact result of every output element, row-major in the output's shape.
pub fn evaluate(data: &Tensor, reduction: &Reduction, variant: Variant) -> Vec<Value> {
    evaluate_with_parts(data, reduction, variant).0
}

/// Does the same, and returns both parts of each result that is a signed sum.
pub fn evaluate_with_parts(
    data: &Tensor,
    reduction: &Reduction,
    variant: Variant,
) -> (Vec<Value>, Vec<Parts>) {
    with_parts(sums::evaluate, data, reduction, variant)
}

/// Does the same one output after another, by the definition.
pub fn run_by_run(data: &Tensor, reduction: &Reduction, variant: Variant) -> Vec<Value> {
    with_parts(norms_of_runs, data, reduction, variant).0
}

fn norms_of_runs(data: &Tensor, reduction: &Reduction, variant: Variant) -> Vec<Value> {
    let data = &*reduction.operand(data);
    let magnitude = |bits| match data.dtype().kind() {
        Kind::Float(format) if variant.flush_subnormals && format.is_subnormal(bits) => {
            Magnitude::Finite { significand: 0, exponent: 0 }
        }
        Kind::Float(_) | Kind::Integer(_) => data.dtype().magnitude(bits),
    };
    let bits = data.bits_by(&reduction.outer_to_inner(data.shape().len()));
    let outputs = reduction.outputs(data.shape());
    let terms = bits.len().checked_div(outputs).unwrap_or(0);
    let runs = (0..outputs).map(|at| bits[at * terms..(at + 1) * terms].iter().map(|&bits| magnitude(bits)));
    let infinite =
        |mut run| variant.infinity_over_nan && Iterator::any(&mut run, |x| x == Magnitude::Infinite);
    runs.map(|run| if infinite(run.clone()) { Value::Infinite } else { norm_of(reduction.norm, run) })
        .collect()
}
