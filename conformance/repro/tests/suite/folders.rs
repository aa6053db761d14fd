//! Tests the content of a folder.

use normative_conformance::report::finding::Line;
use normative_conformance::{Death, Observed};
use normative_reference::{Axes, AxesTensor, Call, Dtype, Layout, Norm, Operator, Opset, Tensor};
use normative_repro::{NoRepro, Target};
use rstest::rstest;

use crate::{f32s, files, files_for, files_of, onnx, openvino, text};

/// Returns the script without the comparison, which is the same in all.
fn script(backend: &str, call: &Call, came: &Observed) -> String {
    let files = files(backend, call, came).unwrap();
    let paths: Vec<&str> = files.iter().map(|file| file.path).collect();
    let path =
        ["repro.py", "repro.mjs", "src/main.rs"].into_iter().find(|path| paths.contains(path)).unwrap();
    let whole = text(&files, path);
    let same = ["# The letters by which", "/** The elements of a typed array", "\nenum Due {"];
    let own = same.into_iter().find_map(|begins| Some(whole.split_once(begins)?.0)).unwrap();
    let manifests = ["Cargo.toml", "package.json"].into_iter().filter(|path| paths.contains(path));
    let manifest: String = manifests.map(|path| text(&files, path)).collect();
    format!("{}\n\n{own}{manifest}", paths.join(" "))
}

fn wrong() -> Observed {
    Observed::Tensor(f32s(&[2], &[5.0, 12.5]))
}

#[rstest]
fn a_script_states_the_call_and_what_is_due(
    #[values(
        "onnxruntime",
        "onnxruntime-axes-input",
        "onnxruntime-later-opset",
        "onnxruntime-unoptimised",
        "onnxruntime-function",
        "onnx-reference",
        "onnx-reference-function",
        "openvino-onnx",
        "openvino-onnx-axes-input",
        "tvm",
        "iree",
        "ncnn",
        "litert",
        "litert-builtin",
        "tfjs",
        "tfjs-norm",
        "numpy",
        "numpy-norm",
        "torch",
        "torch-norm",
        "jax",
        "jax-norm",
        "tensorflow",
        "tensorflow-norm",
        "paddle",
        "paddle-norm",
        "mlx",
        "mlx-norm",
        "dask",
        "dask-norm",
        "tinygrad",
        "mnn",
        "cmd",
        "onnx-cmd",
        "rten",
        "rten-axes-input",
        "tract",
        "candle",
        "burn"
    )]
    backend: &str,
) {
    let call = onnx(Norm::L2, f32s(&[2, 2], &[3.0, -4.0, 5.5, -12.25]), Axes::list(&[-1]));
    insta::assert_snapshot!(format!("onnx_{backend}"), script(backend, &call, &wrong()));
}

#[rstest]
fn a_script_of_openvino_reads_its_own_models(
    #[values("openvino", "openvino-constant", "openvino-axes-input", "openvino-evaluate")] backend: &str,
) {
    let call = openvino(Norm::L1, f32s(&[2, 2], &[3.0, -4.0, 5.5, -12.25]), Axes::scalar(0));
    insta::assert_snapshot!(format!("openvino_{backend}"), script(backend, &call, &wrong()));
}

#[test]
fn a_script_of_webnn_hands_over_what_was_given() {
    let operator = Operator::WebNn { norm: Norm::L1, keep_dimensions: Some(true) };
    let call = Call::new(operator, f32s(&[2, 2], &[3.0, -4.0, 5.5, -12.25]), Axes::list(&[1]));
    insta::assert_snapshot!("webnn_webnn-baseline", script("webnn-baseline", &call, &wrong()));
}

#[rstest]
#[case::a_function_body(
    "onnxruntime-function",
    Dtype::F32,
    "ONNX gives no body of the operator before opset 18"
)]
#[case::a_type_of_tensors("tfjs", Dtype::F64, "TensorFlow.js has no tensor of f64")]
#[case::a_type_of_numpy("litert", Dtype::Bf16, "NumPy has no bfloat16")]
#[case::a_family("webnn-baseline", Dtype::F32, "webnn-baseline is WebNN alone")]
fn a_call_without_a_place_is_not_written(#[case] backend: &str, #[case] dtype: Dtype, #[case] why: &str) {
    let operator =
        Operator::Onnx { norm: Norm::L1, opset: Opset::V13, keepdims: None, noop_with_empty_axes: None };
    let call = Call::new(operator, tensor(dtype, &[1], &[0]), Axes::list(&[0]));
    let error = files(backend, &call, &Observed::Rejected("no".into())).unwrap_err();
    assert!(error.to_string().ends_with(why), "{error}");
}

#[rstest]
fn a_norm_of_everything_is_a_number(#[values("faer", "nalgebra")] backend: &str) {
    let call = onnx(Norm::L2, f32s(&[1, 2], &[3.0, -4.0]), Axes::Absent);
    insta::assert_snapshot!(format!("everything_{backend}"), script(backend, &call, &wrong()));
}

#[rstest]
#[case::onnx("onnxruntime")]
#[case::own("openvino-onnx")]
#[case::short("numpy")]
fn an_issue_fills_in_the_form_of_its_upstream(#[case] backend: &str) {
    let call = onnx(Norm::L2, f32s(&[2, 2], &[3.0, -4.0, 5.5, -12.25]), Axes::list(&[1]));
    let files = files(backend, &call, &wrong()).unwrap();
    insta::assert_snapshot!(format!("issue_{backend}"), text(&files, "ISSUE.md"));
}

fn tensor(dtype: Dtype, shape: &[usize], bits: &[u64]) -> Tensor {
    Tensor::from_bits(dtype, shape, bits).unwrap()
}

/// Returns the line that makes the data, and the expected elements.
fn data_and_due(call: &Call) -> (String, Vec<String>) {
    let text = text(&files("numpy", call, &Observed::Rejected("no".into())).unwrap(), "repro.py");
    let data = text.lines().find(|line| line.starts_with("DATA = ")).unwrap().to_owned();
    let due =
        text.lines().filter(|line| line.starts_with("            (")).map(|line| line.trim().to_owned());
    (data, due.collect())
}

#[rstest]
#[case::a_half(
    tensor(Dtype::F16, &[2], &[0x3c01, 0xbc00]),
    "DATA = np.array([1.0009765625, -1.0], np.float16).reshape((2,))"
)]
#[case::big_integers(
    tensor(Dtype::U64, &[2], &[u64::MAX, 1]),
    "DATA = np.array([18446744073709551615, 1], np.uint64).reshape((2,))"
)]
#[case::negative_integers(tensor(Dtype::I8, &[1], &[0x80]), "DATA = np.array([-128], np.int8).reshape((1,))")]
#[case::infinities_and_zeros(
    f32s(&[2, 2], &[f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0]),
    "DATA = np.array([np.inf, -np.inf, -0.0, 0.0], np.float32).reshape((2, 2))"
)]
#[case::the_usual_nan(f32s(&[1], &[f32::NAN]), "DATA = np.array([np.nan], np.float32).reshape((1,))")]
#[case::another_nan(
    tensor(Dtype::F32, &[1], &[0xff80_0001]),
    "DATA = np.array([0xff800001], np.uint32).view(np.float32).reshape((1,))  # [NaN]"
)]
#[case::bfloat16_by_its_bits(
    tensor(Dtype::Bf16, &[2], &[0x3f80, 0xc000]),
    "DATA = np.array([0x3f80, 0xc000], np.uint16).reshape((2,))  # [1, -2]"
)]
#[case::a_scalar(f32s(&[], &[-2.5]), "DATA = np.array([-2.5], np.float32).reshape(())")]
#[case::nothing(f32s(&[0, 3], &[]), "DATA = np.array([], np.float32).reshape((0, 3))")]
fn data_keep_their_bits(#[case] data: Tensor, #[case] line: &str) {
    let operator = onnx(Norm::L1, data, Axes::Absent);
    assert_eq!(data_and_due(&operator).0, line);
}

#[rstest]
#[case::a_nan_is_any_nan(f32s(&[1], &[f32::NAN]), "(0x7f800001, 0x7fffffff, 0xff800001, 0xffffffff),  # NaN")]
#[case::an_infinity_is_one(f32s(&[1], &[f32::INFINITY]), "(0x7f800000, 0x7f800000),  # inf")]
#[case::an_integer_is_exact(tensor(Dtype::U64, &[1], &[u64::MAX]), "(0xffffffffffffffff, 0xffffffffffffffff),  # 18446744073709551615")]
#[case::minus_zero_has_no_sign(f32s(&[1], &[-0.0]), "(0x00000000, 0x00000000),  # 0")]
fn due_elements_are_ranges_of_bits(#[case] data: Tensor, #[case] element: &str) {
    let due = data_and_due(&onnx(Norm::L1, data, Axes::list(&[0]))).1;
    assert!(due.iter().any(|line| line == element), "{due:?}");
}

#[test]
fn an_empty_result_has_no_elements() {
    let call = onnx(Norm::L1, f32s(&[0, 3], &[]), Axes::list(&[1]));
    let text = text(&files("numpy", &call, &Observed::Rejected("no".into())).unwrap(), "repro.py");
    assert!(text.contains("\"shape\": [0],\n        \"elements\": [\n        ],"), "{text}");
}

#[test]
fn a_refusal_that_is_due_is_named_by_its_clause() {
    let call = onnx(Norm::L1, f32s(&[2], &[1.0, 2.0]), Axes::list(&[1]));
    let files = files("onnxruntime", &call, &wrong()).unwrap();
    assert!(text(&files, "repro.py").contains("\"refused\": \"onnx/ReduceL1-18#axes-range\""));
    assert!(text(&files, "ISSUE.md").contains("- a refusal of the call\n"));
}

#[test]
fn an_open_call_lists_its_readings_and_says_what_is_open() {
    let call = onnx(Norm::L1, f32s(&[2], &[1.0, 2.0]), Axes::list(&[0, 0]));
    let files = files("onnxruntime", &call, &Observed::Died(Death::Crashed("gone".into()))).unwrap();
    let (script, issue) = (text(&files, "repro.py"), text(&files, "ISSUE.md"));
    let open =
        "`duplicate-axes`: Is an axis that is listed twice with the same number reduced once, or is the call";
    for reading in ["duplicate-axes=collapse", "duplicate-axes=reject"] {
        assert!(script.contains(&format!("\"if\": \"{reading}")), "{script}");
        assert!(issue.contains(&format!("(where {reading}")), "{issue}");
    }
    assert!(script.contains(&format!("\n# Open: {open}")), "{script}");
    assert!(
        issue.contains("Expected, any one of these:\n") && issue.contains(&format!("\n- {open}")),
        "{issue}"
    );
    // The call killed its process, so the script makes it in a child process.
    assert!(script.contains("import subprocess") && script.contains("--here"), "{script}");
}

/// `NumPy` has no bfloat16, so it cannot make even an empty array of it.
#[rstest]
fn data_in_bfloat16_are_made_of_bits(
    #[values("torch", "jax", "mlx", "tinygrad", "tvm", "onnxruntime")] backend: &str,
    #[values(0, 2)] length: usize,
) {
    let data = Tensor::from_bits(Dtype::Bf16, &[length], &vec![0x3f80; length]).unwrap();
    let call = onnx(Norm::L1, data, Axes::list(&[0]));
    let files = files(backend, &call, &Observed::Rejected("no".into())).unwrap();
    let script = text(&files, "repro.py");
    assert!(!script.contains("np.bfloat16"), "{script}");
}

/// A runtime that reads memory it did not write may be right by chance.
#[rstest]
#[case::python("numpy", "repro.py", "range(20)")]
#[case::javascript("tfjs", "repro.mjs", "run < 20")]
fn a_call_that_is_answered_in_two_ways_is_made_until_it_is_wrong(
    #[case] backend: &str,
    #[case] file: &str,
    #[case] runs: &str,
) {
    let call = onnx(Norm::L1, f32s(&[1], &[2.0]), Axes::list(&[0]));
    let [one, other] = [1.0, 3.0].map(|value| Observed::Tensor(f32s(&[], &[value])));
    for (again, varies) in [([one.clone(), one.clone()], false), ([one.clone(), other], true)] {
        let files = files_of(backend, &call, &one, &again).unwrap();
        assert_eq!(text(&files, file).contains(runs), varies);
        assert_eq!(text(&files, "ISSUE.md").contains("Asked again, it answered otherwise."), varies);
    }
}

/// A second line of a comment would be read as code.
#[rstest]
fn a_question_whose_reason_is_long_is_one_line(#[values("numpy", "candle")] backend: &str) {
    let call = onnx(Norm::L1, f32s(&[1], &[1e-40]), Axes::list(&[0]));
    let files = files(backend, &call, &wrong()).unwrap();
    let script = text(&files, if backend == "numpy" { "repro.py" } else { "src/main.rs" });
    let reason = "The other texts name neither IEEE 754 nor a flush-to-zero mode.";
    let line = script.lines().find(|line| line.contains("Open: `subnormals`")).unwrap();
    assert!(line.ends_with(reason), "{line}");
}

#[rstest]
#[case::absent(Axes::Absent, "axis=None")]
#[case::null(Axes::Null, "axis=None")]
#[case::empty_means_all_at_opset_18(Axes::list(&[]), "axis=None")]
#[case::from_the_end(Axes::list(&[-1]), "axis=(-1,)")]
fn axes_are_the_axis_of_an_array_library(#[case] axes: Axes, #[case] argument: &str) {
    let call = onnx(Norm::L1, f32s(&[1, 2], &[1.0, 2.0]), axes);
    let text = text(&files("numpy", &call, &wrong()).unwrap(), "repro.py");
    assert!(text.contains(&format!("np.sum(np.abs(DATA), {argument}, keepdims=False")), "{text}");
}

#[test]
fn openvino_has_empty_axes_as_a_tuple_of_none() {
    let call = openvino(Norm::L1, f32s(&[1, 2], &[1.0, 2.0]), Axes::list(&[]));
    let text = text(&files("numpy", &call, &wrong()).unwrap(), "repro.py");
    assert!(text.contains("axis=(), keepdims=True, out=np.empty((1, 2)"), "{text}");
}

#[test]
fn data_of_many_elements_are_a_file() {
    let call = onnx(Norm::L1, f32s(&[65], &[1.0; 65]), Axes::list(&[0]));
    let python = files("numpy", &call, &wrong()).unwrap();
    assert!(text(&python, "repro.py").contains("DATA = np.load(HERE / \"data.npy\")\n"));
    assert!(python.iter().any(|file| file.path == "data.npy"));
    let rust = files("candle", &call, &wrong()).unwrap();
    let data = rust.iter().find(|file| file.path == "data.bin").unwrap();
    assert_eq!(data.bytes, 1_f32.to_le_bytes().repeat(65));
}

#[test]
fn a_call_that_no_model_can_say_is_not_written() {
    let axes = AxesTensor { dtype: Dtype::I32, shape: vec![1], values: vec![1 << 40] };
    let call = onnx(Norm::L1, f32s(&[1], &[1.0]), Axes::Given(axes));
    assert!(matches!(files("onnxruntime", &call, &wrong()), Err(NoRepro::Call { .. })));
    let operator = Operator::Bnns { output_shape: vec![1] };
    let call = Call::new(operator, f32s(&[1], &[1.0]), Axes::Absent);
    assert!(matches!(files("torch", &call, &wrong()), Err(NoRepro::Call { .. })));
}

#[test]
fn a_backend_without_a_reproduction_has_no_target() {
    for name in ["bnns", "ndarray", "./ndarray", "cmd:python3 x.py", ""] {
        assert_eq!(Target::of(name), None, "{name}");
    }
}

/// A refused call is one whose axis is out of range; an open one names an axis twice.
#[rstest]
#[case::a_tensor("numpy", &[0], 2, "np.testing.assert_array_equal(np.frombuffer(raw, np.int32), np.array([3], np.int32))\n```\n")]
#[case::a_refusal("numpy", &[1], 2, "raise AssertionError(f\"expected a refusal, by onnx/ReduceL1-18#axes-range, got {came}\")\n```\n")]
#[case::a_model_as_bytes("onnxruntime", &[0], 2, "(HERE / \"model.onnx\").write_bytes(bytes.fromhex(\"08081209")]
#[case::more_than_one_answer("numpy", &[0, 0], 2, "`repro.py`:\n\n```py\n")]
#[case::more_elements_than_a_line_holds("onnxruntime", &[0], 2000, "`data.npy` is attached.")]
#[case::javascript("tfjs", &[0], 2, "`repro.mjs`:\n\n```mjs\n")]
#[case::rust("tract", &[0], 2, "`src/main.rs`:\n\n```rs\n")]
fn an_issue_has_code_that_fails(
    #[case] backend: &str,
    #[case] axes: &[i64],
    #[case] length: usize,
    #[case] due: &str,
) {
    let bits: Vec<u64> = [1, 2].into_iter().cycle().take(length).collect();
    let call = onnx(Norm::L1, tensor(Dtype::I32, &[length], &bits), Axes::list(axes));
    let issue = text(&files(backend, &call, &wrong()).unwrap(), "ISSUE.md");
    assert!(issue.contains(due), "{issue}");
    assert!(!issue.contains("files of this folder"), "{issue}");
}

#[test]
fn an_issue_about_a_defect_has_its_name_and_its_extent() {
    let call = onnx(Norm::L1, f32s(&[1], &[1.0]), Axes::list(&[0]));
    let extent = [Line::new("types", "f32 f64")];
    let files = files_for("numpy", &call, &wrong(), &[], Some(("no answer: a dim of 0", &extent))).unwrap();
    let issue = text(&files, "ISSUE.md");
    assert!(issue.contains("\n# numpy 1.2.3: ReduceL1-18 of ONNX: no answer: a dim of 0\n"), "{issue}");
    assert!(issue.contains("\n- types: float32 float64\n"), "{issue}");
}

#[rstest]
#[case::short("numpy", "\nnumpy 1.2.3, Python 3.11, A System 12, x86_64")]
#[case::onnxruntime("onnxruntime", "\nA System 12, Python 3.11\n")]
#[case::openvino("openvino-onnx", "System: A System 12, x86_64, Python 3.11\n")]
fn an_issue_states_the_version_of_python_that_the_backend_uses(#[case] backend: &str, #[case] due: &str) {
    let call = onnx(Norm::L1, f32s(&[1], &[1.0]), Axes::list(&[0]));
    let issue = text(&files(backend, &call, &wrong()).unwrap(), "ISSUE.md");
    assert!(issue.contains(due), "{issue}");
}

#[test]
fn words_of_a_backend_are_quoted_as_they_are() {
    let call = onnx(Norm::L1, f32s(&[1], &[1.0]), Axes::list(&[0]));
    let came = Observed::Rejected("no kernel for f32 and i64".into());
    let issue = text(&files("onnxruntime", &call, &came).unwrap(), "ISSUE.md");
    assert!(issue.contains("refused: no kernel for f32 and i64\n"), "{issue}");
    assert!(issue.contains("data float32[1]"), "{issue}");
}

/// A quote or a backslash in a backend's text cannot end a Python string.
#[test]
fn words_of_a_backend_stay_within_the_issue() {
    let call = onnx(Norm::L1, f32s(&[1], &[1.0]), Axes::list(&[0]));
    let came = Observed::Rejected("\"\"\" ``` \u{1b}[31m\n# A heading".into());
    let files = files("onnxruntime", &call, &came).unwrap();
    let issue = text(&files, "ISSUE.md");
    assert!(!issue.contains('\u{1b}') && issue.matches("```").count() == 4, "{issue}");
    assert!(!text(&files, "repro.py").contains("A heading"));
}

#[rstest]
#[case::transposed(Layout::Transposed, "DATA = DATA.copy(order=\"F\")")]
#[case::reversed(Layout::Reversed, "DATA = np.flip(np.flip(DATA).copy())")]
#[case::sliced(Layout::Sliced, "LARGER = np.empty((5, 5), DATA.dtype)")]
#[case::sliced_elements(Layout::Sliced, "DATA = LARGER[1::2, 1::2]")]
#[case::broadcast(Layout::Broadcast, "DATA = np.broadcast_to(DATA[:1, :].copy(), DATA.shape)")]
#[case::unaligned(Layout::Unaligned, "offset=1).reshape(DATA.shape)")]
fn a_script_makes_data_that_lie_as_those_of_the_call(
    #[values("numpy", "torch", "dask")] backend: &str,
    #[case] layout: Layout,
    #[case] line: &str,
) {
    let call =
        Call { layout, ..openvino(Norm::L1, f32s(&[2, 2], &[3.0, -4.0, 3.0, -4.0]), Axes::list(&[1])) };
    let script = script(backend, &call, &wrong());
    assert!(script.contains(line), "{script}");
}

#[test]
fn a_runtime_that_takes_no_strides_has_no_script_for_another_layout() {
    let call =
        Call { layout: Layout::Sliced, ..openvino(Norm::L1, f32s(&[2], &[3.0, -4.0]), Axes::list(&[0])) };
    let why = "no script for it makes data that lie sliced in memory".to_owned();
    assert_eq!(files("jax", &call, &wrong()), Err(NoRepro::Call { spec: call.spec().name(), why }));
}
