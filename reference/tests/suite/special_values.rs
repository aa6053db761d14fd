//! NaN, infinities, signed zeros, subnormals, scalars and empty tensors, for every float type.

use std::collections::BTreeSet;

use normative_reference::{
    Axes, Call, Dtype, Expected, FloatFormat, Kind, Magnitude, Norm, Opset, Question, Reading, Tensor,
    expect, rule,
};
use rstest::rstest;

use crate::common::{Random, filled, onnx, onnx_with, openvino};

const FLOATS: [Dtype; 4] = [Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64];
const NORMS: [Norm; 2] = [Norm::L1, Norm::L2];

fn format(dtype: Dtype) -> FloatFormat {
    match dtype.kind() {
        Kind::Float(format) => format,
        Kind::Integer(_) => panic!("{dtype} is no float"),
    }
}

/// Returns 1.0 and -2.0 of the format, made from its exponent field.
fn one_and_minus_two(format: FloatFormat) -> (u64, u64) {
    let field = (1 - format.min_exponent) as u64;
    let place = format.precision - 1;
    (field << place, (field + 1) << place | format.sign())
}

fn over_all(norm: Norm, dtype: Dtype, bits: &[u64]) -> Call {
    let data = Tensor::from_bits(dtype, &[bits.len()], bits).unwrap();
    openvino(norm, Axes::list(&[0]), data)
}

/// Returns the correctly rounded answer under this reading of `question` and the first reading of all others.
fn answer(call: &Call, question: Question, reading: Reading) -> Tensor {
    let ruling = rule(call);
    let alternative = ruling.under(|asked| (asked == question).then_some(reading)).unwrap();
    match expect(call, &alternative.outcome).unwrap() {
        Expected::Near(near) => near.rounded().unwrap(),
        Expected::Exactly(tensor) => tensor,
        Expected::Converted(converted) => converted.best,
        Expected::Rejection(clause) | Expected::Anything(clause) => panic!("rejected for {clause}"),
    }
}

/// Returns the correctly rounded answer, which has to be the same under every reading.
fn only_answer(call: &Call) -> Tensor {
    let mut answers = rule(call).alternatives.into_iter().map(|alternative| {
        let Expected::Near(near) = expect(call, &alternative.outcome).unwrap() else {
            panic!("{:?} computes nothing", alternative.choices)
        };
        near.rounded().unwrap()
    });
    let first = answers.next().unwrap();
    assert!(answers.all(|other| other == first), "the readings of {call:?} differ");
    first
}

/// Returns every combination of a float type with a norm.
fn combinations() -> impl Iterator<Item = (Dtype, FloatFormat, Norm)> {
    FLOATS.into_iter().flat_map(|dtype| NORMS.map(|norm| (dtype, format(dtype), norm)))
}

#[test]
fn nan_of_any_sign_and_payload_gives_nan() {
    for (dtype, format, norm) in combinations() {
        let (one, _) = one_and_minus_two(format);
        let signaling = format.infinity() + 1;
        let greatest_payload = format.sign() - 1;
        for nan in [format.nan(), signaling, greatest_payload] {
            for bits in [vec![nan], vec![one, nan], vec![format.sign() | nan, one, 0]] {
                let call = over_all(norm, dtype, &bits);
                let [bits] = only_answer(&call).bits()[..] else { panic!("one output") };
                assert_eq!(format.magnitude(bits), Magnitude::Nan, "{norm:?} {dtype} {nan:#x}");
            }
        }
    }
}

#[test]
fn infinity_of_either_sign_gives_positive_infinity() {
    for (dtype, format, norm) in combinations() {
        let (one, minus_two) = one_and_minus_two(format);
        let (plus, minus) = (format.infinity(), format.infinity() | format.sign());
        for bits in [&[plus][..], &[minus], &[plus, minus], &[one, minus, minus_two]] {
            assert_eq!(
                only_answer(&over_all(norm, dtype, bits)).bits(),
                [plus],
                "{norm:?} {dtype} {bits:x?}"
            );
        }
    }
}

#[test]
fn zeros_of_either_sign_give_positive_zero() {
    for (dtype, format, norm) in combinations() {
        for bits in [&[0][..], &[format.sign()], &[format.sign(), format.sign()], &[0, format.sign()]] {
            let call = over_all(norm, dtype, bits);
            assert_eq!(rule(&call).questions(), BTreeSet::new(), "nothing rounds and nothing is open");
            assert_eq!(only_answer(&call).bits(), [0], "{norm:?} {dtype} {bits:x?}");
        }
    }
}

#[test]
fn nan_beside_infinity_is_nan_or_infinity() {
    for (dtype, format, norm) in combinations() {
        for bits in [[format.nan(), format.infinity()], [format.infinity() | format.sign(), format.nan()]] {
            let call = over_all(norm, dtype, &bits);
            let nan = filled(dtype, &[], format.nan());
            assert!(rule(&call).questions().contains(&Question::NanWithInfinity), "{norm:?}");
            assert_eq!(answer(&call, Question::NanWithInfinity, Reading::Nan), nan);
            let infinity = filled(dtype, &[], format.infinity());
            assert_eq!(answer(&call, Question::NanWithInfinity, Reading::Inf), infinity);
        }
    }
}

#[rstest]
fn infinity_wins_only_in_the_output_it_goes_into(#[values(Norm::L1, Norm::L2)] norm: Norm) {
    let data = ndarray::array![[f32::NAN, f32::INFINITY], [f32::NAN, 1.0], [1.0, f32::INFINITY], [3.0, 4.0]];
    let call = openvino(norm, Axes::list(&[1]), data.into_dyn().into());
    let last = if norm == Norm::L1 { 7.0 } else { 5.0 };
    let expected = ndarray::array![f32::INFINITY, f32::NAN, f32::INFINITY, last];
    let given = answer(&call, Question::NanWithInfinity, Reading::Inf);
    assert_eq!(given, expected.into_dyn().into());
}

#[test]
fn subnormals_count_or_are_zero() {
    for (dtype, format, norm) in combinations() {
        let normal = 1 << (format.precision - 1);
        for subnormal in [1, 2, normal / 2, normal - 1, (normal - 1) | format.sign()] {
            let call = over_all(norm, dtype, &[subnormal]);
            let kept = answer(&call, Question::Subnormals, Reading::Kept);
            assert_eq!(kept.bits(), [subnormal & !format.sign()], "{norm:?} {dtype}");
            let flushed = answer(&call, Question::Subnormals, Reading::Flushed);
            assert_eq!(flushed.bits(), [0], "{norm:?} {dtype}");
        }
        // A normal element raises the question only if its square is held as a subnormal.
        let smallest_normal = over_all(norm, dtype, &[normal, 0]);
        for alternative in rule(&smallest_normal).alternatives {
            let asked = alternative.choices.iter().any(|choice| choice.question == Question::Subnormals);
            let naive = [Reading::Naive, Reading::Rescued, Reading::SquaresInType, Reading::ByOperator];
            let naive = alternative.choices.iter().any(|choice| naive.contains(&choice.reading));
            assert_eq!(asked, naive && norm == Norm::L2, "{norm:?} {dtype} {:?}", alternative.choices);
        }
    }
}

#[test]
fn flushing_spares_the_normal_elements() {
    for (dtype, format, _) in combinations() {
        let normal = 1 << (format.precision - 1);
        let call = over_all(Norm::L1, dtype, &[normal, normal - 1, normal | format.sign()]);
        let flushed = answer(&call, Question::Subnormals, Reading::Flushed);
        assert_eq!(flushed.bits(), [2 * normal], "the exponent field of twice the smallest normal is 2");
        let kept = answer(&call, Question::Subnormals, Reading::Kept);
        // 3·2^(p-1) - 1 in units of the quantum, at exponent field 2: the odd one is a tie, to even.
        assert_eq!(kept.bits(), [2 * normal + normal / 2], "{dtype}");
    }
}

#[test]
fn sums_beyond_the_greatest_number_are_infinite_from_half_an_ulp_on() {
    for (dtype, format, _) in combinations() {
        let greatest = format.infinity() - 1;
        // 2^(emax - p), half an ulp of the greatest number, by its exponent field.
        let field = (format.max_exponent - format.precision as i32 - format.min_exponent + 1) as u64;
        let half_ulp = field << (format.precision - 1);
        let sum = |bits: &[u64]| {
            let call = over_all(Norm::L1, dtype, bits);
            answer(&call, Question::Subnormals, Reading::Kept).bits()
        };
        assert_eq!(sum(&[greatest, half_ulp]), [format.infinity()], "{dtype}");
        assert_eq!(sum(&[greatest, half_ulp | format.sign(), 1]), [format.infinity()], "{dtype}");
        assert_eq!(sum(&[greatest, half_ulp - 1]), [greatest], "{dtype}");
        assert_eq!(sum(&[half_ulp - 1, greatest, 1]), [greatest], "{dtype}");
    }
}

#[test]
fn l2_of_numbers_whose_squares_leave_the_format_is_representable() {
    for (dtype, format, _) in combinations() {
        let greatest = format.infinity() - 1;
        let scaled =
            |bits: &[u64]| {
                let call = over_all(Norm::L2, dtype, bits);
                assert!(rule(&call).questions().iter().any(|question| {
                    matches!(question, Question::FloatRange | Question::HalfAccumulation)
                }));
                answer(&call, Question::FloatRange, Reading::Scaled).bits()
            };
        assert_eq!(scaled(&[greatest]), [greatest], "{dtype}");
        assert_eq!(scaled(&[greatest, 1]), [greatest], "{dtype}");
        assert_eq!(scaled(&[greatest, greatest]), [format.infinity()], "√2 times the greatest, {dtype}");
        // Four squares of 16 quanta add up to the square of 32 quanta.
        assert_eq!(scaled(&[16; 4]), [32], "{dtype}");
        // √2 quanta are nearest to one, √3 to two.
        assert_eq!(scaled(&[1; 2]), [1], "{dtype}");
        assert_eq!(scaled(&[1; 3]), [2], "{dtype}");
    }
}

/// Returns true if the call raises the question about the range of squares.
fn asks_for_range(call: &Call) -> bool {
    rule(call).questions().contains(&Question::FloatRange)
}

#[test]
fn range_is_in_question_wherever_squares_in_the_type_go_wrong() {
    let mut random = Random(1978);
    let mut wrong = 0;
    for _ in 0..200_000 {
        // All of one size, near the border at which squares overflow or lose bits to underflow.
        let exponent = random.pick(&[62, -62]) + random.below(25) as i32 - 12;
        let elements: Vec<f32> = (0..=random.below(9))
            .map(|_| 2_f32.powi(exponent) * (1.0 + random.below(1 << 23) as f32 / 8_388_608.0))
            .collect();
        let naive = elements.iter().map(|x| x * x).sum::<f32>().sqrt();
        let true_norm = elements.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
        // The bound of ten roundings, of half an ulp each.
        if (f64::from(naive) / true_norm - 1.0).abs() > 10.0 * 2_f64.powi(-24) {
            wrong += 1;
            let call =
                openvino(Norm::L2, Axes::list(&[0]), crate::common::tensor(&[elements.len()], &elements));
            assert!(asks_for_range(&call), "{elements:?} gives {naive:e}, not {true_norm:e}");
        }
    }
    assert!(wrong > 10_000, "{wrong} went wrong");
}

#[test]
fn range_is_no_question_for_everyday_numbers() {
    let call =
        openvino(Norm::L2, Axes::list(&[0]), crate::common::tensor(&[4], &[1e15_f32, -1e-12, 0.0, 1.0]));
    assert!(!asks_for_range(&call));
    let call =
        openvino(Norm::L2, Axes::list(&[0]), crate::common::tensor(&[4], &[1e150_f64, -1e-140, 0.0, 1.0]));
    assert!(!asks_for_range(&call));
}

#[test]
fn norm_of_a_scalar_is_its_absolute_value() {
    for (dtype, format, norm) in combinations() {
        let (_, minus_two) = one_and_minus_two(format);
        let call = onnx(norm, Opset::V13, Axes::Absent, filled(dtype, &[], minus_two));
        let given = only_answer(&call);
        assert_eq!(given, filled(dtype, &[], minus_two & !format.sign()), "{norm:?} {dtype}");
    }
}

#[rstest]
#[case::reduced(&[0], &[0], &[])]
#[case::reduced_beside_kept(&[2, 0], &[1], &[2])]
#[case::kept(&[0, 3], &[1], &[0])]
#[case::kept_and_reduced(&[0, 0], &[0], &[0])]
fn norm_over_no_elements_is_zero_where_stated(
    #[case] shape: &[usize],
    #[case] axes: &[i64],
    #[case] output: &[usize],
) {
    for (dtype, _, norm) in combinations() {
        let call = onnx_with(norm, Opset::V13, Some(0), None, Axes::list(axes), filled(dtype, shape, 0));
        assert_eq!(rule(&call).questions(), BTreeSet::new());
        assert_eq!(only_answer(&call), filled(dtype, output, 0), "{norm:?} {dtype}");
    }
}

#[test]
fn data_that_come_back_unchanged_keep_their_signs_and_specials() {
    for (dtype, format, norm) in combinations() {
        let (_, minus_two) = one_and_minus_two(format);
        let bits = [minus_two, format.sign(), format.sign() | format.infinity(), 1, format.nan()];
        let data = Tensor::from_bits(dtype, &[5], &bits).unwrap();
        let call = openvino(norm, Axes::list(&[]), data.clone());
        let unchanged = answer(&call, Question::EmptyAxesIdentity, Reading::Unchanged);
        assert_eq!(unchanged, data);
        let each = answer(&call, Question::EmptyAxesIdentity, Reading::NormOfEachElement);
        let magnitudes = bits.map(|bits| bits & !format.sign());
        assert_eq!(each, Tensor::from_bits(dtype, &[5], &magnitudes).unwrap(), "{norm:?} {dtype}");
    }
}
