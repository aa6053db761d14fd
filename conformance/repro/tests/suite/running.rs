//! Runs scripts, and tests that PASS and FAIL are the judge's verdicts.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use normative_conformance::Observed;
use normative_reference::{Axes, AxesTensor, Call, Dtype, Norm, Operator, Opset, Tensor};
use rstest::rstest;
use tempfile::TempDir;

use crate::{f32s, files, files_of, onnx, openvino, text};

/// Returns true if Python has this module; if not, prints that the test is left out.
fn has(module: &str) -> bool {
    let run = Command::new("python3").args(["-c", &format!("import {module}")]).output();
    let there = run.is_ok_and(|output| output.status.success());
    if !there {
        println!("left out: python3 has no {module}");
    }
    there
}

fn written(backend: &str, call: &Call, came: &Observed) -> TempDir {
    let folder = TempDir::new().unwrap();
    for file in files(backend, call, came).unwrap() {
        let path = folder.path().join(file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file.bytes).unwrap();
    }
    folder
}

fn python(folder: &Path, file: &str) -> Output {
    Command::new("python3").arg(file).current_dir(folder).output().unwrap()
}

fn assert_ends(output: &Output, passes: bool) {
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        output.status.code(),
        Some(i32::from(!passes)),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(said.lines().last(), Some(if passes { "PASS" } else { "FAIL" }), "{said}");
}

#[test]
fn numpy_passes_and_fails_as_it_is_judged() {
    if !has("numpy") {
        return;
    }
    let any = Observed::Rejected("no".into());
    let halves = Tensor::from_bits(Dtype::F16, &[2, 2], &[0x3c01, 0xbc00, 0x4200, 0x8000]).unwrap();
    let big = Tensor::from_bits(Dtype::U64, &[2], &[1 << 63, 5]).unwrap();
    let narrow = Tensor::from_bits(Dtype::I8, &[1], &[3]).unwrap();
    let bnns = |output_shape| Operator::Bnns { output_shape };
    let calls = [
        (openvino(Norm::L2, f32s(&[2, 2], &[3.0, -4.0, 5.0, 12.0]), Axes::list(&[1])), true),
        (openvino(Norm::L1, f32s(&[2, 2], &[3.0, -4.0, 5.0, 12.0]), Axes::list(&[])), true),
        (onnx(Norm::L1, halves, Axes::Absent), true),
        (onnx(Norm::L1, big, Axes::list(&[0])), true),
        (onnx(Norm::L1, f32s(&[], &[-2.5]), Axes::Absent), true),
        (onnx(Norm::L1, f32s(&[0, 3], &[]), Axes::list(&[0])), true),
        (onnx(Norm::L1, f32s(&[2], &[f32::NAN, -0.0]), Axes::list(&[0])), true),
        // The spec demands a refusal.
        (onnx(Norm::L1, f32s(&[2], &[1.0, 2.0]), Axes::list(&[1])), true),
        (Call::new(bnns(vec![3]), f32s(&[2, 3], &[1.0; 6]), Axes::list(&[1])), true),
        // ONNX has no norm of i8, but NumPy computes one.
        (onnx(Norm::L1, narrow, Axes::list(&[0])), false),
    ];
    for (call, passes) in calls {
        let folder = written("numpy", &call, &any);
        assert_ends(&python(folder.path(), "repro.py"), passes);
    }
}

/// The script of a program has a place for the function, which a user fills in.
/// Writes the script of a user's own command, with this line in place of the one to fill in.
fn filled_in(call: &Call, body: &str) -> TempDir {
    let folder = written("cmd", call, &Observed::Rejected("no".into()));
    let path = folder.path().join("repro.py");
    let script = fs::read_to_string(&path).unwrap();
    let place = "print(\"expected a call of the function under test in place of this line\")";
    assert_eq!(script.matches(place).count(), 1);
    fs::write(&path, script.replace(place, &format!("return {body}"))).unwrap();
    folder
}

#[rstest]
#[case::right("np.sum(np.abs(data), tuple(arguments[\"axes\"]), keepdims=arguments[\"keep_dims\"])", true)]
#[case::wrong("np.sum(data, 1, keepdims=True)", false)]
#[case::of_other_axes("np.sum(np.abs(data), 0, keepdims=True)", false)]
#[case::of_other_dims("np.sum(np.abs(data), 1)", false)]
#[case::no_array("[[1], [2, 3]]", false)]
fn a_function_of_a_user_passes_and_fails_as_it_is_judged(#[case] body: &str, #[case] passes: bool) {
    if !has("numpy") {
        return;
    }
    let call = openvino(Norm::L1, f32s(&[2, 2], &[3.0, -4.0, 5.0, 12.0]), Axes::list(&[1]));
    assert_ends(&python(filled_in(&call, body).path(), "repro.py"), passes);
}

#[rstest]
#[case::refused("data[5, 5]", true)]
#[case::called_with_wrong_arguments("np.sum(data, no_such_argument=1)", false)]
#[case::no_array("[[1], [2, 3]]", false)]
fn a_refusal_of_a_user_is_an_exception_that_says_so(#[case] body: &str, #[case] passes: bool) {
    if !has("numpy") {
        return;
    }
    let call = onnx(Norm::L1, f32s(&[2, 2], &[3.0, -4.0, 5.0, 12.0]), Axes::list(&[7]));
    assert_ends(&python(filled_in(&call, body).path(), "repro.py"), passes);
}

#[test]
fn a_script_that_is_not_filled_in_is_no_verdict() {
    if !has("numpy") {
        return;
    }
    let call = openvino(Norm::L1, f32s(&[1], &[3.0]), Axes::list(&[0]));
    let output = python(written("cmd", &call, &Observed::Rejected("no".into())).path(), "repro.py");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(!said.contains("FAIL") && said.contains("in place of this line"), "{said}");
}

#[rstest]
#[case::absent(Axes::Absent, "{\"noop_with_empty_axes\": 1}")]
#[case::null(Axes::Null, "{\"axes\": None, \"noop_with_empty_axes\": 1}")]
#[case::empty(Axes::list(&[]), "{\"axes\": np.array([], np.int64), \"noop_with_empty_axes\": 1}")]
#[case::of_another_type(
    Axes::Given(AxesTensor { dtype: Dtype::I16, shape: vec![1, 1], values: vec![-1] }),
    "{\"axes\": np.array([-1], np.int16).reshape((1, 1)), \"noop_with_empty_axes\": 1}"
)]
fn a_function_of_a_user_is_given_what_the_call_names(#[case] axes: Axes, #[case] due: &str) {
    let operator =
        Operator::Onnx { norm: Norm::L1, opset: Opset::V18, keepdims: None, noop_with_empty_axes: Some(1) };
    let call = Call::new(operator, f32s(&[1], &[3.0]), axes);
    let files = files("cmd", &call, &Observed::Rejected("no".into())).unwrap();
    let script = text(&files, "repro.py");
    assert!(script.contains(&format!("\nARGUMENTS = {due}\n")), "{script}");
}

/// A fake BLAS of three lines replaces the real one: the scripts pass it the call unchanged.
#[rstest]
#[case::scipy(
    "scipy-blas",
    "scipy/linalg/blas.py",
    "def dnrm2(x, n, incx):\n    return abs(x[0]) * n + incx\n"
)]
#[case::stdlib(
    "stdlib-blas",
    "node_modules/@stdlib/blas-base-dnrm2/index.js",
    "module.exports = (n, x, incx) => Math.abs(x[0]) * n + incx;\n"
)]
fn a_blas_is_given_n_incx_and_the_data(#[case] backend: &str, #[case] file: &str, #[case] code: &str) {
    if !has("numpy") || backend == "stdlib-blas" && Command::new("node").arg("--version").output().is_err() {
        println!("left out: {backend} needs numpy, or node");
        return;
    }
    let data =
        |first: f64| Tensor::from_bits(Dtype::F64, &[3], &[first, 9.0, 4.0].map(f64::to_bits)).unwrap();
    let call = |first, n, incx| {
        let operator = Operator::Blas { norm: Norm::L2, n, incx };
        Call::new(operator, data(first), Axes::Absent)
    };
    // The fake answers |x| n + incx. That is right for one element at spacing 0, but 5 for 1.5 and 4, not 4.27.
    let calls = [
        (call(-5.0, 1, 0), true),
        (call(-0.0, 0, 0), true),
        (call(1.5, 2, 2), false),
        (call(3.0, 1, 2), false),
    ];
    for (call, passes) in calls {
        let folder = written(backend, &call, &Observed::Rejected("no".into()));
        let modules = folder.path();
        let path = modules.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, code).unwrap();
        for package in ["scipy/__init__.py", "scipy/linalg/__init__.py"] {
            let path = modules.join(package);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let (program, script) =
            if backend == "stdlib-blas" { ("node", "repro.mjs") } else { ("python3", "repro.py") };
        let output = Command::new(program).arg(script).current_dir(modules).output().unwrap();
        assert_ends(&output, passes);
    }
}

#[rstest]
#[case::not_a_vector("openblas", onnx(Norm::L1, f32s(&[1], &[1.0]), Axes::Absent), "a BLAS has vectors alone")]
#[case::a_vector_of_a_norm("numpy", Call { operator: Operator::Blas { norm: Norm::L1, n: 1, incx: 1 }, ..onnx(Norm::L1, f32s(&[1], &[1.0]), Axes::Absent) }, "elements that lie apart")]
fn a_call_that_a_library_has_no_place_for_is_said(
    #[case] backend: &str,
    #[case] call: Call,
    #[case] why: &str,
) {
    let error = files(backend, &call, &Observed::Rejected("no".into())).unwrap_err();
    assert!(error.to_string().contains(why), "{error}");
}

/// Tests the comparison of a script whose call only returns a given answer, so it needs no library.
#[test]
fn python_compares_bits_as_the_judge_does() {
    if !has("struct") {
        return;
    }
    let data = Tensor::from_bits(Dtype::F64, &[3], &[1_f64.to_bits(); 3]).unwrap();
    let single = onnx(Norm::L2, data, Axes::list(&[0]));
    let of = |value: f64| Observed::Tensor(Tensor::from_bits(Dtype::F64, &[], &[value.to_bits()]).unwrap());
    let root = 3_f64.sqrt();
    let nan = onnx(Norm::L1, f32s(&[1], &[f32::NAN]), Axes::list(&[0]));
    let nans = |bits| Observed::Tensor(Tensor::from_bits(Dtype::F32, &[], &[bits]).unwrap());
    let answers = [
        (&single, of(root), true),
        (&single, of(f64::from(root as f32)), true),
        (&single, of(root + 1e-9), false),
        (&single, of(-root), false),
        (&nan, nans(0xffc0_0001), true),
        (&nan, nans(0x7f80_0000), false),
        (&nan, nans(0x7f80_0001), true),
    ];
    for (call, answer, passes) in answers {
        let Observed::Tensor(tensor) = &answer else { continue };
        let script = text(&files("numpy", call, &answer).unwrap(), "repro.py");
        let (before, after) = script.split_once("DATA = ").unwrap();
        let due = after.split_once("# What is due").unwrap().1;
        let bytes = normative_backend::bytes::of(tensor);
        let name = if tensor.dtype() == Dtype::F64 { "float64" } else { "float32" };
        let fake = format!(
            "{}DATA = memoryview(b\"\")\n\ndef call():\n    return \"{name}\", {:?}, bytes({bytes:?})\n\n\
             REFUSALS = (ValueError,)\n# What is due{due}",
            before.replace("import numpy as np", ""),
            tensor.shape(),
        );
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("fake.py"), fake).unwrap();
        assert_ends(&python(folder.path(), "fake.py"), passes);
    }
}

/// Tests the JavaScript comparison, whose call only returns a given answer, so it needs no package.
#[test]
fn javascript_compares_bits_as_the_judge_does() {
    if !Command::new("node").arg("--version").output().is_ok_and(|run| run.status.success()) {
        println!("left out: there is no node");
        return;
    }
    let sum = onnx(Norm::L1, f32s(&[2, 2], &[3.0, -4.0, 5.5, -12.25]), Axes::list(&[1]));
    let nan = onnx(Norm::L1, f32s(&[1], &[f32::NAN]), Axes::list(&[0]));
    let outside = onnx(Norm::L1, f32s(&[1], &[1.0]), Axes::list(&[1]));
    let of = |shape: &[usize], bits: &[u32]| {
        format!("return [\"float32\", {shape:?}, new Float32Array(Uint32Array.of(...{bits:?}).buffer)]")
    };
    let right = [7.0_f32, 17.75].map(f32::to_bits);
    let answers = [
        (&sum, of(&[2], &right), true),
        (&sum, of(&[2], &[right[0], right[1] + 100]), false),
        (&sum, of(&[2, 1], &right), false),
        (&sum, of(&[2], &right).replace("float32", "int32"), false),
        (&sum, "throw new Error(\"no\")".to_owned(), false),
        (&sum, of(&[2], &right).replace("return", "DATA[0] = 0; return"), false),
        (&nan, of(&[], &[0xffc0_0001]), true),
        (&nan, of(&[], &[0x7f80_0000]), false),
        (&outside, "throw new Error(\"no\")".to_owned(), true),
        (&outside, "throw new TypeError(\"no\")".to_owned(), false),
    ];
    for (call, body, passes) in answers {
        let script = text(&files("tfjs", call, &Observed::Rejected(String::new())).unwrap(), "repro.mjs");
        let (imports, rest) = script.split_once("const load").unwrap();
        let (_, constants) = rest.split_once("const CALL").unwrap();
        let (constants, rest) = constants.split_once("function call() {").unwrap();
        let (_, rest) = rest.split_once("\n}\n").unwrap();
        let folder = TempDir::new().unwrap();
        let fake = format!("{imports}const CALL{constants}function call() {{ {body}; }}\n{rest}");
        fs::write(folder.path().join("fake.mjs"), fake).unwrap();
        assert_ends(&Command::new("node").arg("fake.mjs").current_dir(&folder).output().unwrap(), passes);
    }
}

/// Tests the crate's comparison, whose call only returns a given answer, so it needs no crate.
#[test]
fn a_crate_compares_bits_as_the_judge_does() {
    let call = onnx(Norm::L2, f32s(&[2, 2], &[3.0, -4.0, 5.5, -12.25]), Axes::list(&[1]));
    let right = (12.25_f64.hypot(5.5) as f32).to_bits();
    let folder = TempDir::new().unwrap();
    for (second, passes) in [(right, true), (right + 100, false)] {
        let script = text(
            &files(
                "faer",
                &onnx(Norm::L2, f32s(&[2], &[3.0, -4.0]), Axes::Absent),
                &Observed::Rejected(String::new()),
            )
            .unwrap(),
            "src/main.rs",
        );
        let real = text(&files("candle", &call, &Observed::Rejected(String::new())).unwrap(), "src/main.rs");
        assert!(script.contains("norm_l2"));
        let (_, rest) = real.split_once("const CALL").unwrap();
        let fake = format!(
            "fn call() -> Result<Came, String> {{\n    Ok(Came::of(\"float32\", &[2], [0x40a0_0000, {second}].into_iter()))\n}}\n\nconst CALL{rest}"
        );
        fs::write(folder.path().join("main.rs"), fake).unwrap();
        let rustc = Command::new("rustc")
            .args(["--edition", "2024", "-A", "warnings", "main.rs"])
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(rustc.status.success(), "{}", String::from_utf8_lossy(&rustc.stderr));
        assert_ends(&Command::new(folder.path().join("main")).output().unwrap(), passes);
    }
}

/// A file counts the processes: two of three are right, or all are, and then the script passes.
#[rstest]
#[case::wrong_in_the_third(3, false)]
#[case::never_wrong(100, true)]
fn a_call_that_is_answered_in_two_ways_is_made_until_it_is_wrong(#[case] wrong: usize, #[case] passes: bool) {
    if !has("struct") {
        return;
    }
    let call = onnx(Norm::L1, f32s(&[1], &[2.0]), Axes::list(&[0]));
    let [one, other] = [3.0, 2.0].map(|value| Observed::Tensor(f32s(&[], &[value])));
    let script = text(&files_of("numpy", &call, &one, &[other]).unwrap(), "repro.py");
    let (before, after) = script.split_once("DATA = ").unwrap();
    let due = after.split_once("# What is due").unwrap().1;
    let counts = format!(
        "DATA = memoryview(b\"\")\n\ndef call():\n    runs = HERE / \"runs\"\n    \
         count = 1 + (len(runs.read_text()) if runs.exists() else 0)\n    runs.write_text(\"x\" * count)\n    \
         return \"float32\", (), struct.pack(\"<f\", 3.0 if count == {wrong} else 2.0)\n\nREFUSALS = (ValueError,)\n"
    );
    let fake = format!("{}{counts}# What is due{due}", before.replace("import numpy as np", ""));
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("fake.py"), fake).unwrap();
    assert_ends(&python(folder.path(), "fake.py"), passes);
    assert_eq!(fs::read(folder.path().join("runs")).unwrap().len(), wrong.min(20));
}
