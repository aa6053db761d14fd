//! Sums of elements with their signs: two sums of magnitudes, and their difference.
//!
//! Nothing is added here but one difference an output. A NaN belongs to both parts. So the two parts tell each special
//! sum: infinities of both signs give NaN, as IEEE 754-2019 (7.2) adds them.

use crate::arithmetic::Variant;
use crate::dtype::Kind;
use crate::real::{Real, Value};
use crate::reduction::Reduction;
use crate::spec::{Norm, Term};
use crate::tensor::{Element, Tensor};
use crate::with_array;

/// The sum of the elements above zero, and that of the magnitudes of those below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The sum of the elements above zero.
    pub above: Value,
    /// The sum of the magnitudes of the elements below zero.
    pub below: Value,
}

/// Returns the exact result of every output element, row-major in the output's shape, and, of sums, its parts.
/// `norms` computes norms.
pub(super) fn with_parts(
    norms: impl Fn(&Tensor, &Reduction, Variant) -> Vec<Value>,
    data: &Tensor,
    reduction: &Reduction,
    variant: Variant,
) -> (Vec<Value>, Vec<Parts>) {
    if reduction.norm.term() != Term::Element {
        return (norms(data, reduction, variant), Vec::new());
    }
    let magnitudes = Reduction { norm: Norm::L1, ..reduction.clone() };
    let [above, below] =
        [false, true].map(|negative| norms(&with_sign(data, negative), &magnitudes, variant));
    let parts: Vec<Parts> =
        above.into_iter().zip(below).map(|(above, below)| Parts { above, below }).collect();
    (parts.iter().map(Parts::sum).collect(), parts)
}

/// Returns the data with a zero in the place of each element of the other sign, but of no NaN.
fn with_sign(data: &Tensor, negative: bool) -> Tensor {
    let sign = 1_u64 << (8 * data.dtype().size() - 1);
    let signed = match data.dtype().kind() {
        Kind::Float(_) => true,
        Kind::Integer(range) => range.is_signed(),
    };
    let keep = |bits: u64| match data.dtype().kind() {
        Kind::Float(format) if bits & !sign > format.infinity() => true,
        Kind::Float(_) | Kind::Integer(_) => (signed && bits & sign != 0) == negative,
    };
    with_array!(data, array => array.mapv(|x| if keep(x.to_u64()) { x } else { Element::from_u64(0) }).into())
}

impl Parts {
    /// Returns the sum.
    pub fn sum(&self) -> Value {
        match (&self.above, &self.below) {
            (Value::Finite(above), Value::Finite(below)) => Value::Finite(above.minus(below)),
            (Value::Infinite, Value::Finite(_)) => Value::Infinite,
            (Value::Finite(_), Value::Infinite) => Value::NegativeInfinite,
            _ => Value::Nan,
        }
    }

    /// Returns the sum of all magnitudes; `None` if it is no number.
    pub fn total(&self) -> Option<Real> {
        match (&self.above, &self.below) {
            (Value::Finite(above), Value::Finite(below)) => Some(above.plus(below)),
            _ => None,
        }
    }
}
