//! Export of the corpus for other languages.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::page::root;
use crate::common::run;
use normative_conformance::corpus::load;
use normative_conformance::judge::accuracy::Class;
use normative_conformance::judge::accuracy::accepted::{Accepted, accepted_at};
use normative_conformance::judge::accuracy::converted::ends;
use normative_conformance::reference::{Expected, Kind, Tensor};
use normative_conformance::run::{Prepared, prepare};
use sha2::{Digest as _, Sha256};

fn export(format: &str, folder: &Path, options: &[&str]) -> String {
    let output = folder.to_str().unwrap();
    run(&[&["cases", "export", "--format", format, "--output", output], options].concat()).exits_with(0).out
}

#[test]
fn a_case_in_json_says_what_is_asked_and_every_bit_that_is_right() {
    let folder = tempfile::tempdir().unwrap();
    export("json", folder.path(), &["--case", "onnx-axis-zero-is-the-slowest/ReduceL2-18/f16"]);
    let text = fs::read_to_string(folder.path().join("cases.ndjson")).unwrap();
    let case: serde_json::Value = serde_json::from_str(text.trim_end()).unwrap();
    assert_eq!(case["id"], "onnx-axis-zero-is-the-slowest");
    let [call] = case["calls"].as_array().unwrap().as_slice() else { panic!("{case}") };
    assert_eq!(
        call["cases"],
        serde_json::json!([{
            "name": "onnx-axis-zero-is-the-slowest/ReduceL2-18/f16",
            "spec": "onnx/ReduceL2-18",
        }])
    );
    assert_eq!(call["axes"]["tensor"]["values"], serde_json::json!([0]));
    let near = &call["answers"][0]["is"]["near"];
    let classes: Vec<_> =
        near["accepted"].as_array().unwrap().iter().map(|bounds| bounds["class"].as_str().unwrap()).collect();
    assert_eq!(classes, ["correctly-rounded", "faithful", "any-order"]);
}

/// Returns the output that the Python reader must print for a case, computed from the corpus.
fn read_by_rust(one: &Prepared<'_>) -> String {
    let (call, mut words) = (&one.case.call, vec![one.case.name.clone(), "data".to_owned()]);
    words.push(digest(&call.data.bits(), call.data.dtype().size()));
    for entry in &one.sheet.entries {
        match &entry.expected {
            Expected::Rejection(clause) => words.extend(["refused".to_owned(), clause.name.to_owned()]),
            Expected::Anything(clause) => words.extend(["outside".to_owned(), clause.name.to_owned()]),
            Expected::Exactly(tensor) => {
                words.extend(["exactly".to_owned(), digest(&tensor.bits(), tensor.dtype().size())]);
            }
            Expected::Converted(converted) => {
                words.push("between".to_owned());
                let digest = |end: Tensor| digest(&end.bits(), end.dtype().size());
                words.extend(ends(converted).unwrap().map(digest));
            }
            Expected::Near(near) => {
                let Kind::Float(format) = near.dtype.kind() else { panic!("{near:?}") };
                let rounded = near.rounded().unwrap().bits();
                words.extend(["near".to_owned(), digest(&rounded, near.dtype.size())]);
                let of = |class| -> Vec<_> {
                    (0..near.values.len()).map(|at| accepted_at(near, at, format, None, class)).collect()
                };
                // Offsets count both zeros as one.
                let plain = |bits| if bits == format.sign() { 0 } else { bits };
                let any_order = of(Class::AnyOrder);
                for class in Class::DEMANDED.into_iter().chain([Class::Vacuous]) {
                    let all = of(class);
                    if class == Class::Vacuous && all == any_order {
                        continue;
                    }
                    words.push(class.name().to_owned());
                    let column = |of: &dyn Fn(Accepted) -> u64| -> Vec<u64> {
                        all.iter().map(|accepted| accepted.map_or(u64::MAX, of)).collect()
                    };
                    let flag = |of: &dyn Fn(Accepted) -> bool| -> Vec<u64> {
                        all.iter().map(|accepted| u64::from(accepted.is_some_and(of))).collect()
                    };
                    words.extend([
                        digest(&column(&|accepted| plain(accepted.low)), 8),
                        digest(&column(&|accepted| plain(accepted.high)), 8),
                        digest(&flag(&|accepted| accepted.or_zero), 8),
                        digest(&flag(&|accepted| accepted.or_infinite), 8),
                    ]);
                }
            }
        }
    }
    words.join(" ")
}

fn digest(all: &[u64], width: usize) -> String {
    let mut hashed = Sha256::new();
    for bits in all {
        hashed.update(&bits.to_le_bytes()[..width]);
    }
    let first = *hashed.finalize().first_chunk().unwrap();
    format!("{:016x}", u64::from_be_bytes(first))
}

/// Texts in names, none of them an id: drawn data, rows of pairs, single exceptions, BNNS, spaced vectors, refusals, questions, overflow, roots in f32.
const READ_BACK: [&str; 9] = [
    "unbiased-over-many-results-f",
    "random",
    "ner-1",
    "computeNorm",
    "nrm2",
    "axes-out-of-range",
    "squares",
    "single",
    "overflow",
];

#[test]
fn a_reader_of_the_documentation_finds_every_bit_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let options = READ_BACK.map(|filter| ["--case", filter]);
    export("json", folder.path(), &options.concat());
    let corpus = load(&root().join("cases")).unwrap();
    let wanted = corpus.cases.iter().filter(|case| READ_BACK.iter().any(|text| case.name.contains(text)));
    let prepared = prepare(wanted).unwrap();
    let expected: BTreeSet<String> = prepared.iter().map(read_by_rust).collect();
    let script = root().join("xtask/tests/python/export_reader.py");
    let Ok(output) = Command::new("python3").arg(script).arg(folder.path().join("cases.ndjson")).output()
    else {
        eprintln!("not tried: no python3");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let said: BTreeSet<String> = said.lines().map(str::to_owned).collect();
    let differing: Vec<_> = said.symmetric_difference(&expected).take(4).collect();
    assert!(differing.is_empty(), "{differing:#?}");
    assert!(said.len() > 900, "{}", said.len());
}

#[test]
fn versions_that_agree_share_a_call_and_drawn_data_are_a_rule() {
    let folder = tempfile::tempdir().unwrap();
    export("json", folder.path(), &["--case", "onnx-unbiased-over-many-results-f16"]);
    let text = fs::read_to_string(folder.path().join("cases.ndjson")).unwrap();
    let case: serde_json::Value = serde_json::from_str(text.trim_end()).unwrap();
    let calls = case["calls"].as_array().unwrap();
    let names: usize = calls.iter().map(|call| call["cases"].as_array().unwrap().len()).sum();
    assert!(calls.len() < names, "{} calls of {names} cases", calls.len());
    for call in calls {
        assert!(
            call["data"]["random"]["seed"].is_u64() && call["data"]["bits"].is_null(),
            "{}",
            call["data"]
        );
    }
    // Each case has 10,000 elements, given by a rule. Only the expected values are large.
    assert!(text.len() < 400_000, "{}", text.len());
}

#[test]
fn an_open_case_in_json_has_an_answer_for_each_reading() {
    let folder = tempfile::tempdir().unwrap();
    export("json", folder.path(), &["--case", "openvino-empty-axes", "--spec", "openvino/ReduceL1-4"]);
    let text = fs::read_to_string(folder.path().join("cases.ndjson")).unwrap();
    let open: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|case| case["open"] == "empty-axes-identity")
        .collect();
    assert!(!open.is_empty(), "{text}");
    for call in open.iter().flat_map(|case| case["calls"].as_array().unwrap()) {
        let answers = call["answers"].as_array().unwrap();
        let read = |reading: &str| {
            answers.iter().any(|answer| {
                answer["readings"].as_array().unwrap().iter().any(|r| r["empty-axes-identity"] == reading)
            })
        };
        assert!(answers.len() > 1 && read("x") && read("norm-of-each-element"), "{call}");
    }
}
