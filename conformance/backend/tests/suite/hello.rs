//! Tests the capabilities in a hello: claims, axes in the form of another opset, layouts.

use normative_backend::reference::{Dtype, Family, Layout, Norm, Opset, Spec};
use normative_backend::wire::{Hello, WireError, decode_hello, encode_hello};
use normative_backend::{Capabilities, Claim, Declared, Identity};
use rstest::rstest;

#[test]
fn a_hello_that_takes_forms_of_another_opset_says_so_last() {
    let identity = Identity { name: "n".into(), version: "v".into(), report_bugs_to: "r".into() };
    let usual = encode_hello(&Hello { identity: identity.clone(), capabilities: Capabilities::default() });
    let hello =
        Hello { identity, capabilities: Capabilities { other_forms: true, ..Capabilities::default() } };
    let body = encode_hello(&hello);
    assert_eq!(body, [&usual[..], &[0, 3, 0, 0, 0, 1, 2, 3, 1]].concat());
    assert_eq!(decode_hello(&body), Ok(hello));
}

#[rstest]
#[case::none(&[], false, &[])]
#[case::one(&[Layout::Transposed], false, &[0, 3, 0, 0, 0, 1, 2, 3, 0, 1, 0, 0, 0, 1])]
#[case::all_and_forms(&Layout::UNUSUAL, true, &[0, 3, 0, 0, 0, 1, 2, 3, 1, 5, 0, 0, 0, 1, 2, 3, 4, 5])]
fn a_hello_lists_layouts_last(#[case] layouts: &[Layout], #[case] other_forms: bool, #[case] ends: &[u8]) {
    let identity = Identity { name: "n".into(), version: "v".into(), report_bugs_to: "r".into() };
    let usual = encode_hello(&Hello { identity: identity.clone(), capabilities: Capabilities::default() });
    let capabilities = Capabilities { other_forms, layouts: layouts.to_vec(), ..Capabilities::default() };
    let hello = Hello { identity, capabilities };
    let body = encode_hello(&hello);
    assert_eq!(body, [&usual[..], ends].concat());
    assert_eq!(decode_hello(&body), Ok(hello));
}

/// The parts before the lists of operators and types, all of them usual.
const BEFORE: [u8; 13] = [0, 3, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0];

#[rstest]
#[case::types(&[], &[Dtype::F32, Dtype::U8], b"\0\0\0\0\x02\0\0\0\x02\x08")]
#[case::operators(&[Spec::Onnx(Norm::L1, Opset::V18)], &[], b"\x01\0\0\0\x10\0\0\0onnx/ReduceL1-18")]
#[case::both(&[Spec::Bnns], &[Dtype::F16], b"\x01\0\0\0\x10\0\0\0bnns/computeNorm\x01\0\0\0\0")]
fn a_hello_lists_operators_and_types_last(
    #[case] specs: &[Spec],
    #[case] dtypes: &[Dtype],
    #[case] ends: &[u8],
) {
    let identity = Identity { name: "n".into(), version: "v".into(), report_bugs_to: "r".into() };
    let usual = encode_hello(&Hello { identity: identity.clone(), capabilities: Capabilities::default() });
    let declared = Declared { specs: specs.to_vec(), dtypes: dtypes.to_vec() };
    let hello = Hello { identity, capabilities: Capabilities { declared, ..Capabilities::default() } };
    let body = encode_hello(&hello);
    assert_eq!(body, [&usual[..], &BEFORE, ends].concat());
    assert_eq!(decode_hello(&body), Ok(hello));
}

#[rstest]
#[case::a_family(&["blas"], Ok(vec![Spec::Blas(Norm::L1), Spec::Blas(Norm::L2)]))]
#[case::a_family_and_another(&["blas", "bnns/computeNorm"], Ok(vec![Spec::Blas(Norm::L1), Spec::Blas(Norm::L2), Spec::Bnns]))]
#[case::all_versions(&["onnx/ReduceSumSquare"], Ok(Opset::ALL.map(|opset| Spec::Onnx(Norm::SumSquare, opset)).to_vec()))]
#[case::beside_its_family(&["webnn", "webnn/reduceSumSquare"], Ok([Norm::L1, Norm::L2, Norm::SumSquare].map(Spec::WebNn).to_vec()))]
#[case::no_name(&["onnx/ReduceL1-17"], Err("that lists an operator of no known name"))]
#[case::twice(&["bnns", "bnns/computeNorm"], Err("that lists each operator once"))]
fn an_operator_in_a_hello_is_named_by_its_spec_or_its_family(
    #[case] names: &[&str],
    #[case] due: Result<Vec<Spec>, &'static str>,
) {
    let identity = Identity { name: "n".into(), version: "v".into(), report_bugs_to: "r".into() };
    let usual = encode_hello(&Hello { identity, capabilities: Capabilities::default() });
    let text = |name: &&str| [&(name.len() as u32).to_le_bytes(), name.as_bytes()].concat();
    let list =
        [&(names.len() as u32).to_le_bytes()[..], &names.iter().map(text).collect::<Vec<_>>().concat()];
    let got = decode_hello(&[&usual[..], &BEFORE, &list.concat()].concat());
    assert_eq!(got.map(|hello| hello.capabilities.declared.specs), due.map_err(WireError::Hello));
}

#[rstest]
#[case::the_usual(&Family::BY_DEFAULT, &[], &[])]
#[case::one(&[Family::ArrayApi], &[], &[0, 1, 0, 0, 0, 4])]
#[case::all(&Family::ALL, &[], &[0, 6, 0, 0, 0, 1, 2, 3, 4, 5, 6])]
#[case::values_of_one(&[], &[Family::Onnx], &[0, 1, 0, 0, 0, 0x82])]
#[case::values_of_another(&[Family::ArrayApi], &[Family::Blas], &[0, 2, 0, 0, 0, 4, 0x86])]
#[case::values_of_the_usual(&[], &Family::BY_DEFAULT, &[0, 3, 0, 0, 0, 0x81, 0x82, 0x83])]
fn a_hello_says_what_is_claimed(#[case] in_full: &[Family], #[case] values: &[Family], #[case] ends: &[u8]) {
    let identity = Identity { name: "n".into(), version: "v".into(), report_bugs_to: "r".into() };
    let usual = encode_hello(&Hello { identity: identity.clone(), capabilities: Capabilities::default() });
    let claims = [Claim::in_full(in_full), Claim::values_of(values)].concat();
    let capabilities = Capabilities { claims, ..Capabilities::default() };
    let hello = Hello { identity, capabilities };
    let body = encode_hello(&hello);
    assert_eq!(body, [&usual[..], ends].concat());
    assert_eq!(decode_hello(&body), Ok(hello));
}

#[rstest]
#[case::none(&[0, 0, 0, 0, 0], "that claims a family of specs")]
#[case::twice(&[0, 2, 0, 0, 0, 4, 4], "that claims each family of specs once")]
#[case::a_layout_twice(&[0, 1, 0, 0, 0, 4, 0, 2, 0, 0, 0, 3, 3], "that lists each layout once")]
#[case::a_type_twice(&[0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 3], "that lists each element type once")]
#[case::in_full_and_its_values(&[0, 2, 0, 0, 0, 4, 0x84], "that claims each family of specs once")]
fn a_hello_claims_some_families_each_once_and_lists_layouts_once(
    #[case] ends: &[u8],
    #[case] why: &'static str,
) {
    let identity = Identity { name: "n".into(), version: "v".into(), report_bugs_to: "r".into() };
    let usual = encode_hello(&Hello { identity, capabilities: Capabilities::default() });
    assert_eq!(decode_hello(&[&usual[..], ends].concat()), Err(WireError::Hello(why)));
}
