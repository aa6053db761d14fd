//! Raises questions about values: each pair of cases lies on both sides of the border from which a question is asked.

use half::{bf16, f16};
use normative_reference::Norm::{L1, L2};
use normative_reference::Opset::V18;
use normative_reference::dtype::IntegerRange;
use normative_reference::{
    Axes, Call, Choice, Dtype, Expected, Kind, Norm, Question, Reading, Tensor, expect, rule,
};
use rstest::rstest;

use crate::common::{onnx, openvino, tensor};

fn of_all(norm: Norm, elements: Tensor) -> Call {
    openvino(norm, Axes::list(&[0]), elements)
}

fn f32s(elements: &[f32]) -> Tensor {
    tensor(&[elements.len()], elements)
}

fn power(log2: i32) -> f32 {
    2_f32.powi(log2)
}

#[rstest]
#[case::a_square_that_fits(f32s(&[power(62)]), false)]
#[case::a_square_that_may_not(f32s(&[power(63)]), true)]
#[case::two_squares_that_fit(f32s(&[power(61); 2]), false)]
#[case::two_squares_that_may_not(f32s(&[power(62); 2]), true)]
#[case::eight_squares_that_fit(f32s(&[power(60); 8]), false)]
#[case::eight_squares_that_may_not(f32s(&[power(61); 8]), true)]
#[case::a_square_with_all_its_digits(f32s(&[power(-51)]), false)]
#[case::a_square_that_may_lose_some(f32s(&[power(-52)]), true)]
fn range_is_asked_for_where_squares_may_leave_it(#[case] elements: Tensor, #[case] asked: bool) {
    let ruling = rule(&of_all(L2, elements));
    assert_eq!(ruling.questions().contains(&Question::FloatRange), asked);
}

#[rstest]
#[case::the_least_normal_square(f16::from_f32(power(-7)), false)]
#[case::a_subnormal_square(f16::from_f32(power(-8)), true)]
#[case::the_least_normal_element(f16::from_f32(power(-14)), true)]
fn subnormals_are_asked_for_where_a_narrow_square_is_one(#[case] least: f16, #[case] asked: bool) {
    let ruling = rule(&of_all(L2, tensor(&[2], &[least, f16::ONE])));
    for alternative in ruling.alternatives {
        let choice = |question| alternative.choices.iter().find(|choice| choice.question == question);
        let wide = choice(Question::HalfAccumulation).map(|choice| choice.reading) == Some(Reading::Wide);
        let scaled = choice(Question::FloatRange).map(|choice| choice.reading) == Some(Reading::Scaled);
        let due = asked && !wide && !scaled;
        assert_eq!(choice(Question::Subnormals).is_some(), due, "{:?}", alternative.choices);
    }
}

/// Even for one element, the root of a square that was rounded to 16 bits needs more than 16 bits.
#[rstest]
#[case::one_element(L2, 1, &[Reading::SquaresInType])]
#[case::two_elements(L2, 2, &[Reading::Wide, Reading::SquaresInType])]
#[case::one_magnitude(L1, 1, &[])]
fn a_cut_is_asked_for_where_the_result_is_wider(
    #[case] norm: Norm,
    #[case] terms: usize,
    #[case] of: &[Reading],
) {
    let ruling = rule(&of_all(norm, tensor(&[terms], &vec![f16::ONE; terms])));
    for alternative in ruling.alternatives {
        let choice = |question| alternative.choices.iter().find(|choice| choice.question == question);
        let width = choice(Question::HalfAccumulation).map(|choice| choice.reading);
        let asked = choice(Question::ResultRounding).is_some();
        assert_eq!(asked, width.is_some_and(|width| of.contains(&width)), "{:?}", alternative.choices);
    }
}

#[rstest]
#[case::the_greatest_sum(of_all(L1, tensor(&[1], &[127_i8])), false)]
#[case::one_more(of_all(L1, tensor(&[1], &[-128_i8])), true)]
#[case::the_greatest_sum_of_several(of_all(L1, tensor(&[3], &[85_u8; 3])), false)]
#[case::several_that_make_more(of_all(L1, tensor(&[3], &[86_u8; 3])), true)]
fn overflow_is_asked_for_from_the_first_sum_beyond_the_type(#[case] call: Call, #[case] asked: bool) {
    assert_eq!(rule(&call).questions().contains(&Question::IntegerOverflow), asked);
}

#[rstest]
#[case::as_many_as_the_type_holds(tensor(&[127], &[1_i8; 127]), false)]
#[case::one_more(tensor(&[128], &[1_i8; 128]), true)]
fn the_sum_of_squares_is_asked_for_from_the_first_beyond_the_type(
    #[case] elements: Tensor,
    #[case] asked: bool,
) {
    let ruling = rule(&of_all(L2, elements));
    assert_eq!(ruling.questions().contains(&Question::IntegerL2Intermediate), asked);
}

#[rstest]
#[case::below(2047, false)]
#[case::from_there_on(2048, true)]
fn f32_is_asked_for_where_a_sum_of_squares_has_23_bits(#[case] element: i32, #[case] asked: bool) {
    for call in
        [onnx(L2, V18, Axes::list(&[0]), tensor(&[1], &[element])), of_all(L2, tensor(&[1], &[element]))]
    {
        assert_eq!(rule(&call).questions().contains(&Question::IntegerL2Precision), asked);
    }
}

/// The square of the greatest u64 is infinite in f32, and so is its root.
#[test]
fn an_infinite_root_in_f32_is_beyond_every_integer_type() {
    let call = onnx(L2, V18, Axes::list(&[0]), tensor(&[1], &[u64::MAX]));
    let ruling = rule(&call);
    let alternative = ruling.under(|question| match question {
        Question::IntegerL2Precision => Some(Reading::Single),
        Question::IntegerOverflow => Some(Reading::Saturate),
        _ => None,
    });
    let expected = expect(&call, &alternative.unwrap().outcome);
    assert!(
        matches!(expected, Ok(Expected::Converted(converted)) if converted.best == tensor(&[1], &[u64::MAX]))
    );
}

#[rstest]
#[case::one_format_for_all_steps_leaves_the_range_open(
    of_all(L2, tensor(&[2], &[f16::MAX, f16::MAX])),
    (Question::HalfAccumulation, Reading::InType),
    None
)]
#[case::even_where_those_leave_the_wider_one(
    of_all(L2, tensor(&[1], &[bf16::from_f32(1e30)])),
    (Question::HalfAccumulation, Reading::ByOperator),
    Some(Choice { question: Question::FloatRange, reading: Reading::Naive })
)]
#[case::f64_through_f32_is_of_plain_squares(
    onnx(L2, V18, Axes::list(&[0]), tensor(&[1], &[1e300])),
    (Question::F64Precision, Reading::Single),
    Some(Choice { question: Question::FloatRange, reading: Reading::Naive })
)]
fn a_reading_implies_what_follows_from_it(
    #[case] call: Call,
    #[case] (question, reading): (Question, Reading),
    #[case] implied: Option<Choice>,
) {
    let ruling = rule(&call);
    let chosen = Choice { question, reading };
    let takers: Vec<_> =
        ruling.alternatives.iter().filter(|alternative| alternative.choices.contains(&chosen)).collect();
    assert!(!takers.is_empty(), "some alternative has {chosen}");
    for alternative in takers {
        assert_eq!(alternative.implied, implied.as_slice(), "{:?}", alternative.choices);
    }
}

#[test]
fn questions_about_values_are_the_last_twelve() {
    let about: Vec<bool> = Question::ALL.map(Question::concerns_values).to_vec();
    assert_eq!(about, [[false; 28].as_slice(), &[true; 12]].concat());
    assert!(!Question::AxisOutOfRange.concerns_values() && Question::IntegerOverflow.concerns_values());
}

#[rstest]
#[case::signed(Dtype::I8, -1, 0xff)]
#[case::least(Dtype::I16, -32768, 0x8000)]
#[case::unsigned(Dtype::U8, 255, 0xff)]
#[case::widest(Dtype::I64, -1, u64::MAX)]
fn the_bits_of_an_integer_are_no_wider_than_its_type(
    #[case] dtype: Dtype,
    #[case] value: i128,
    #[case] bits: u64,
) {
    let Kind::Integer(range) = dtype.kind() else { panic!("{dtype} is an integer") };
    assert_eq!((IntegerRange::encode(range, value), range.decode(bits)), (bits, value));
}
