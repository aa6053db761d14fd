//! Tests that every reader of foreign bytes takes time linear in their length.

use std::path::Path;

use normative_backend::wire;
use normative_conformance::corpus::{load_ledger_text, load_text};
use normative_conformance::report::baseline::Baseline;
use normative_conformance::report::record::{FORMAT, read_all};
use normative_fuzz_checks::growth::assert_linear;
use normative_onnx::{nodes, read};
use rstest::rstest;

const PATH: &str = "growth.yaml";

/// Returns `n` copies of a text.
fn all(n: usize, one: &str) -> String {
    one.repeat(n)
}

/// Joins the texts for the numbers below `n`.
fn each(n: usize, one: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |text, at| text + &one(at))
}

/// Returns a field of a protobuf message: its number, and bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut length = bytes.len();
    let mut out = vec![number << 3 | 2];
    while length > 127 {
        out.push(length as u8 | 128);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend(bytes);
    out
}

#[rstest]
#[case::dims(|n| [&[0x08, 1].repeat(n)[..], &[0x10, 1]].concat())]
#[case::packed_dims(|n| [&field(1, &vec![1; n])[..], &[0x10, 1, 0x25, 0, 0, 0x80, 0x3f]].concat())]
#[case::elements(|n| [&[0x10, 1][..], &[0x25, 0, 0, 0x80, 0x3f].repeat(n)].concat())]
#[case::names(|n| [&[0x10, 1][..], &field(8, b"a").repeat(n)].concat())]
fn a_tensor_is_read_in_linear_time(#[case] made: fn(usize) -> Vec<u8>) {
    assert_linear(20_000, made, |bytes| _ = read::tensor(bytes));
}

#[rstest]
#[case::imports(|n| field(8, &[field(1, b""), vec![0x10, 13]].concat()).repeat(n))]
#[case::graphs(|n| field(7, &[]).repeat(n))]
#[case::nodes(|n| field(7, &field(1, &field(4, b"ReduceL1")).repeat(n)))]
#[case::inputs(|n| field(7, &[field(1, &[field(1, b"x").repeat(n), field(4, b"ReduceL1")].concat())].concat()))]
#[case::attributes(|n| field(7, &field(1, &[field(4, b"ReduceL1"), field(5, &field(1, b"axes")).repeat(n)].concat())))]
#[case::axes(|n| field(7, &field(1, &[field(1, b"x"), field(4, b"ReduceL1"), field(5, &[field(1, b"axes"), field(8, &vec![0; n])].concat())].concat())))]
#[case::initializers(|n| field(7, &[field(1, &field(4, b"ReduceL1")), field(5, &[0x10, 1, 0x25, 0, 0, 0, 0]).repeat(n)].concat()))]
fn a_model_is_read_in_linear_time(#[case] made: fn(usize) -> Vec<u8>) {
    assert_linear(5_000, made, |bytes| _ = nodes::find(bytes));
}

/// Returns the answer to call 1: a tensor of `n` dims of 1.
fn many_dims(n: usize) -> Vec<u8> {
    let answer =
        normative_backend::Answer::Tensor(normative_backend::ndarray::arr0(1.0_f32).into_dyn().into());
    let mut body = wire::encode_answer(1, &answer);
    // The number of dims follows the call number, the outcome and the type.
    let at = body.len() - 4 - 4;
    body.splice(at..at + 4, (n as u32).to_le_bytes());
    let end = body.len() - 4;
    body.splice(end..end, 1_u64.to_le_bytes().repeat(n));
    body
}

#[test]
fn an_answer_is_read_in_linear_time() {
    assert!(wire::decode_answer(&many_dims(2)).is_ok());
    assert_linear(20_000, many_dims, |body| _ = wire::decode_answer(body));
}

/// Ruling on a call takes time quadratic in its dims, so a reader bounds them.
#[test]
fn a_tensor_of_more_dims_than_any_runtime_takes_is_not_read() {
    let of =
        |dims| read::tensor(&[&field(1, &vec![1; dims])[..], &[0x10, 1, 0x25, 0, 0, 0x80, 0x3f]].concat());
    assert!(of(1000).is_ok());
    assert!(of(1001).unwrap_err().to_string().contains("1001 dims"));
}

const CASES: &str = "topic: a\nspecs: [openvino/ReduceL1-4]\ncases:\n";

fn case(shape: &str, values: &str, axes: &str, clauses: &str) -> String {
    format!(
        "{CASES}  - id: openvino-l1-a\n    clauses: [{clauses}]\n    why: It is so.\n    dtypes: [f32]\n    data: {{shape: [{shape}], values: [{values}]}}\n    \
         axes: [{axes}]\n    expect: {{shape: [], values: [1]}}\n"
    )
}

#[rstest]
#[case::cases(300, |n| CASES.to_owned() + &each(n, |at| format!("  - id: openvino-l1-a{at}\n    clauses: [norm]\n    why: It is so.\n    dtypes: [f32]\n    data: {{shape: [1], values: [1]}}\n    axes: [0]\n    expect: {{shape: [], values: [1]}}\n")))]
#[case::same_cases(300, |n| CASES.to_owned() + &all(n, "  - id: openvino-l1-a\n    clauses: [norm]\n    why: It is so.\n    dtypes: [f32]\n    data: {shape: [1], values: [1]}\n    axes: [0]\n    expect: {shape: [], values: [1]}\n"))]
#[case::dims(2_000, |n| case(&all(n, "1, "), "1", "0", "norm"))]
#[case::values(2_000, |n: usize| case(&n.to_string(), &all(n, "1, "), "0", "norm"))]
#[case::axes(2_000, |n| case("1", "1", &each(n, |at| format!("{at}, ")), "norm"))]
#[case::clauses(2_000, |n| case("1", "1", "0", &each(n, |at| format!("a{at}, "))))]
#[case::dtypes(2_000, |n| case("1", "1", "0", "norm").replace("[f32]", &format!("[{}]", all(n, "f32, "))))]
#[case::specs(2_000, |n| case("1", "1", "0", "norm").replace("[openvino", &format!("[{}openvino", all(n, "openvino/ReduceL1-4, "))))]
#[case::brackets(20_000, |n| all(n, "["))]
#[case::lines(20_000, |n| all(n, "a\n"))]
#[case::quotes(20_000, |n| all(n, "'"))]
#[case::spaces(20_000, |n| all(n, " "))]
#[case::comments(20_000, |n| all(n, "# a\n"))]
#[case::keys(5_000, |n| each(n, |at| format!("a{at}: 1\n")))]
#[case::digits(20_000, |n| case("1", &all(n, "9"), "0", "norm"))]
fn a_case_file_is_read_in_linear_time(#[case] n: usize, #[case] made: fn(usize) -> String) {
    assert_linear(n, made, |text| _ = load_text(Path::new(PATH), text));
}

#[rstest]
#[case::clauses(|n| "source: a\nspecs: [openvino/ReduceL1-4]\nclauses:\n".to_owned() + &each(n, |at| format!("  - name: a{at}\n    level: determined\n    says: It is so.\n    where: here\n")))]
#[case::same_clauses(|n| "source: a\nspecs: [openvino/ReduceL1-4]\nclauses:\n".to_owned() + &all(n, "  - name: a\n    level: determined\n    says: It is so.\n    where: here\n"))]
fn a_ledger_is_read_in_linear_time(#[case] made: fn(usize) -> String) {
    assert_linear(500, made, |text| _ = load_ledger_text(Path::new(PATH), text));
}

fn baseline(known: &str) -> String {
    format!("runs: [{{seed: 1, calls: 9}}]\nknown:\n{known}")
}

#[rstest]
#[case::known(|n: usize| baseline(&each(n, |at| format!("  - name: a{at}\n    fails: [{{way: crashed, calls: {at:08x}}}]\n"))))]
#[case::same(|n: usize| baseline(&all(n, "  - name: a\n    fails: [{way: crashed, calls: 00000001}]\n")))]
#[case::calls(|n: usize| baseline(&format!("  - name: a\n    fails: [{{way: crashed, calls: {}}}]\n", each(n, |at| format!("{at:08x} ")))))]
#[case::ways(|n: usize| baseline(&format!("  - name: a\n    fails: [{}]\n", each(n, |at| format!("{{way: \"crashed: {at}\", calls: {at:08x}}}, ")))))]
fn a_baseline_is_read_in_linear_time(#[case] made: fn(usize) -> String) {
    assert_linear(1000, made, |text| _ = Baseline::load_text(Path::new(PATH), text));
}

/// Returns the head of a record, of a run with this name.
fn head(name: &str) -> String {
    let head = r#"{"run":{"format":FORMAT,"suite":"0.1.0","name":"NAME","backend":{"name":"a","version":"1","report-bugs-to":"b","accumulation":[],"slow":false,"families":["bnns"]},"machines":[{"os":"linux","arch":"x86_64","cores":2}],"options":{"timeout":10,"memory":null,"repeat":500},"corpus":1,"digest":"0","cases":1,"seed":1,"calls":1,"accuracy":null,"readings":[],"left-out":[],"again":"a"}}"#;
    head.replace("FORMAT", &FORMAT.to_string()).replace("NAME", name)
}

/// Returns a record of this many faults.
fn flakes(n: usize) -> String {
    head("a") + "\n" + &each(n, |at| format!("{{\"flake\":{{\"suspects\":[],\"how\":\"{at}\"}}}}\n"))
}

#[test]
fn the_records_that_grow_are_read_to_their_end() {
    let records = read_all(flakes(3).as_bytes()).unwrap();
    assert_eq!(records[0].flakes.len(), 3);
}

#[rstest]
#[case::lines(|n| flakes(n))]
#[case::blanks(|n| head("a") + &all(n, " "))]
#[case::brackets(|n| all(n, "["))]
#[case::names(|n| head(&all(n, "a")))]
fn a_record_is_read_in_linear_time(#[case] made: fn(usize) -> String) {
    assert_linear(20_000, made, |text| _ = read_all(text.as_bytes()));
}
