//! Tests the folders that reproduce an answer: their content, and that their scripts agree with the judge.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may, and so may what tests call"
)]

mod accepted;
mod folders;
mod running;
mod selfcheck;

use normative_conformance::corpus::{ClauseRef, Ledger};
use normative_conformance::judge::verdict::{Sheet, Verdict, judge};
use normative_conformance::report::finding::Line;
use normative_conformance::report::record::{Machine, WorkerFile};
use normative_conformance::{Demands, Identity, Observed};
use normative_reference::{Axes, Call, Dtype, Norm, Operator, Opset, Tensor};
use normative_repro::{Due, NoRepro, ReproFile, Subject, Target, folder};

/// Returns the files of a reproduction of the answer `came` of this backend.
fn files(backend: &str, call: &Call, came: &Observed) -> Result<Vec<ReproFile>, NoRepro> {
    files_of(backend, call, came, &[])
}

/// Does the same as [`files`], for a backend that was asked again.
fn files_of(
    backend: &str,
    call: &Call,
    came: &Observed,
    again: &[Observed],
) -> Result<Vec<ReproFile>, NoRepro> {
    files_for(backend, call, came, again, None)
}

/// Does the same as [`files_of`], for a call that shows a defect of this name and extent.
fn files_for(
    backend: &str,
    call: &Call,
    came: &Observed,
    again: &[Observed],
    defect: Option<(&str, &[Line])>,
) -> Result<Vec<ReproFile>, NoRepro> {
    let sheet = Sheet::of(call).unwrap();
    let demands = Demands::default();
    let verdict = judge(&sheet, came, &demands);
    let due = Due::of(&sheet, call.spec(), &demands).unwrap();
    let identity = Identity {
        name: backend.into(),
        version: "1.2.3".into(),
        report_bugs_to: "https://example.org/issues".into(),
    };
    let clause = ClauseRef { spec: call.spec(), name: "norm".into() };
    let reason = verdict.reason();
    folder(&Subject {
        target: Target::of(backend).unwrap(),
        identity: &identity,
        name: "case an-example",
        call,
        due: &due,
        came,
        again,
        defect,
        wrong: matches!(verdict, Verdict::Fails(_) | Verdict::Crashed(_)).then_some(&reason),
        clauses: &[clause],
        ledger: &Ledger::default(),
        releases: &[Line::new("since", "1.2.0")],
        machine: &Machine {
            os: "linux".into(),
            arch: "x86_64".into(),
            system: Some("A System 12".into()),
            worker: ["python", "libpython3.11.so.1.0"].map(file).into(),
            ..Machine::default()
        },
    })
}

fn file(name: &str) -> WorkerFile {
    WorkerFile { name: name.to_owned(), bytes: 0, sha256: String::new() }
}

/// Returns the text of a file.
fn text(files: &[ReproFile], path: &str) -> String {
    let file = files.iter().find(|file| file.path == path);
    String::from_utf8(file.unwrap_or_else(|| panic!("no {path}")).bytes.clone()).unwrap()
}

/// Returns a tensor of f32.
fn f32s(shape: &[usize], values: &[f32]) -> Tensor {
    let bits: Vec<u64> = values.iter().map(|value| value.to_bits().into()).collect();
    Tensor::from_bits(Dtype::F32, shape, &bits).unwrap()
}

/// Returns a call of ONNX's newest opset that keeps no dims.
fn onnx(norm: Norm, data: Tensor, axes: Axes) -> Call {
    let operator = Operator::Onnx { norm, opset: Opset::V18, keepdims: Some(0), noop_with_empty_axes: None };
    Call::new(operator, data, axes)
}

/// Returns a call of OpenVINO.
fn openvino(norm: Norm, data: Tensor, axes: Axes) -> Call {
    Call::new(Operator::OpenVino { norm, keep_dims: Some(true) }, data, axes)
}
