//! Tests that every name in files, options and reports parses back to its item.

use normative_reference::{Dtype, Family, Question, Spec};

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
