//! Shared helpers: a seeded source of numbers and short ways to write a call.
//!
//! They compute no expected values.

pub(crate) mod readings;

use std::collections::BTreeSet;

use ndarray::ArrayD;
use normative_reference::{Axes, Call, Dtype, Element, Norm, Operator, Opset, Outcome, Ruling, Tensor};

/// The `SplitMix64` generator: the same numbers on every machine, from any seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns 64 fresh bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Returns a number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Returns true once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns one of the items.
    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Returns a tensor with these elements, row-major.
pub(crate) fn tensor<T: Element>(shape: &[usize], elements: &[T]) -> Tensor
where
    Tensor: From<ArrayD<T>>,
{
    ArrayD::from_shape_vec(shape, elements.to_vec()).unwrap().into()
}

/// Returns a tensor of one element type, every element with these bits.
pub(crate) fn filled(dtype: Dtype, shape: &[usize], bits: u64) -> Tensor {
    let count = shape.iter().product();
    Tensor::from_bits(dtype, shape, &vec![bits; count]).unwrap()
}

/// Returns an OpenVINO call without `keep_dims`.
pub(crate) fn openvino(norm: Norm, axes: Axes, data: Tensor) -> Call {
    Call::new(Operator::OpenVino { norm, keep_dims: None }, data, axes)
}

/// Returns an ONNX call without attributes other than axes.
pub(crate) fn onnx(norm: Norm, opset: Opset, axes: Axes, data: Tensor) -> Call {
    onnx_with(norm, opset, None, None, axes, data)
}

/// Returns an ONNX call.
pub(crate) fn onnx_with(
    norm: Norm,
    opset: Opset,
    keepdims: Option<i64>,
    noop_with_empty_axes: Option<i64>,
    axes: Axes,
    data: Tensor,
) -> Call {
    Call::new(Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes }, data, axes)
}

/// Returns a BNNS call whose output was allocated with these dims, fastest first.
pub(crate) fn bnns(output_shape: &[usize], axes: Axes, data: Tensor) -> Call {
    Call::new(Operator::Bnns { output_shape: output_shape.to_vec() }, data, axes)
}

/// Returns a call of the array API's `vector_norm`.
pub(crate) fn array_api(ord: Option<Norm>, keepdims: Option<bool>, axes: Axes, data: Tensor) -> Call {
    Call::new(Operator::ArrayApi { ord, keepdims }, data, axes)
}

/// Returns a call of WebNN.
pub(crate) fn webnn(norm: Norm, keep_dimensions: Option<bool>, axes: Axes, data: Tensor) -> Call {
    Call::new(Operator::WebNn { norm, keep_dimensions }, data, axes)
}

/// Returns a call of BLAS.
pub(crate) fn blas(norm: Norm, n: i32, incx: i32, data: Tensor) -> Call {
    Call::new(Operator::Blas { norm, n, incx }, data, Axes::Absent)
}

/// Returns every clause that a call can break, open ones included, as `family#clause`. Only `expect` cites
/// output-type.
pub(crate) fn breakable() -> BTreeSet<String> {
    let families = [
        ("array-api", "axes-range axes-repeated axes-types empty-data empty-set types"),
        ("blas", "dimension ranks signature types"),
        (
            "bnns",
            "axes axes-empty axes-list axes-repeated axes-types empty-data empty-set output-shape \
             ranks types",
        ),
        (
            "onnx",
            "attributes axes axes-attribute axes-empty axes-list axes-range axes-repeated \
             axes-types empty-data rank-zero-unstated empty-set-unstated inputs keepdims-values \
             noop-values types",
        ),
        (
            "openvino",
            "axes-range axes-required axes-scalar-or-1d axes-types axes-unique empty-data empty-set",
        ),
        ("webnn", "axes-list axes-range axes-types axes-unique types zero-sized-dims"),
    ];
    let clauses = families
        .iter()
        .flat_map(|(family, clauses)| clauses.split(' ').map(move |clause| format!("{family}#{clause}")));
    clauses.collect()
}

/// Returns the clauses a call breaks under some reading, as `family#clause`.
pub(crate) fn broken_clauses(ruling: &Ruling) -> Vec<String> {
    let broken = ruling.alternatives.iter().filter_map(|alternative| match &alternative.outcome {
        Outcome::Rejected(clause) | Outcome::OutOfScope(clause) => {
            Some(format!("{}#{}", clause.spec.family(), clause.name))
        }
        Outcome::Reduce(..) | Outcome::Unchanged => None,
    });
    broken.collect()
}
