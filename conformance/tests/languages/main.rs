//! Tests the workers in Python, JavaScript and C. Each speaks the protocol byte for byte and is judged like
//! any other backend. The judge learns of every failure of their runtimes.
//!
//! If a language cannot be run, its tests report that and pass.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops where it fails")]

mod conversation;
#[path = "../../backend/tests/suite/documented.rs"]
mod documented;
mod languages;
mod models;
mod other_forms;
mod planted;
#[path = "../../../backends/shared/request/src/vectors.rs"]
mod vectors;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use languages::{Language, compile, has_cc};
use normative_backend::{Declared, wire};
use normative_conformance::drive::smoke::{self, Found};
use normative_conformance::drive::{Limits, Program, StartError};
use normative_conformance::run::{prepare, run};
use normative_conformance::{Answer, Claim, Death, Demands, Driver, Observed, Verdict, Worker, corpus};
use normative_reference::{Axes, Call, Dtype, Family, Norm, Operator, Opset, Spec, Tensor};
use rstest::rstest;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns true if Python can import the module, and reports on standard error if not.
fn python_has(module: &str) -> bool {
    let script = format!("import sys, {module}; sys.exit(sys.version_info < (3, 9))");
    let status = Command::new("python3").args(["-c", &script]).stderr(Stdio::null()).status();
    let has = status.is_ok_and(|status| status.success());
    if !has {
        eprintln!("left out: no python3 of version 3.9 or later that has {module}");
    }
    has
}

/// Returns the program that runs `script`; `None` if no suitable Python is here.
fn program(script: &Path, role: &str, module: &str) -> Option<Program> {
    let worker = repository().join("backends/python");
    python_has(module).then(|| Program {
        args: vec![script.into(), role.into()],
        env: vec![
            ("PYTHONPATH".into(), worker.into()),
            // Keep Python from writing files beside the sources.
            ("PYTHONDONTWRITEBYTECODE".into(), "1".into()),
        ],
        ..Program::new("python3")
    })
}

fn limits() -> Limits {
    let patience = Duration::from_secs(30);
    Limits { hello: patience, answer: patience, ..Limits::default() }
}

fn good(data: &[f32]) -> Call {
    let data = ndarray::arr1(data).into_dyn().into();
    Call::new(Operator::OpenVino { norm: Norm::L1, keep_dims: None }, data, Axes::list(&[0]))
}

/// Returns the call for which the backend plays its role.
fn bad() -> Call {
    Call { axes: Axes::Null, ..good(&[3.0, -4.0]) }
}

fn scalar(value: f32) -> Observed {
    sum(value).into()
}

fn sum(value: f32) -> Answer {
    Answer::Tensor(ndarray::arr0(value).into_dyn().into())
}

#[test]
fn cases_of_every_spec_are_judged_over_it() {
    let Some(program) = Language::Python.sums("has-all") else { return };
    let corpus = corpus::load(&repository().join("cases")).unwrap();
    let few = corpus.cases.iter().filter(|case| case.call.data.len() <= 24 && case.call.axes != Axes::Null);
    let prepared = prepare(few).unwrap();
    let mut worker = Worker::start(program, limits()).unwrap();
    let verdicts = run(&prepared, &mut worker, &Demands::default());
    let mut conforming: BTreeMap<Spec, usize> = BTreeMap::new();
    for (one, verdict) in prepared.iter().zip(&verdicts) {
        match verdict {
            Verdict::Conforms { .. } => *conforming.entry(one.case.call.spec()).or_default() += 1,
            Verdict::Unsupported(_) => {}
            verdict => panic!("{}: {verdict:?}", one.case.name),
        }
    }
    assert_eq!(worker.restarts(), 0);
    assert!(Spec::ALL.iter().all(|spec| conforming.get(spec) >= Some(&20)), "{conforming:?}");
}

#[rstest]
fn its_hello_says_that_values_alone_are_claimed(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(program) = language.sums("values-alone") else { return };
    let worker = Worker::start(program, limits()).unwrap();
    assert_eq!(worker.capabilities().claims, Claim::values_of(&[Family::Onnx]));
}

#[rstest]
fn its_hello_lists_what_it_declares_and_claims_the_families_of_that(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(program) = language.sums("declares") else { return };
    let capabilities = Worker::start(program, limits()).unwrap().capabilities();
    let norms = Family::Onnx.specs().filter(|spec| Norm::BY_DEFAULT.contains(&spec.norm()));
    let specs = [Spec::OpenVino(Norm::L1)].into_iter().chain(norms).collect();
    let declared = Declared { specs, dtypes: vec![Dtype::F32, Dtype::I64] };
    assert_eq!(capabilities.declared, declared);
    assert_eq!(capabilities.claims, Claim::in_full(&[Family::OpenVino, Family::Onnx]));
}

#[rstest]
fn smoke_finds_nothing_wrong_with_it(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(program) = language.sums("echoes") else { return };
    let lines = smoke::program(program, limits(), |_| {}).unwrap();
    assert!(smoke::passes(&lines) && smoke::checked_anything(&lines), "{lines:#?}");
    assert!(!lines.iter().any(|line| matches!(line.found, Found::Doubtful(_))), "{lines:#?}");
}

/// The header is a single file, which other adapters can copy.
#[test]
fn the_example_in_c_needs_nothing_but_the_header() {
    if !has_cc() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for file in ["normative_worker.h", "example_backend.c"] {
        std::fs::copy(repository().join("backends/c").join(file), folder.path().join(file)).unwrap();
    }
    let program = folder.path().join("example");
    compile(&folder.path().join("example_backend.c"), &program);
    let lines = smoke::program(Program::new(program), limits(), |_| {}).unwrap();
    let wrong = lines.iter().filter(|line| matches!(line.found, Found::Wrong(_) | Found::Doubtful(_)));
    assert_eq!(wrong.count(), 0, "{lines:#?}");
    let right = lines.iter().filter(|line| line.found == Found::Right).count();
    assert!(right >= 15, "{lines:#?}");
}

#[test]
fn the_header_is_c_plus_plus_as_well() {
    let source = repository().join("backends/c/example_backend.c");
    let strict = ["-std=c++11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++"];
    match Command::new("c++").args(strict).arg(source).output() {
        Err(_) => eprintln!("left out: there is no c++"),
        Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
    }
}

#[test]
fn numpy_passes_smoke_and_answers_like_any_other() {
    let script = repository().join("backends/python/numpy_backend.py");
    let Some(program) = program(&script, "sum", "numpy") else { return };
    let lines = smoke::program(program.clone(), limits(), |_| {}).unwrap();
    assert!(smoke::passes(&lines) && smoke::checked_anything(&lines), "{lines:#?}");
    let mut worker = Worker::start(program, limits()).unwrap();
    assert_eq!(worker.identity().name, "NumPy");
    assert_eq!(worker.ask(&good(&[3.0, -4.0])), scalar(7.0));
    let refused = worker.ask(&Call { axes: Axes::list(&[1]), ..good(&[1.0]) });
    assert!(matches!(&refused, Observed::Rejected(why) if why.starts_with("AxisError: ")), "{refused:?}");
}

const fn onnx(opset: Opset, keepdims: Option<i64>, noop_with_empty_axes: Option<i64>) -> Operator {
    Operator::Onnx { norm: Norm::L1, opset, keepdims, noop_with_empty_axes }
}

#[rstest]
fn helpers_make_of_a_call_what_the_table_of_every_language_says(
    #[values(Language::Python, Language::JavaScript)] language: Language,
) {
    let Some(program) = language.script("arguments", "") else { return };
    let mut worker = Worker::start(program, limits()).unwrap();
    for (operator, axes, expected) in vectors::vectors() {
        let call = Call { operator, axes, ..good(&[1.0]) };
        let said = match worker.ask(&call) {
            Observed::Rejected(said) => Some(said),
            Observed::Unsupported(_) => None,
            answer => panic!("{call:?}: {answer:?}"),
        };
        assert_eq!(said.as_deref(), expected, "{call:?}");
    }
}

#[rstest]
#[case::numpy("numpy_backend.py", &["sum"], "NumPy: No module named 'numpy'")]
#[case::torch("torch_backend.py", &["sum"], "PyTorch: No module named 'torch'")]
#[case::jax("jax_backend.py", &["sum", "x64"], "JAX: No module named 'jax'")]
#[case::tensorflow("tensorflow_backend.py", &["sum"], "TensorFlow: No module named 'tensorflow'")]
#[case::onnx("onnx_reference_backend.py", &["input"], "onnx: No module named 'onnx'")]
#[case::onnxruntime("onnxruntime_function_backend.py", &[], "ONNX Runtime: No module named 'onnxruntime'")]
#[case::onnxruntime_cuda("onnxruntime_cuda_backend.py", &[], "ONNX Runtime: No module named 'onnxruntime'")]
#[case::paddle("paddle_backend.py", &["sum"], "PaddlePaddle: No module named 'paddle'")]
#[case::mlx("mlx_backend.py", &["sum"], "MLX: No module named 'mlx'")]
#[case::dask("dask_backend.py", &["sum"], "Dask: No module named 'dask'")]
#[case::tinygrad("tinygrad_backend.py", &[], "tinygrad: No module named 'tinygrad'")]
#[case::mnn("mnn_backend.py", &[], "MNN: No module named 'MNN'")]
#[case::litert("litert_backend.py", &["default"], "LiteRT: No module named 'flatbuffers'")]
#[case::ncnn("ncnn_backend.py", &[], "ncnn: No module named 'ncnn'")]
#[case::tvm("tvm_backend.py", &[], "Apache TVM: No module named 'tvm'")]
#[case::iree("iree_backend.py", &[], "IREE: No module named 'iree'")]
fn an_adapter_without_its_runtime_says_so(#[case] file: &str, #[case] words: &[&str], #[case] why: &str) {
    let script = repository().join("backends/python").join(file);
    let Some(mut program) = program(&script, "", "struct") else { return };
    // Without `site`, Python finds its standard library but no installed package.
    program.args =
        [OsString::from("-S"), script.into()].into_iter().chain(words.iter().map(Into::into)).collect();
    let error = Worker::start(program, limits()).err().unwrap();
    assert!(matches!(error, StartError::Unavailable(_)));
    assert_eq!(error.to_string(), format!("unavailable: {why}"));
}

#[rstest]
#[case::raises("raises", "KeyError: 'no such kernel'")]
#[case::hands_back_nothing("returns-nothing", "TypeError: the adapter returned a NoneType, not a Tensor")]
#[case::hands_back_too_little("returns-too-little", "ValueError: the adapter returned 4 bytes for f32[3]")]
fn an_exception_is_a_crash_that_the_next_call_survives(#[case] role: &str, #[case] expected: &str) {
    let Some(program) = Language::Python.sums(role) else { return };
    let mut worker = Worker::start(program, limits()).unwrap();
    let Observed::Died(Death::Crashed(how)) = worker.ask(&bad()) else { panic!("it crashed") };
    assert!(how.starts_with(expected) && how.contains("File \""), "{how}");
    assert_eq!(worker.ask(&good(&[1.0, -2.0])), scalar(3.0));
    // One process repeats the crash alone, another answers the next call.
    assert_eq!(worker.restarts(), 2);
}

#[rstest]
fn a_crash_is_told_and_the_next_call_is_answered(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(program) = language.sums("raises") else { return };
    let mut worker = Worker::start(program, limits()).unwrap();
    let Observed::Died(Death::Crashed(how)) = worker.ask(&bad()) else { panic!("it crashed") };
    assert!(how.starts_with(language.raised()), "{how}");
    assert_eq!(worker.ask(&good(&[1.0, -2.0])), scalar(3.0));
}

#[rstest]
fn what_the_runtime_prints_or_reads_harms_nothing(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(program) = language.sums("prints") else { return };
    let mut worker = Worker::start(program, limits()).unwrap();
    assert_eq!(worker.ask(&bad()), Observed::Tensor(bad().data));
    assert_eq!(worker.ask(&good(&[1.0, -2.0])), scalar(3.0));
    assert_eq!(worker.restarts(), 0);
}

#[rstest]
fn the_start_of_a_long_text_comes_through_and_the_cut_is_told(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(program) = language.sums("says-much") else { return };
    let mut worker = Worker::start(program, limits()).unwrap();
    let Observed::Rejected(why) = worker.ask(&bad()) else { panic!("it refuses") };
    assert_eq!(why, format!("?{} … (cut; 2000001 bytes in all)", "ö".repeat(wire::MAX_TEXT / 2 - 1)));
}

#[rstest]
fn large_calls_and_answers_come_through(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(program) = language.sums("echoes") else { return };
    let mut worker = Worker::start(program, limits()).unwrap();
    let bits: Vec<u64> = (0..1 << 22).map(|n| n * 977 % 0x7f80_0000).collect();
    let data = Tensor::from_bits(Dtype::F32, &[1 << 11, 1 << 11], &bits).unwrap();
    let call = Call { data, ..bad() };
    assert_eq!(worker.ask(&call), Observed::Tensor(call.data));
}
