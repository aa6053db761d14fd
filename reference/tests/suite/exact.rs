//! Tests that tensors are evaluated to what the definition gives run by run, and that the expectations of several
//! readings are those of each. The data reach every path: one lane and several, sums that overflow their buckets,
//! and axes in every arrangement.

use normative_reference::exact::{self, Variant};
use normative_reference::{
    Axes, Dims, Dtype, Elements, Expected, FloatFormat, Kind, Norm, Opset, Question, Reading, Reduction,
    Tensor, expect, expect_each, rule,
};
use rstest::rstest;

use crate::common::{Random, onnx_with, openvino, tensor};

/// Draws the bits of one element of this format.
type Element = fn(&mut Random, FloatFormat) -> u64;

/// Returns any finite number.
fn any(random: &mut Random, format: FloatFormat) -> u64 {
    random.bits() % format.infinity()
}

/// Draws magnitudes within `binades` of each other, the greatest below `2^(max_exponent + 1 - below)`.
fn within(random: &mut Random, format: FloatFormat, binades: u64, below: u64) -> u64 {
    let place = format.precision - 1;
    let field = (format.infinity() >> place) - 1 - below - random.bits() % (binades + 1);
    field << place | random.bits() & ((1 << place) - 1)
}

const ELEMENTS: [(&str, Element); 8] = [
    ("any", any),
    ("one binade", |random, format| within(random, format, 0, 8)),
    ("a dozen binades", |random, format| within(random, format, 12, 8)),
    ("seventy binades", |random, format| within(random, format, 70.min(fields(format)), 2)),
    ("the greatest", |random, format| within(random, format, 1, 0)),
    ("subnormals", |random, format| random.bits() % (2 << (format.precision - 1))),
    ("mostly zeros", |random, format| if random.one_in(5) { within(random, format, 3, 8) } else { 0 }),
    ("with specials", |random, format| match random.below(400) {
        0 => format.infinity(),
        1 => format.nan(),
        _ => within(random, format, 3, 8),
    }),
];

fn fields(format: FloatFormat) -> u64 {
    (format.infinity() >> (format.precision - 1)) - 12
}

/// Shapes with the axes to reduce. Several lanes are used from 1024 elements of an innermost axis on, and from
/// 256 elements of each of 64 neighbouring outputs.
const SHAPES: [(&[usize], &[usize]); 22] = [
    (&[], &[]),
    (&[1], &[0]),
    (&[8], &[]),
    (&[9], &[0]),
    (&[1023], &[0]),
    (&[1025], &[0]),
    (&[2, 1026], &[1]),
    (&[3, 2, 700], &[0, 2]),
    (&[257, 9], &[0]),
    (&[255, 64], &[0]),
    (&[256, 64], &[0]),
    // Two panels of neighbouring outputs, the last of them narrower.
    (&[260, 70], &[0]),
    // Rows that begin in the same lane, and rows that do not.
    (&[4097, 4], &[0]),
    (&[6000, 3], &[0]),
    (&[2, 300, 3, 64], &[1]),
    (&[2, 150, 3, 64], &[1, 2]),
    (&[4, 5, 6], &[0, 2]),
    (&[4, 5, 6], &[1]),
    (&[30, 1, 3, 1, 30], &[0, 1, 4]),
    (&[2, 3, 4, 5, 6], &[1, 3]),
    (&[2, 3, 4, 5, 6], &[0, 2, 4]),
    (&[3, 0, 2], &[1]),
];

#[rstest]
fn tensors_of_floats_are_evaluated_as_run_by_run(
    #[values(Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64)] dtype: Dtype,
    #[values(Norm::L1, Norm::L2, Norm::Sum)] norm: Norm,
) {
    let Kind::Float(format) = dtype.kind() else { panic!("{dtype} is no float") };
    let mut random = Random(71);
    for (name, element) in ELEMENTS {
        let element =
            |random: &mut Random| element(random, format) | if random.one_in(2) { format.sign() } else { 0 };
        assert_equal(&format!("{name} of {dtype}"), dtype, norm, &mut || element(&mut random));
    }
}

#[rstest]
fn tensors_of_integers_are_evaluated_as_run_by_run(#[values(Norm::L1, Norm::L2, Norm::Sum)] norm: Norm) {
    let mut random = Random(72);
    for dtype in Dtype::ALL.into_iter().filter(|dtype| dtype.is_integer()) {
        assert_equal(dtype.name(), dtype, norm, &mut || random.bits());
        let extremes = [1 << (8 * dtype.size() - 1), u64::MAX, u64::MAX >> 1, 0];
        assert_equal(dtype.name(), dtype, norm, &mut || random.pick(&extremes));
    }
}

fn assert_equal(what: &str, dtype: Dtype, norm: Norm, element: &mut dyn FnMut() -> u64) {
    for (shape, axes) in SHAPES {
        let bits: Vec<u64> = (0..shape.iter().product()).map(|_| element()).collect();
        let data = Tensor::from_bits(dtype, shape, &bits).unwrap();
        let reduction = Reduction { norm, axes: axes.to_vec(), dims: Dims::Drop, elements: Elements::All };
        for flush_subnormals in [false, true] {
            for infinity_over_nan in [false, true] {
                let variant = Variant { flush_subnormals, infinity_over_nan };
                let evaluated = exact::evaluate(&data, &reduction, variant);
                let defined = exact::run_by_run(&data, &reduction, variant);
                assert!(
                    evaluated == defined,
                    "{norm:?} of {what}, shape {shape:?}, axes {axes:?}, {variant:?}"
                );
            }
        }
    }
}

/// 1024 squares of 2^126 leave the lowest bucket empty, so the sum is in units of a higher one. The norm is 2^68.
#[test]
fn a_sum_of_integers_may_be_in_units_of_a_power_of_two() {
    let data = tensor(&[1024], &[i64::MIN; 1024]);
    let reduction = Reduction { norm: Norm::L2, axes: vec![0], dims: Dims::Drop, elements: Elements::All };
    assert_eq!(
        exact::evaluate(&data, &reduction, Variant::default()),
        exact::run_by_run(&data, &reduction, Variant::default())
    );
    let ruling = rule(&openvino(Norm::L2, Axes::list(&[0]), data.clone()));
    for (reading, value) in [(Reading::Wrap, 0), (Reading::Saturate, i64::MAX)] {
        let read = |question| (question == Question::IntegerOverflow).then_some(reading);
        let outcome = &ruling.under(read).unwrap().outcome;
        let expected = expect(&openvino(Norm::L2, Axes::list(&[0]), data.clone()), outcome).unwrap();
        assert_eq!(expected, Expected::Exactly(tensor(&[], &[value])), "{reading:?}");
    }
}

#[rstest]
#[case::a_power_of_two(&[1 << 32])]
#[case::several(&[3 << 40, -1 << 40, 5 << 33])]
#[case::extremes(&[i64::MIN, i64::MAX, i64::MIN])]
#[case::zeros(&[0, 0])]
fn the_expectations_of_every_reading_of_integers_are_those_of_each(
    #[case] elements: &[i64],
    #[values(1, 40)] times: usize,
    #[values(Norm::L1, Norm::L2)] norm: Norm,
) {
    let call = openvino(norm, Axes::list(&[0]), tensor(&[elements.len() * times], &elements.repeat(times)));
    let ruling = rule(&call);
    let each: Result<Vec<_>, _> =
        ruling.alternatives.iter().map(|alternative| expect(&call, &alternative.outcome)).collect();
    assert_eq!(expect_each(&call, &ruling), each);
}

/// Calls whose readings differ only in the reduction, only in the arithmetic, and in both.
#[rstest]
#[case::nothing_special(&[0x3c00, 0x4200, 0xc500, 0x0000])]
#[case::squares_that_overflow(&[0x7bff, 0x7bff, 0xfbff, 0x3c00])]
#[case::subnormals(&[0x0001, 0x83ff, 0x0400, 0x3c00])]
#[case::nan_beside_an_infinity(&[0x7e00, 0x7c00, 0x0001, 0x3c00])]
fn the_expectations_of_every_reading_of_floats_are_those_of_each(#[case] bits: &[u64]) {
    let data = Tensor::from_bits(Dtype::F16, &[2, 2], bits).unwrap();
    let axes = [Axes::Absent, Axes::list(&[]), Axes::list(&[1]), Axes::list(&[0, 1]), Axes::list(&[1, -1])];
    let mut several = 0;
    for (norm, axes) in
        [Norm::L1, Norm::L2].into_iter().flat_map(|norm| axes.iter().map(move |axes| (norm, axes)))
    {
        for call in [
            openvino(norm, axes.clone(), data.clone()),
            onnx_with(norm, Opset::V18, None, Some(1), axes.clone(), data.clone()),
        ] {
            let ruling = rule(&call);
            let each: Result<Vec<_>, _> =
                ruling.alternatives.iter().map(|alternative| expect(&call, &alternative.outcome)).collect();
            several += usize::from(ruling.alternatives.len() > 1);
            assert_eq!(expect_each(&call, &ruling), each, "{call:?}");
        }
    }
    assert!(several > 8, "{several}");
}

#[test]
fn a_tensor_that_is_not_row_major_is_read_in_its_logical_order() {
    let elements: Vec<f32> = (0_u8..60).map(f32::from).collect();
    let array = ndarray::ArrayD::from_shape_vec(vec![3, 4, 5], elements).unwrap();
    for axes in [vec![0], vec![1], vec![2], vec![0, 2]] {
        let data: Tensor = array.clone().permuted_axes(vec![2, 0, 1]).into();
        let reduction = Reduction { norm: Norm::L1, axes, dims: Dims::Drop, elements: Elements::All };
        assert_eq!(
            exact::evaluate(&data, &reduction, Variant::default()),
            exact::run_by_run(&data, &reduction, Variant::default())
        );
    }
}
