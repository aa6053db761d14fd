//! Tests that upstreams take: what stands in them, what has no place in them, and, where a program is there to read them,
//! that they are read.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use normative_conformance::Demands;
use normative_conformance::judge::verdict::Sheet;
use normative_reference::{
    Axes, AxesTensor, Call, Choice, Dtype, Norm, Operator, Opset, Question, Reading, Tensor,
};
use normative_repro::{Contribution, Due, NoRepro};
use rstest::rstest;

use crate::{f32s, onnx, openvino};

/// The text of a test, of which these readings are demanded.
fn demanding(form: Contribution, call: &Call, readings: &[Choice]) -> Result<String, NoRepro> {
    let demands = Demands { readings: readings.to_vec(), ..Demands::default() };
    let due = Due::of(&Sheet::of(call).unwrap(), call.spec(), &demands)?;
    let file = form.file("an-example/of-a/case", call, &due)?;
    Ok(String::from_utf8(file.bytes).unwrap())
}

fn test(form: Contribution, call: &Call) -> Result<String, NoRepro> {
    demanding(form, call, &[])
}

fn at(opset: Opset, dtype: Dtype, bits: &[u64], axes: Axes) -> Call {
    let operator = Operator::Onnx { norm: Norm::L1, opset, keepdims: None, noop_with_empty_axes: None };
    Call::new(operator, Tensor::from_bits(dtype, &[bits.len()], bits).unwrap(), axes)
}

fn webnn(norm: Norm, data: Tensor, axes: Axes) -> Call {
    Call::new(Operator::WebNn { norm, keep_dimensions: Some(true) }, data, axes)
}

/// Calls whose one answer is a tensor: several types, opsets and forms of axes.
fn calls() -> Vec<Call> {
    let infinity = u64::from(f32::INFINITY.to_bits());
    let null = Operator::Onnx {
        norm: Norm::L1,
        opset: Opset::V18,
        keepdims: Some(1),
        noop_with_empty_axes: Some(0),
    };
    vec![
        onnx(Norm::L2, f32s(&[2, 2], &[3.0, -4.0, 5.0, 12.0]), Axes::list(&[-1])),
        onnx(Norm::L1, f32s(&[1, 3], &[0.1, -0.25, 1e30]), Axes::Absent),
        at(Opset::V13, Dtype::I64, &[1 << 62, 3], Axes::list(&[0])),
        at(Opset::V13, Dtype::Bf16, &[0x3f80, 0xc000], Axes::list(&[0])),
        at(Opset::V11, Dtype::U64, &[1 << 63, 5], Axes::list(&[-1])),
        at(Opset::V1, Dtype::F64, &[1.5_f64.to_bits(), 0.1_f64.to_bits()], Axes::Absent),
        at(Opset::V18, Dtype::F16, &[0x3c00, 0xbc00], Axes::list(&[0])),
        at(Opset::V18, Dtype::F32, &[infinity, 0], Axes::list(&[0])),
        Call::new(null, f32s(&[2], &[1.0, -2.0]), Axes::Null),
    ]
}

#[rstest]
#[case::onnx(Contribution::OnnxNodeTest)]
#[case::op_tester(Contribution::OpTester)]
fn a_test_of_onnx_states_the_call_and_its_answer(#[case] form: Contribution) {
    let call = onnx(Norm::L2, f32s(&[2, 2], &[3.0, -4.0, 5.0, 12.0]), Axes::list(&[-1]));
    insta::assert_snapshot!(format!("{}_18", form.name()), test(form, &call).unwrap());
    let call = at(Opset::V13, Dtype::I64, &[1 << 62, 3], Axes::list(&[0]));
    insta::assert_snapshot!(format!("{}_13", form.name()), test(form, &call).unwrap());
}

#[test]
fn a_test_of_webnn_is_its_object() {
    let call = webnn(Norm::L1, f32s(&[2, 2], &[3.0, -4.5, 5.0, 12.0]), Axes::list(&[1]));
    insta::assert_snapshot!("wpt_f32", test(Contribution::Wpt, &call).unwrap());
}

#[test]
fn a_refusal_that_is_due_is_one_of_op_testers_alone() {
    let call = onnx(Norm::L1, f32s(&[2], &[1.0, 2.0]), Axes::list(&[1]));
    let text = test(Contribution::OpTester, &call).unwrap();
    assert!(text.contains("kExpectFailure, \"\");  // onnx/ReduceL1-18#axes-range"), "{text}");
    let error = test(Contribution::OnnxNodeTest, &call).unwrap_err().to_string();
    assert!(
        error.contains("a refusal is due (onnx/ReduceL1-18#axes-range), and backend node tests"),
        "{error}"
    );
    let call = webnn(Norm::L1, f32s(&[2], &[1.0, 2.0]), Axes::list(&[1]));
    let error = test(Contribution::Wpt, &call).unwrap_err().to_string();
    assert!(error.contains("and conformance tests of WebNN state a result"), "{error}");
}

#[test]
fn an_open_call_takes_a_demanded_reading() {
    let call = onnx(Norm::L1, f32s(&[2, 2], &[1.0, -2.0, 3.0, -4.0]), Axes::list(&[1, 1]));
    let error = test(Contribution::OpTester, &call).unwrap_err().to_string();
    assert!(error.contains("--reading leaves one of duplicate-axes="), "{error}");
    let reading = Choice { question: Question::DuplicateAxes, reading: Reading::Reject };
    let text = demanding(Contribution::OpTester, &call, &[reading]).unwrap();
    assert!(text.contains("kExpectFailure"), "{text}");
}

#[rstest]
#[case::onnx(Contribution::OnnxNodeTest, "it is not an operator of ONNX")]
#[case::wpt(Contribution::Wpt, "it is not an operator of WebNN")]
#[case::op_tester(Contribution::OpTester, "it is not an operator of ONNX")]
fn a_call_of_another_standard_has_no_test(#[case] form: Contribution, #[case] because: &str) {
    let call = openvino(Norm::L1, f32s(&[2], &[1.0, 2.0]), Axes::list(&[0]));
    let error = test(form, &call).unwrap_err().to_string();
    assert!(error.contains(because), "{error}");
}

fn said(output: &Output) -> String {
    let of = |bytes| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", of(&output.stdout), of(&output.stderr))
}

/// A Python that has `onnx`: the one that `cargo xtask setup onnx-reference` makes, or that of the system.
fn python_with_onnx() -> Option<std::path::PathBuf> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/normative-setups");
    let sets = fs::read_dir(target).into_iter().flatten().flatten();
    let sets = sets.filter(|set| set.file_name().to_string_lossy().starts_with("onnx@"));
    let found = sets.map(|set| set.path().join("bin/python")).chain(["python3".into()]);
    let has = |python: &std::path::PathBuf| {
        Command::new(python).args(["-c", "import onnx, numpy"]).output().is_ok_and(|run| run.status.success())
    };
    let mut found = found.filter(has);
    found.next()
}

/// Every test is collected as ONNX collects its own, its model is checked, and ONNX's own evaluator gives what it states.
const COLLECT: &str = "
import sys
import numpy as np
import onnx
from onnx.backend.test.case import node
from onnx.reference import ReferenceEvaluator
import node_test
cases = [case for case in node._NodeTestCases if case.name == sys.argv[1]] if node._NodeTestCases else []
if not cases:
    node_test_class = [getattr(node_test, name) for name in ('ReduceL1', 'ReduceL2') if hasattr(node_test, name)][0]
    export = [getattr(node_test_class, name) for name in dir(node_test_class) if name.startswith('export_')][0]
    export()
    cases = [case for case in node._NodeTestCases if case.name == sys.argv[1]]
(case,) = cases
onnx.checker.check_model(case.model)
for inputs, outputs in case.data_sets:
    came = ReferenceEvaluator(case.model).run(None, dict(zip([i.name for i in case.model.graph.input], inputs)))
    for due, got in zip(outputs, came):
        assert got.dtype == due.dtype and got.shape == due.shape, (due, got)
        np.testing.assert_allclose(got.astype(np.float64), due.astype(np.float64), rtol=1e-2)
print('read', case.name)
";

#[test]
fn onnx_reads_a_node_test() {
    let Some(python) = python_with_onnx() else {
        println!("left out: no Python has onnx; cargo xtask setup onnx-reference makes one");
        return;
    };
    for call in calls() {
        let folder = tempfile::tempdir().unwrap();
        let text = test(Contribution::OnnxNodeTest, &call).unwrap();
        fs::write(folder.path().join("node_test.py"), &text).unwrap();
        let run = Command::new(&python)
            .args(["-c", COLLECT, "test_an_example_of_a_case"])
            .env("PYTHONPATH", folder.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap();
        assert!(
            run.status.success() && said(&run).contains("read test_an_example_of_a_case"),
            "{text}{}",
            said(&run)
        );
    }
}

#[test]
fn node_reads_a_test_of_webnn() {
    if !Command::new("node").arg("--version").output().is_ok_and(|run| run.status.success()) {
        println!("left out: there is no node");
        return;
    }
    let wide = Tensor::from_bits(Dtype::I64, &[2], &[1 << 62, u64::MAX]).unwrap();
    let halves = Tensor::from_bits(Dtype::F16, &[2], &[0x3c00, 0xbc00]).unwrap();
    let calls = [
        (webnn(Norm::L1, f32s(&[2, 2], &[3.0, -4.5, 5.0, 12.0]), Axes::list(&[1])), "7.5,17 1 2,1"),
        (webnn(Norm::L1, wide, Axes::list(&[0])), "4611686018427387905 0 1"),
        (webnn(Norm::L2, f32s(&[1, 2], &[f32::INFINITY, 1.0]), Axes::Absent), "Infinity undefined 1,1"),
        (webnn(Norm::L1, halves, Axes::list(&[])), "1,1  2"),
    ];
    let read = "const t = eval('(' + require('fs').readFileSync(0, 'utf8') + ')'); \
                const [[, out]] = Object.entries(t.graph.expectedOutputs); \
                const [operator] = t.graph.operators; const options = operator.arguments[1].options; \
                if (!Object.keys(t.graph.inputs).includes(operator.arguments[0].input)) throw t; \
                console.log(out.data.join(), String(options.axes), out.descriptor.shape.join())";
    for (call, due) in calls {
        let text = test(Contribution::Wpt, &call).unwrap();
        let mut node = Command::new("node");
        node.args(["-e", read]).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut node = node.stderr(std::process::Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut node.stdin.take().unwrap(), text.as_bytes()).unwrap();
        let run = node.wait_with_output().unwrap();
        assert_eq!(said(&run).trim(), due, "{text}");
    }
}

/// As much of ONNX Runtime's `OpTester` as a test names.
const OP_TESTER: &str = r#"
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>
struct MLFloat16 { static MLFloat16 FromBits(uint16_t) { return {}; } };
struct BFloat16 { static BFloat16 FromBits(uint16_t) { return {}; } };
struct OpTester {
  enum class ExpectResult { kExpectSuccess, kExpectFailure };
  OpTester(const char*, int) {}
  void AddAttribute(const char*, int64_t) {}
  void AddAttribute(const char*, std::vector<int64_t>) {}
  template <typename T> void AddInput(const char*, std::initializer_list<int64_t>, std::initializer_list<T>, bool = false) {}
  template <typename T> void AddOptionalInputEdge() {}
  template <typename T> void AddOutput(const char*, std::initializer_list<int64_t>, std::initializer_list<T>) {}
  void Run(ExpectResult = ExpectResult::kExpectSuccess, const std::string& = "") {}
};
#define TEST(suite, name) void suite##_##name()
"#;

#[test]
fn a_compiler_takes_a_test_of_op_tester() {
    if !Command::new("c++").arg("--version").output().is_ok_and(|run| run.status.success()) {
        println!("left out: there is no c++");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let i32_axes = Axes::Given(AxesTensor { dtype: Dtype::I32, shape: vec![1], values: vec![0] });
    let refused = [
        onnx(Norm::L1, f32s(&[2], &[1.0, 2.0]), Axes::list(&[1])),
        onnx(Norm::L1, f32s(&[2], &[1.0, 2.0]), i32_axes),
    ];
    let mut text = OP_TESTER.to_owned();
    for (at, call) in calls().iter().chain(&refused).enumerate() {
        let one = test(Contribution::OpTester, call).unwrap();
        text += &one.replace("an_example", &format!("example_{at}"));
    }
    fs::write(folder.path().join("test.cc"), &text).unwrap();
    let mut compiler = Command::new("c++");
    let run = compiler.args(["-std=c++17", "-Wall", "-Werror", "-fsyntax-only", "test.cc"]);
    let run = run.current_dir(folder.path()).output().unwrap();
    assert!(run.status.success(), "{}\n{text}", said(&run));
}
