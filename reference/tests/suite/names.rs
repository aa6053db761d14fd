//! Tests that every name in files, options and reports parses back to its item.

use normative_reference::{Dtype, Family, Opset, Question, Reading, Spec};
use rstest::rstest;

#[test]
fn every_name_leads_back_and_no_other_leads_anywhere() {
    for dtype in Dtype::ALL {
        assert_eq!((Dtype::from_name(dtype.name()), dtype.to_string().as_str()), (Some(dtype), dtype.name()));
    }
    for spec in Spec::ALL {
        assert_eq!((Spec::from_name(spec.name()), spec.to_string().as_str()), (Some(spec), spec.name()));
    }
    for family in Family::ALL {
        assert_eq!((Family::from_name(family.name()), family.specs().count() > 0), (Some(family), true));
        let of = |spec: &Spec| spec.name().split_once('/').map(|(family, _)| family);
        assert!(family.specs().all(|spec| of(&spec) == Some(family.name())), "{family}");
    }
    for question in Question::ALL {
        let name = question.name();
        assert_eq!((Question::from_name(name), question.to_string().as_str()), (Some(question), name));
    }
    for reading in Question::ALL.iter().flat_map(|question| question.readings()) {
        assert_eq!(reading.name(), reading.to_string());
    }
    for name in ["", "float32", "F32", "ReduceL1-4", "integer-l2"] {
        assert_eq!((Dtype::from_name(name), Spec::from_name(name)), (None, None), "{name}");
        assert_eq!(Question::from_name(name), None, "{name}");
    }
}

#[test]
fn element_types_are_named_as_in_rust() {
    let names = ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];
    assert_eq!(Dtype::ALL.map(Dtype::name), names);
}

#[rstest]
#[case(Reading::Unchanged, "x")]
#[case(Reading::NormOfEachElement, "norm-of-each-element")]
#[case(Reading::Only1IsTrue, "only-1-is-true")]
#[case(Reading::InType, "in-type")]
fn a_reading_is_known_by_its_name(#[case] reading: Reading, #[case] name: &str) {
    assert_eq!(reading.name(), name);
}

#[test]
fn an_opset_is_its_number() {
    assert_eq!(Opset::ALL.map(Opset::number), [1, 11, 13, 18]);
}

#[rstest]
#[case::words(Question::EmptyAxesIdentity, "empty-axes-identity")]
#[case::a_digit_by_itself(Question::AxisOnRankZero, "axis-on-rank-0")]
#[case::a_number_behind_a_word(Question::AxisRangeOpset1, "axis-range-opset-1")]
#[case::a_digit_in_a_word(Question::IntegerL2Rounding, "integer-l2-rounding")]
#[case::a_type(Question::F64Precision, "f64-precision")]
#[case::several_of_one_matter(Question::BooleanNoop, "boolean-attributes-noop")]
fn a_question_is_known_by_its_name(#[case] question: Question, #[case] name: &str) {
    assert_eq!((question.name(), Question::from_name(name)), (name, Some(question)));
    assert_eq!(Question::from_name(&name.to_uppercase()), None);
}
