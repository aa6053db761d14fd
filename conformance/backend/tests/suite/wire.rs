//! Tests the bytes between a judge and a worker: encoding and decoding are inverse, the documented examples
//! match, and no bytes cause a panic.

use std::time::Duration;

use crate::documented::{PROTOCOL, documented};
use normative_backend::frame;
use normative_backend::wire::{
    self, Hello, MAX_LINES, MAX_NAME, MAX_TEXT, Reply, ResultBound, WireError, decode_answer,
    decode_answer_start, decode_call, decode_hello, decode_unavailable, encode_answer, encode_call,
    encode_hello, encode_unavailable,
};
use normative_backend::{Answer, Capabilities, Identity, Unavailable};
use normative_reference::tensor::MAX_ELEMENTS;
use normative_reference::{
    Axes, AxesTensor, Call, Dtype, Layout, Norm, Operator, Opset, Tensor, TensorError,
};
use proptest::{collection::vec, option, prelude::*};
use rstest::rstest;

fn example_call() -> Call {
    Call::new(
        Operator::OpenVino { norm: Norm::L2, keep_dims: None },
        ndarray::arr2(&[[3.0_f32, -4.0], [5.0, 12.0]]).into_dyn().into(),
        Axes::list(&[-1]),
    )
}

#[test]
fn the_documented_examples_are_the_bytes_sent() {
    let [hello, call, answer] = documented();
    let mut sent = Vec::new();
    let identity =
        Identity { name: "sums".into(), version: "0.3".into(), report_bugs_to: "me@example.org".into() };
    let capabilities =
        Capabilities { accumulation: vec![(Dtype::F16, Dtype::F32)], ..Capabilities::default() };
    frame::write(&mut sent, wire::HELLO, &encode_hello(&Hello { identity, capabilities })).unwrap();
    assert_eq!(sent, hello);
    sent.clear();
    frame::write(&mut sent, wire::CALL, &encode_call(7, &example_call())).unwrap();
    assert_eq!(sent, call);
    sent.clear();
    let answered = Answer::Tensor(ndarray::arr1(&[5.0_f32, 13.0]).into_dyn().into());
    frame::write(&mut sent, wire::ANSWER, &encode_answer(7, &answered)).unwrap();
    assert_eq!(sent, answer);
}

#[test]
fn the_documented_dtype_numbers_are_those_sent() {
    let row = PROTOCOL.lines().find(|line| line.starts_with("| dtype |")).unwrap();
    for dtype in Dtype::ALL {
        let tensor = Tensor::from_bits(dtype, &[0], &[]).unwrap();
        let code = encode_answer(0, &Answer::Tensor(tensor))[9];
        assert!(row.contains(&format!(" {dtype} {code}")), "{dtype} is sent as {code}");
    }
}

#[test]
fn the_documented_limits_and_version_are_those_kept() {
    let states = |text: &str| assert!(PROTOCOL.contains(text), "PROTOCOL.md does not say {text:?}");
    states(&format!("version {}\n", wire::VERSION));
    states(&format!("`u32` protocol version ({})", wire::VERSION));
    states(&format!("| body of a frame | {} GiB,", frame::MAX_BODY >> 30));
    assert_eq!(MAX_ELEMENTS, 100_000_000);
    states("100,000,000 elements");
    states(&format!("{} KiB for a hello", wire::MAX_HELLO >> 10));
    states(&format!(
        "| kept of a text | {MAX_TEXT} bytes and {MAX_LINES} lines; of each name in a hello {MAX_NAME} bytes |"
    ));
    let least = ResultBound::of(&Call { data: zeros(&[1]), ..example_call() });
    states(&format!("| dims of a result | {}, ", least.rank));
    states(&format!("and more than {},", least.elements));
}

#[rstest]
#[case::unknown_operator(8, 9, WireError::Code { at: 8, what: "operator", code: 9 })]
#[case::unknown_norm(9, 5, WireError::Code { at: 9, what: "norm", code: 5 })]
#[case::unknown_keep_dims(10, 3, WireError::Code { at: 10, what: "keep_dims", code: 3 })]
#[case::unknown_dtype(11, 12, WireError::Code { at: 11, what: "dtype", code: 12 })]
#[case::rank_beyond_the_body(15, 0xff, WireError::Truncated { at: 16, what: "list of dims", needed: 8 * 0xff00_0002, left: 66 })]
#[case::more_elements_than_came(16, 9, WireError::Truncated { at: 32, what: "elements", needed: 72, left: 50 })]
#[case::dims_beyond_any_machine(23, 0xff, WireError::Tensor { at: 32, source: TensorError::TooLarge { shape: vec![0xff00_0000_0000_0002, 2] }.into() })]
#[case::unknown_form_of_axes(48, 4, WireError::Code { at: 48, what: "form of axes", code: 4 })]
#[case::fewer_axes_than_came(62, 0, WireError::Code { at: 66, what: "layout", code: 255 })]
fn a_call_that_means_nothing_is_refused_at_its_byte(
    #[case] at: usize,
    #[case] byte: u8,
    #[case] expected: WireError,
) {
    let mut body = encode_call(7, &example_call());
    body[at] = byte;
    assert_eq!(decode_call(&body), Err(expected));
}

#[test]
fn a_hello_of_another_program_or_version_is_named() {
    let hello = Hello {
        identity: Identity { name: "n".into(), version: "v".into(), report_bugs_to: "r".into() },
        capabilities: Capabilities::default(),
    };
    let body = encode_hello(&hello);
    let with = |at: usize, byte| {
        let mut body = body.clone();
        body[at] = byte;
        decode_hello(&body)
    };
    assert_eq!(with(0, b'X'), Err(WireError::Magic));
    assert_eq!(with(8, 2), Err(WireError::Version { theirs: 2, ours: 1 }));
    assert_eq!(with(16, 0xff), Err(WireError::NotUtf8 { at: 16, what: "name" }));
}

#[rstest]
#[case::short("ab".into(), None)]
#[case::as_long_as_may_be("a".repeat(MAX_TEXT), None)]
#[case::longer("a".repeat(MAX_TEXT + 1), Some("a".repeat(MAX_TEXT)))]
#[case::inside_a_character("é".repeat(MAX_TEXT), Some("é".repeat(MAX_TEXT / 2)))]
#[case::before_half_a_character(format!("a{}", "é".repeat(MAX_TEXT)), Some(format!("a{}", "é".repeat(MAX_TEXT / 2 - 1))))]
#[case::as_many_lines_as_may_be("a\n".repeat(MAX_LINES - 1), None)]
#[case::more_lines("a\n".repeat(MAX_LINES + 5), Some(format!("{}a", "a\n".repeat(MAX_LINES - 1))))]
fn a_long_text_is_cut_and_says_so(#[case] text: String, #[case] cut: Option<String>) {
    let expected = match cut {
        None => text.clone(),
        Some(cut) => format!("{cut} … (cut; {} bytes in all)", text.len()),
    };
    let refusal = |text: &str| Answer::Rejected(text.to_owned());
    let body = encode_answer(1, &refusal(&text));
    assert_eq!(decode_answer(&body), Ok((1, Reply::Answer(refusal(&expected)))));
    let unavailable = encode_unavailable(&Unavailable(text));
    assert_eq!(decode_unavailable(&unavailable), Ok(Unavailable(expected)));
}

#[test]
fn a_long_name_is_cut() {
    let long = |c: &str| c.repeat(MAX_NAME + 1);
    let identity = Identity { name: long("n"), version: long("v"), report_bugs_to: long("r") };
    let hello = Hello { identity, capabilities: Capabilities::default() };
    let Identity { name, version, report_bugs_to } = decode_hello(&encode_hello(&hello)).unwrap().identity;
    let cut = |c: &str| format!("{} … (cut; {} bytes in all)", c.repeat(MAX_NAME), MAX_NAME + 1);
    assert_eq!([name, version, report_bugs_to], ["n", "v", "r"].map(cut));
}

#[test]
fn a_text_is_text_as_far_as_it_is_kept() {
    let body = |at: usize| {
        let mut body = encode_answer(1, &Answer::Rejected("a".repeat(2 * MAX_TEXT)));
        body[13 + at] = 0xff;
        body
    };
    assert_eq!(decode_answer(&body(MAX_TEXT - 1)), Err(WireError::NotUtf8 { at: 13, what: "rejection" }));
    assert!(decode_answer(&body(MAX_TEXT)).is_ok());
}

fn bytes_of(shape: &[usize]) -> Answer {
    let bits = vec![0; shape.iter().product()];
    Answer::Tensor(Tensor::from_bits(Dtype::U8, shape, &bits).unwrap())
}

#[rstest]
#[case::as_large_as_the_data(example_call(), 4096)]
#[case::zero_dims_may_become_one(Call { data: zeros(&[0, 3000]), ..example_call() }, 3000)]
#[case::the_output_of_bnns(Call { operator: Operator::Bnns { output_shape: vec![70, 100] }, ..example_call() }, 7000)]
#[case::small(Call { data: zeros(&[2]), ..example_call() }, 1024)]
fn a_result_larger_than_any_reading_is_known_by_its_dims(#[case] mut call: Call, #[case] most: usize) {
    if most == 4096 {
        call.data = zeros(&[64, 64]);
    }
    let bound = ResultBound::of(&call);
    assert_eq!(bound.elements, most);
    let fits = encode_answer(1, &bytes_of(&[most]));
    assert_eq!(decode_answer_start(&fits, fits.len(), bound), Ok((1, Reply::Answer(bytes_of(&[most])))));
    let larger = encode_answer(1, &bytes_of(&[most + 1]));
    let oversized = Reply::Oversized { dtype: Dtype::U8, shape: vec![most + 1] };
    assert_eq!(decode_answer_start(&larger, larger.len(), bound), Ok((1, oversized)));
}

fn zeros(shape: &[usize]) -> Tensor {
    Tensor::from_bits(Dtype::F32, shape, &vec![0; shape.iter().product()]).unwrap()
}

#[test]
fn a_result_of_more_dims_than_any_reading_breaks_the_protocol() {
    let bound = ResultBound::of(&example_call());
    let with = |rank: usize| {
        let body = encode_answer(1, &bytes_of(&vec![1; rank]));
        decode_answer_start(&body, body.len(), bound)
    };
    assert!(with(bound.rank).is_ok());
    let code = bound.rank as u64 + 1;
    assert_eq!(with(bound.rank + 1), Err(WireError::Code { at: 10, what: "rank of a result", code }));
}

#[rstest]
#[case::no_name(" ", "v", "r", &[], "with a name")]
#[case::no_version("n", "", "r", &[], "with a version")]
#[case::no_place_for_bugs("n", "v", "\n", &[], "that says where bugs are reported")]
#[case::a_type_twice("n", "v", "r", &[(Dtype::F16, Dtype::F32), (Dtype::F16, Dtype::F32)], "that lists the sums of each element type once")]
#[case::integer_sums("n", "v", "r", &[(Dtype::F16, Dtype::I32)], "whose sums are held in float types")]
fn a_hello_that_the_protocol_forbids_is_refused(
    #[case] name: &str,
    #[case] version: &str,
    #[case] report_bugs_to: &str,
    #[case] accumulation: &[(Dtype, Dtype)],
    #[case] why: &'static str,
) {
    let [name, version, report_bugs_to] = [name, version, report_bugs_to].map(str::to_owned);
    let capabilities = Capabilities { accumulation: accumulation.to_vec(), ..Capabilities::default() };
    let hello = Hello { identity: Identity { name, version, report_bugs_to }, capabilities };
    assert_eq!(decode_hello(&encode_hello(&hello)), Err(WireError::Hello(why)));
}

fn norm() -> impl Strategy<Value = Norm> {
    prop_oneof![Just(Norm::L1), Just(Norm::L2)]
}

fn dtype() -> impl Strategy<Value = Dtype> {
    prop::sample::select(&Dtype::ALL[..])
}

fn operator() -> impl Strategy<Value = Operator> {
    let opset = prop::sample::select(&Opset::ALL[..]);
    let ints = (option::of(any::<i64>()), option::of(any::<i64>()));
    prop_oneof![
        (norm(), any::<Option<bool>>()).prop_map(|(norm, keep_dims)| Operator::OpenVino { norm, keep_dims }),
        (norm(), opset, ints).prop_map(|(norm, opset, (keepdims, noop_with_empty_axes))| Operator::Onnx {
            norm,
            opset,
            keepdims,
            noop_with_empty_axes
        }),
        vec(any::<usize>(), 0..4).prop_map(|output_shape| Operator::Bnns { output_shape }),
        (option::of(norm()), any::<Option<bool>>())
            .prop_map(|(ord, keepdims)| Operator::ArrayApi { ord, keepdims }),
        (norm(), any::<Option<bool>>())
            .prop_map(|(norm, keep_dimensions)| Operator::WebNn { norm, keep_dimensions }),
        // A vector without elements, which any data can hold.
        (norm(), i32::MIN..=0, any::<i32>()).prop_map(|(norm, n, incx)| Operator::Blas { norm, n, incx }),
    ]
}

fn tensor() -> impl Strategy<Value = Tensor> {
    (dtype(), vec(0_usize..4, 0..5))
        .prop_flat_map(|(dtype, shape)| {
            let count: usize = shape.iter().product();
            (Just(dtype), Just(shape), vec(any::<u64>(), count))
        })
        .prop_map(|(dtype, shape, bits)| Tensor::from_bits(dtype, &shape, &bits).unwrap())
}

fn axes() -> impl Strategy<Value = Axes> {
    let given = (dtype(), vec(any::<usize>(), 0..4), vec(any::<i128>(), 0..4)).prop_flat_map(
        |(dtype, shape, values)| {
            let axes = AxesTensor { dtype, shape, values };
            prop_oneof![Just(Axes::Given(axes.clone())), Just(Axes::OtherForm(axes))]
        },
    );
    prop_oneof![Just(Axes::Absent), Just(Axes::Null), given]
}

prop_compose! {
    fn call()(operator in operator(), data in tensor(), axes in axes()) -> Call {
        Call::new(operator, data, axes)
    }
}

fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        tensor().prop_map(Answer::Tensor),
        any::<String>().prop_map(Answer::Rejected),
        any::<String>().prop_map(Answer::Unsupported),
        any::<String>().prop_map(Answer::Crashed),
    ]
}

/// Draws any reply of a worker; the worker itself makes the replies that no adapter makes.
fn reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        answer().prop_map(Reply::Answer),
        any::<String>().prop_map(Reply::ChangedData),
        any::<u64>().prop_map(|nanos| Reply::TimedOut(Duration::from_nanos(nanos))),
    ]
}

/// Returns the bytes of this reply.
fn encoded(number: u64, reply: &Reply) -> Vec<u8> {
    let mut body = Vec::new();
    match reply {
        Reply::Answer(answer) => wire::put_answer(&mut body, number, answer),
        Reply::ChangedData(how) => wire::put_changed_data(&mut body, number, how),
        Reply::TimedOut(after) => {
            body.extend(number.to_le_bytes());
            body.push(5);
            body.extend((after.as_nanos() as u64).to_le_bytes());
        }
        Reply::Oversized { .. } => panic!("no bytes say so"),
    }
    body
}

prop_compose! {
    fn hello()(
        [name, version, report_bugs_to] in prop::array::uniform3(".*[a-z]"),
        accumulation in prop::collection::btree_map(0..Dtype::ALL.len(), 0..4_usize, 0..4), slow: bool,
    ) -> Hello {
        Hello {
            identity: Identity { name, version, report_bugs_to },
            // The first four are the float types.
            capabilities: Capabilities {
                accumulation: accumulation.into_iter().map(|(a, b)| (Dtype::ALL[a], Dtype::ALL[b])).collect(),
                slow,
                ..Capabilities::default()
            },
        }
    }
}

/// Tests that every proper prefix, and the body with one more byte, is an error.
fn only_whole<T>(body: &[u8], decode: impl Fn(&[u8]) -> Result<T, WireError>) -> Result<(), TestCaseError> {
    for cut in 0..body.len() {
        prop_assert!(
            matches!(decode(&body[..cut]), Err(WireError::Truncated { .. })),
            "{cut} of {} bytes",
            body.len()
        );
    }
    let long = [body, &[0]].concat();
    let trailing = WireError::Trailing { at: body.len(), left: 1 };
    // The byte after a call is its layout, and 0 is not the number of a layout.
    let no_layout = WireError::Code { at: body.len(), what: "layout", code: 0 };
    let error = decode(&long).err();
    prop_assert!(error == Some(trailing) || error == Some(no_layout), "{:?}", error);
    Ok(())
}

/// Compares bits: two NaNs may differ here.
fn same_bits(a: &Tensor, b: &Tensor) -> bool {
    a.dtype() == b.dtype() && a.shape() == b.shape() && a.bits() == b.bits()
}

proptest! {
    #[test]
    fn every_call_comes_back_bit_for_bit(number: u64, call in call()) {
        let body = encode_call(number, &call);
        let (got_number, got) = decode_call(&body).unwrap();
        prop_assert_eq!(got_number, number);
        prop_assert!(same_bits(&got.data, &call.data));
        prop_assert_eq!(&got, &call);
        only_whole(&body, decode_call)?;
        for layout in Layout::UNUSUAL {
            let call = Call { layout, ..call.clone() };
            let laid_out = encode_call(number, &call);
            prop_assert_eq!(&laid_out[..body.len()], &body);
            prop_assert_eq!(decode_call(&laid_out), Ok((number, call)));
            let long = [&laid_out[..], &[0]].concat();
            prop_assert_eq!(decode_call(&long), Err(WireError::Trailing { at: laid_out.len(), left: 1 }));
        }
    }

    #[test]
    fn every_reply_comes_back(number: u64, reply in reply()) {
        let body = encoded(number, &reply);
        prop_assert_eq!(decode_answer(&body).unwrap(), (number, reply));
        only_whole(&body, decode_answer)?;
    }

    /// The bytes beyond the kept ones may be dropped: the reply or the error stays the same.
    #[test]
    fn the_start_of_an_answer_says_all_that_is_kept(
        elements in 0..3000_usize, text in "[aé\n]{0,3000}", code in 1_u8..=7, off in 0..3_usize,
    ) {
        let tensor = encode_answer(7, &bytes_of(&[elements]));
        let mut body = if code == 1 { tensor } else { encode_answer(7, &Answer::Rejected(text)) };
        body[8] = code;
        // Cut by one byte, whole, or with one byte too many.
        body.resize(body.len() + off - 1, 0);
        let bound = ResultBound::of(&example_call());
        let start = &body[..body.len().min(bound.bytes())];
        prop_assert_eq!(
            decode_answer_start(start, body.len(), bound), decode_answer_start(&body, body.len(), bound)
        );
    }

    #[test]
    fn every_hello_comes_back(hello in hello()) {
        let body = encode_hello(&hello);
        prop_assert_eq!(&decode_hello(&body).unwrap(), &hello);
        // The flag "not slow" may be left out, and is.
        let whole = if hello.capabilities.slow { body } else { [&body[..], &[0]].concat() };
        prop_assert_eq!(&decode_hello(&whole).unwrap(), &hello);
        let (_, rest) = whole.split_last().unwrap();
        prop_assert!(!decode_hello(rest).unwrap().capabilities.slow);
        for cut in 0..rest.len() {
            prop_assert!(matches!(decode_hello(&rest[..cut]), Err(WireError::Truncated { .. })), "{}", cut);
        }
        // One more byte would be part of the count of the list of families.
        let long = [&whole[..], &[0]].concat();
        let cut = WireError::Truncated { at: whole.len(), what: "list of families", needed: 4, left: 1 };
        prop_assert_eq!(decode_hello(&long).err(), Some(cut));
        prop_assert!(decode_hello(&[rest, &[2]].concat()).is_err());
    }

    #[test]
    fn every_reason_to_be_unavailable_comes_back(why: String) {
        let body = encode_unavailable(&Unavailable(why.clone()));
        prop_assert_eq!(decode_unavailable(&body).unwrap(), Unavailable(why));
        only_whole(&body, decode_unavailable)?;
    }

    #[test]
    fn any_bytes_give_a_message_or_an_error(bytes in vec(any::<u8>(), 0..200)) {
        let _ = decode_hello(&bytes);
        let _ = decode_unavailable(&bytes);
        if let Ok((number, call)) = decode_call(&bytes) {
            prop_assert_eq!(encode_call(number, &call), &bytes[..]);
        }
        if let Ok((number, reply)) = decode_answer(&bytes) {
            prop_assert_eq!(encoded(number, &reply), &bytes[..]);
        }
    }

    /// Random bytes alone rarely pass the operator field.
    #[test]
    fn a_damaged_call_gives_the_bytes_back_or_an_error(
        call in call(), damage in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut body = encode_call(1, &call);
        for (at, byte) in damage {
            let at = at.index(body.len());
            body[at] = byte;
        }
        if let Ok((number, call)) = decode_call(&body) {
            prop_assert_eq!(encode_call(number, &call), body);
        }
    }
}
