//! Calls that differ from a small failing one in one thing, and need not be smaller.
//!
//! They test the condition of a defect: a call that fails although it breaks one part of the condition refutes that part.

use normative_reference::{Axes, AxesTensor, Call, Dtype, Layout, Norm, Operator, Opset, Tensor};

use super::size::row_major;
use super::step::{Edit, reshaped};

/// The lengths that an axis is given: around the widths of vectors, and beyond all bounds of conditions.
const LENGTHS: [usize; 14] = [1, 2, 3, 5, 8, 9, 16, 17, 33, 65, 129, 257, 600, 1100];

/// The lengths of a further axis: 1, and beyond a few bounds of conditions or all.
const DIMS: [usize; 3] = [1, 3, 130];

/// The most elements of a varied call.
const MOST: usize = 10_000;

/// Returns calls that differ from this one in its type, layout, dims, axes, attributes, elements or operator.
pub fn varied(call: &Call) -> Vec<Call> {
    let types = Dtype::ALL.into_iter().filter_map(|dtype| Edit::Dtype(dtype).apply(call));
    let layouts = [Layout::RowMajor, Layout::Transposed, Layout::Reversed, Layout::Sliced];
    let layouts = layouts.into_iter().map(|layout| Call { layout, ..call.clone() });
    let lengths = (0..call.data.rank()).flat_map(|axis| LENGTHS.map(|dim| lengthened(call, axis, dim)));
    let axes = axes(call).into_iter().map(|axes| Call { axes, ..call.clone() });
    let operators = operators(call).into_iter().map(|operator| Call { operator, ..call.clone() });
    let all = types.chain(layouts).chain(lengths.flatten()).chain(ranked(call)).chain(axes).chain(operators);
    let varied = all.chain(filled(call)).filter(|other| other != call && other.reads_within_data());
    varied.collect()
}

/// Returns the call with another length of an axis. Elements repeat. BLAS and BNNS state a length of their own.
pub(crate) fn lengthened(call: &Call, axis: usize, dim: usize) -> Option<Call> {
    if matches!(call.operator, Operator::Blas { .. } | Operator::Bnns { .. }) || call.data.is_empty() {
        return None;
    }
    let (mut shape, bits) = (call.data.shape().to_vec(), call.data.bits());
    let (inner, old) = (shape[axis + 1..].iter().product::<usize>(), shape[axis]);
    shape[axis] = dim;
    let count: usize = shape.iter().product();
    let from = |at: usize| {
        let (outer, within, column) = (at / (inner * dim), at / inner % dim, at % inner);
        bits[(outer * old + within % old) * inner + column]
    };
    (count <= MOST).then(|| reshaped(call, &shape, &(0..count).map(from).collect::<Vec<_>>()))?
}

/// Returns the call with a further dim before or after all others. Elements repeat.
fn ranked(call: &Call) -> Vec<Call> {
    if matches!(call.operator, Operator::Blas { .. } | Operator::Bnns { .. }) {
        return Vec::new();
    }
    let (shape, bits) = (call.data.shape(), call.data.bits());
    let before = |dim: usize| {
        let mut ranked = reshaped(call, &[&[dim], shape].concat(), &bits.repeat(dim))?;
        renamed(&mut ranked, |axis| if axis >= 0 { axis + 1 } else { axis });
        Some(ranked)
    };
    let after = |dim: usize| {
        let elements: Vec<u64> = bits.iter().flat_map(|&element| vec![element; dim]).collect();
        let mut ranked = reshaped(call, &[shape, &[dim]].concat(), &elements)?;
        renamed(&mut ranked, |axis| if axis < 0 { axis - 1 } else { axis });
        Some(ranked)
    };
    let fits = DIMS.into_iter().filter(|dim| bits.len() * dim <= MOST);
    fits.flat_map(|dim| [before(dim), after(dim)]).flatten().collect()
}

/// Gives the axes of a call other numbers.
fn renamed(call: &mut Call, name: impl Fn(i128) -> i128) {
    if let Axes::Given(axes) = &mut call.axes {
        axes.values.iter_mut().for_each(|axis| *axis = name(*axis));
    }
}

/// Returns other axes: none, all, each alone, and the same counted from the other end.
fn axes(call: &Call) -> Vec<Axes> {
    let rank = call.data.rank();
    let all: Vec<i64> = (0..rank as i64).collect();
    let mut others = vec![Axes::Absent, Axes::list(&[]), Axes::list(&all)];
    others.extend(all.iter().map(|&axis| Axes::list(&[axis])));
    let Axes::Given(given) = &call.axes else { return others };
    let other_end = |&value: &i128| match row_major(call.spec(), rank, value) {
        Some(_) if value < 0 => value + rank as i128,
        Some(_) => value - rank as i128,
        None => value,
    };
    others.push(Axes::Given(AxesTensor {
        values: given.values.iter().map(other_end).collect(),
        ..given.clone()
    }));
    let types = [Dtype::I64, Dtype::I32];
    others.extend(types.map(|dtype| Axes::Given(AxesTensor { dtype, ..given.clone() })));
    others
}

/// Returns the other norm and the other versions, and other attributes.
fn operators(call: &Call) -> Vec<Operator> {
    let mut others = [None, Some(0), Some(1)].map(|keep| call.operator.with_keep_dims(keep)).to_vec();
    if let Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes } = call.operator {
        let at = |norm, opset| Operator::Onnx { norm, opset, keepdims, noop_with_empty_axes };
        others.extend(Opset::ALL.map(|opset| at(norm, opset)));
        others.extend(Norm::ALL.map(|norm| at(norm, opset)));
        others.extend([None, Some(0), Some(1)].map(|noop| Operator::Onnx {
            norm,
            opset,
            keepdims,
            noop_with_empty_axes: noop,
        }));
    }
    if let &Operator::OpenVino { keep_dims, .. } = &call.operator {
        others.extend(Norm::ALL.map(|norm| Operator::OpenVino { norm, keep_dims }));
    }
    others.retain(|operator| operator.spec().exists());
    others
}

/// Returns the call with other elements: all 0, all 1, or the first one everywhere.
fn filled(call: &Call) -> Vec<Call> {
    let (dtype, shape, bits) = (call.data.dtype(), call.data.shape(), call.data.bits());
    let Some(&first) = bits.first() else { return Vec::new() };
    let one = Tensor::from(ndarray::arr1(&[1.0_f32]).into_dyn());
    let one = Edit::Dtype(dtype).apply(&Call { data: one, ..call.clone() });
    let one = one.and_then(|call| call.data.bits().first().copied());
    let elements = [Some(0), one, Some(first)].into_iter().flatten();
    elements.filter_map(|element| reshaped(call, shape, &vec![element; bits.len()])).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use normative_reference::Spec;
    use rstest::rstest;

    use super::*;

    const ONNX: Operator =
        Operator::Onnx { norm: Norm::L1, opset: Opset::V13, keepdims: None, noop_with_empty_axes: None };
    const OPENVINO: Operator = Operator::OpenVino { norm: Norm::L2, keep_dims: Some(true) };
    const BLAS: Operator = Operator::Blas { norm: Norm::L1, n: 2, incx: 1 };

    #[rstest]
    #[case::onnx(ONNX, &[2, 3], Axes::list(&[-1]))]
    #[case::openvino(OPENVINO, &[1, 3], Axes::list(&[0]))]
    #[case::openvino_without_axes(OPENVINO, &[], Axes::list(&[]))]
    #[case::no_data(ONNX, &[0, 2], Axes::Absent)]
    #[case::bnns(Operator::Bnns { output_shape: vec![1, 3] }, &[3, 2], Axes::list(&[0]))]
    #[case::blas(BLAS, &[2], Axes::Absent)]
    fn each_call_differs_and_can_be_asked(
        #[case] operator: Operator,
        #[case] shape: &[usize],
        #[case] axes: Axes,
    ) {
        let bits: Vec<u64> = (1..=shape.iter().product::<usize>() as u64).collect();
        let call = Call::new(operator, Tensor::from_bits(Dtype::I32, shape, &bits).unwrap(), axes);
        let others = varied(&call);
        assert!(others.iter().all(|other| *other != call && other.reads_within_data()));
        let types: BTreeSet<Dtype> = others.iter().map(|other| other.data.dtype()).collect();
        assert_eq!(types.len(), Dtype::ALL.len());
    }

    #[test]
    fn lengths_go_beyond_conditions_and_elements_repeat() {
        let data = Tensor::from_bits(Dtype::I32, &[2, 2], &[1, 2, 3, 4]).unwrap();
        let call = Call::new(ONNX, data, Axes::list(&[0]));
        let others = varied(&call);
        let long = others.iter().find(|other| other.data.shape() == [1100, 2]).unwrap();
        assert_eq!(long.data.bits()[..8], [1, 2, 3, 4, 1, 2, 3, 4]);
        let wide = others.iter().find(|other| other.data.shape() == [2, 3]).unwrap();
        assert_eq!(wide.data.bits(), [1, 2, 1, 3, 4, 3]);
        let specs: BTreeSet<Spec> = others.iter().map(Call::spec).collect();
        assert_eq!(specs.len(), 7, "four versions of L1, and the same version of the other operators");
        assert!(others.iter().any(|other| other.data.rank() == 3 && other.axes == Axes::list(&[1])));
    }
}
