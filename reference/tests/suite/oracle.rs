//! Tests that the oracle gives exactly the definition's values. The data reach every path by which it adds:
//! blocks that are added whole, lanes that are not, runs shorter and longer than a block, and axes in every
//! arrangement.

use normative_reference::exact::{self, Variant, norm_of};
use normative_reference::{
    Axes, Dims, Dtype, Elements, FloatFormat, Kind, Norm, Opset, Reduction, Tensor, expect, rule,
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

const ELEMENTS: [(&str, Element); 12] = [
    ("any", any),
    ("one binade", |random, format| within(random, format, 0, 8)),
    ("a dozen binades", |random, format| within(random, format, 12, 8)),
    // About the greatest spread within a block, for f32 squares, and for f64 and f32 terms.
    ("twenty binades", |random, format| within(random, format, 20.min(fields(format)), 8)),
    ("forty binades", |random, format| within(random, format, 40.min(fields(format)), 2)),
    ("seventy binades", |random, format| within(random, format, 70.min(fields(format)), 2)),
    ("the greatest", |random, format| within(random, format, 1, 0)),
    ("subnormals", |random, format| random.bits() % (2 << (format.precision - 1))),
    ("the least", |random, _| random.bits() % 16),
    ("mostly zeros", |random, format| if random.one_in(5) { within(random, format, 3, 8) } else { 0 }),
    ("the greatest, and NaN", |random, format| match random.below(400) {
        0 => format.nan(),
        _ => within(random, format, 1, 0),
    }),
    ("with specials", |random, format| match random.below(400) {
        0 => format.infinity(),
        1 => format.nan(),
        _ => within(random, format, 3, 8),
    }),
];

fn fields(format: FloatFormat) -> u64 {
    (format.infinity() >> (format.precision - 1)) - 12
}

/// Shapes with the axes to reduce: long and short runs, around the sizes of lanes, blocks and panels.
const SHAPES: [(&[usize], &[usize]); 26] = [
    (&[], &[]),
    (&[1], &[0]),
    (&[7], &[0]),
    (&[8], &[]),
    (&[9], &[0]),
    (&[2047], &[0]),
    (&[2048], &[0]),
    (&[2049], &[0]),
    (&[5000], &[0]),
    (&[3, 700], &[1]),
    (&[255, 3], &[0]),
    (&[600, 5], &[0]),
    (&[256, 8], &[0]),
    (&[257, 9], &[0]),
    (&[600, 64], &[0]),
    (&[20, 65], &[0]),
    (&[5, 130], &[0]),
    // Several panels of neighbouring outputs, the last of them narrower, in a small tensor and in larger ones.
    (&[40, 30], &[0]),
    (&[40, 600], &[0]),
    (&[2, 33, 257], &[1]),
    (&[4, 5, 6], &[0, 2]),
    (&[4, 5, 6], &[1]),
    (&[30, 1, 3, 1, 30], &[0, 1, 4]),
    (&[2, 3, 4, 5, 6], &[1, 3]),
    (&[2, 3, 4, 5, 6], &[0, 2, 4]),
    (&[3, 0, 2], &[1]),
];

#[rstest]
fn oracle_and_definition_are_equal(
    #[values(Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64)] dtype: Dtype,
    #[values(Norm::L1, Norm::L2)] norm: Norm,
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
fn oracle_and_definition_are_equal_for_integers(#[values(Norm::L1, Norm::L2)] norm: Norm) {
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
        // The formula, run by run.
        let order = reduction.outer_to_inner(shape.len());
        let elements: Vec<_> = data.bits_by(&order).into_iter().map(|bits| dtype.magnitude(bits)).collect();
        let terms = reduction.terms(shape);
        let run = |output: usize| norm_of(norm, elements[output * terms..(output + 1) * terms].to_vec());
        let by_runs: Vec<_> = (0..reduction.outputs(shape)).map(run).collect();
        let exact = exact::evaluate(&data, &reduction, Variant::default());
        assert!(by_runs == exact, "{norm:?} of {what}, shape {shape:?}, axes {axes:?}, by runs");
        for flush_subnormals in [false, true] {
            for infinity_over_nan in [false, true] {
                let variant = Variant { flush_subnormals, infinity_over_nan };
                let (fast, exact) = (
                    normative_oracle::evaluate(&data, &reduction, variant),
                    exact::evaluate(&data, &reduction, variant),
                );
                assert!(fast == exact, "{norm:?} of {what}, shape {shape:?}, axes {axes:?}, {variant:?}");
            }
        }
    }
}

/// A sum whose blocks would lose one more bit if the bounds were one too wide.
#[rstest]
fn the_spread_of_a_block_may_reach_its_bound_and_pass_it(
    #[values(Norm::L1, Norm::L2)] norm: Norm,
    #[values(8, 64, 256, 2048)] count: usize,
) {
    for dtype in [Dtype::F32, Dtype::F64] {
        for binades in 0..120 {
            let place = if dtype == Dtype::F32 { 23 } else { 52 };
            let bias = if dtype == Dtype::F32 { 127 } else { 1023 };
            let ones = (1_u64 << place) - 1;
            // Every significand odd and as great as possible; two elements far below the others.
            let mut bits = vec![(bias + 40) << place | ones; count];
            bits[count / 3] = (bias + 40 - binades) << place | ones;
            bits[count / 2] = (bias + 40 - binades) << place | 1;
            let data = Tensor::from_bits(dtype, &[count], &bits).unwrap();
            let reduction = Reduction { norm, axes: vec![0], dims: Dims::Drop, elements: Elements::All };
            let fast = normative_oracle::evaluate(&data, &reduction, Variant::default());
            let exact = exact::evaluate(&data, &reduction, Variant::default());
            assert!(fast == exact, "{norm:?} of {count} {dtype}, {binades} binades apart");
        }
    }
}

/// Columns and rows of several blocks. In each, some elements lie far below the others, with bits in their
/// first and last places.
#[rstest]
#[case::least(-1073)]
#[case::subnormal(-1023)]
#[case::rounding_takes_less_than_f64_holds(-470)]
#[case::middle(0)]
#[case::sums_start_at_the_greatest_power(507)]
#[case::sums_would_start_beyond_it(508)]
#[case::greatest(1024)]
fn squares_of_any_size_and_spread_are_added_up_exactly(#[case] top: i32) {
    let (columns, rows) = (9, 600);
    // A number just below 2^top with all digits set; if it is subnormal, it has fewer digits.
    let below = |top: i32| match top + 1023 {
        field @ 1.. => ((field as u64) << 52) - 1,
        field => (1 << (field + 51).max(0)) - 1,
    };
    for binades in 0..80 {
        let column = |at: usize| {
            let least = below(top - binades - at as i32 % 3);
            (0..rows).map(move |row| match row % 97 {
                5 => least,
                6 => (least + 1) & !((1 << 52) - 1),
                7 => least & !((1 << 52) - 1) | 1,
                8 => 0,
                _ => below(top),
            })
        };
        let bits: Vec<Vec<u64>> = (0..columns).map(|at| column(at).collect()).collect();
        let by_rows: Vec<u64> =
            (0..rows).flat_map(|row| bits.iter().map(move |column| column[row])).collect();
        for (shape, axis, bits) in [([rows, columns], 0, by_rows), ([columns, rows], 1, bits.concat())] {
            let data = Tensor::from_bits(Dtype::F64, &shape, &bits).unwrap();
            let reduction =
                Reduction { norm: Norm::L2, axes: vec![axis], dims: Dims::Drop, elements: Elements::All };
            let fast = normative_oracle::evaluate(&data, &reduction, Variant::default());
            let exact = exact::evaluate(&data, &reduction, Variant::default());
            assert!(fast == exact, "{shape:?} below 2^{top}, {binades} binades apart");
        }
    }
}

/// Terms with a last bit of `2^last` that each lose nearly half of the unit that the sum counts; their first
/// term makes the sum start at 2^8. In units of that last bit, the total loss of 2047 terms is just below
/// 2^53, or more than f64 holds.
#[rstest]
#[case::l1_that_f64_holds(Norm::L1, Dtype::F64, -87, -44)]
#[case::l1_one_bit_more(Norm::L1, Dtype::F64, -88, -44)]
#[case::l2_that_f64_holds(Norm::L2, Dtype::F32, -43, -44)]
#[case::l2_two_bits_more(Norm::L2, Dtype::F32, -44, -44)]
// The loss from rounding squares, in a sum that starts at 3 · 2^-44.
#[case::rest_that_f64_holds(Norm::L2, Dtype::F64, -69, -95)]
#[case::rest_two_bits_more(Norm::L2, Dtype::F64, -70, -95)]
fn what_a_block_loses_is_added_only_if_f64_holds_it(
    #[case] norm: Norm,
    #[case] dtype: Dtype,
    #[case] last: i32,
    #[case] counted: i32,
) {
    let Kind::Float(format) = dtype.kind() else { panic!("{dtype} is no float") };
    let power = if norm == Norm::L1 { 1 } else { 2 };
    let counted = 1_u64 << (counted - power * last);
    let lost = |significand: u64| match (norm, dtype) {
        (Norm::L2, Dtype::F64) => {
            let x = significand as f64;
            (x.mul_add(x, -(x * x)) as i64).rem_euclid(counted as i64) as u64
        }
        _ => significand.pow(power as u32) % counted,
    };
    // For f32 all significands are tried. For f64 L2, one of any few thousand qualifies.
    let least = 1_u64 << (format.precision - 1);
    let significands = match (norm, dtype) {
        (Norm::L1, _) => least + counted / 2 - 1..least + counted / 2,
        (_, Dtype::F32) => least..2 * least,
        _ => least / 100 * 137..least / 100 * 137 + 10_000,
    };
    let significand = significands.filter(|&x| x % 2 == 1 && lost(x) < counted / 2).max_by_key(|&x| lost(x));
    let significand = significand.unwrap();
    assert!(lost(significand) > counted * 15 / 32);
    let small = significand as f64 * 2_f64.powi(last);
    let elements = [vec![0.75], vec![small; 2047]].concat();
    let data: Tensor = match dtype {
        Dtype::F32 => tensor(&[2048], &elements.iter().map(|&x| x as f32).collect::<Vec<_>>()),
        _ => tensor(&[2048], &elements),
    };
    let reduction = Reduction { norm, axes: vec![0], dims: Dims::Drop, elements: Elements::All };
    assert_eq!(
        normative_oracle::evaluate(&data, &reduction, Variant::default()),
        exact::evaluate(&data, &reduction, Variant::default())
    );
}

/// Each row loses nearly 2^-46, with a last bit of 2^-87: above 2048 rows, f64 cannot hold the loss of a
/// column. With so many columns, a block ends at another row than the sums that can be trusted.
#[test]
fn what_columns_lose_is_taken_from_them_in_time() {
    let (rows, columns) = (6000, 20);
    // A multiple of the counted unit, 2^-44, and nearly half of that.
    let small = ((1_u64 << 52) + (1 << 42) - 1) as f64 * 2_f64.powi(-87);
    let mut elements = vec![small; rows * columns];
    elements[..columns].fill(0.75);
    let data = tensor(&[rows, columns], &elements);
    let reduction = Reduction { norm: Norm::L1, axes: vec![0], dims: Dims::Drop, elements: Elements::All };
    assert_eq!(
        normative_oracle::evaluate(&data, &reduction, Variant::default()),
        exact::evaluate(&data, &reduction, Variant::default())
    );
}

/// The oracle's sums may be multiples of powers of two; the definition's sums of integers have exponent 0.
#[rstest]
#[case::a_power_of_two(&[1 << 32])]
#[case::several(&[3 << 40, -1 << 40, 5 << 33])]
#[case::extremes(&[i64::MIN, i64::MAX, i64::MIN])]
#[case::zeros(&[0, 0])]
fn expectations_of_integers_are_those_of_the_definition(
    #[case] elements: &[i64],
    #[values(1, 40)] times: usize,
    #[values(Norm::L1, Norm::L2)] norm: Norm,
) {
    let call = openvino(norm, Axes::list(&[0]), tensor(&[elements.len() * times], &elements.repeat(times)));
    let ruling = rule(&call);
    for alternative in &ruling.alternatives {
        let expected = expect(&call, &alternative.outcome);
        assert_eq!(
            normative_oracle::expect(&call, &alternative.outcome),
            expected,
            "{:?}",
            alternative.choices
        );
    }
    let each: Result<Vec<_>, _> =
        ruling.alternatives.iter().map(|alternative| expect(&call, &alternative.outcome)).collect();
    assert_eq!(normative_oracle::expect_each(&call, &ruling), each);
}

/// Calls whose readings differ only in the reduction, only in the arithmetic, and in both.
#[rstest]
#[case::nothing_special(&[0x3c00, 0x4200, 0xc500, 0x0000])]
#[case::squares_that_overflow(&[0x7bff, 0x7bff, 0xfbff, 0x3c00])]
#[case::subnormals(&[0x0001, 0x83ff, 0x0400, 0x3c00])]
#[case::nan_beside_an_infinity(&[0x7e00, 0x7c00, 0x0001, 0x3c00])]
fn every_alternative_of_a_call_of_floats_is_expected_as_the_definition_says(#[case] bits: &[u64]) {
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
            assert_eq!(normative_oracle::expect_each(&call, &ruling), each, "{call:?}");
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
            normative_oracle::evaluate(&data, &reduction, Variant::default()),
            exact::evaluate(&data, &reduction, Variant::default())
        );
    }
}
