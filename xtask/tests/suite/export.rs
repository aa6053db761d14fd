//! Export of the corpus for other languages and other runners, and import.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::run;
use normative_backend::wire::encode_call;
use normative_conformance::corpus::{Case, load};
use normative_conformance::judge::accuracy::Class;
use normative_conformance::judge::accuracy::accepted::{Accepted, accepted};
use normative_conformance::judge::accuracy::converted::ends;
use normative_conformance::reference::{Expected, Kind, Outcome, Tensor, Value, rule};
use normative_conformance::run::{Prepared, prepare};
use normative_onnx::read;
use sha2::{Digest as _, Sha256};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn export(format: &str, folder: &Path, options: &[&str]) -> String {
    let output = folder.to_str().unwrap();
    run(&[&["cases", "export", "--format", format, "--output", output], options].concat()).exits_with(0).out
}

fn python(script: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new("python3").arg("-c").arg(script).args(arguments).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
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
                    let one = |(value, &bits): (&Value, &u64)| match value {
                        Value::Finite(real) => accepted(real, format, near, None, class),
                        _ => Some(Accepted { low: bits, high: bits, or_zero: false, or_infinite: false }),
                    };
                    near.values.iter().zip(&rounded).map(one).collect()
                };
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
                        digest(&column(&|accepted| accepted.low), 8),
                        digest(&column(&|accepted| accepted.high), 8),
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

/// Drawn data, rows of pairs, single exceptions, BNNS, spaced vectors, refusals, questions, overflow, roots in f32.
const READ_BACK: [&str; 9] = [
    "unbiased-over-many-results-f16",
    "random",
    "inner-1",
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
    let options = READ_BACK.map(|filter| ["--filter", filter]);
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
    export("json", folder.path(), &["--filter", "openvino-empty-axes", "--spec", "openvino/ReduceL1-4"]);
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

#[test]
fn a_model_that_must_not_load_makes_the_call_that_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let said =
        export("onnx-refusals", folder.path(), &["--spec", "onnx/ReduceL1-18", "--spec", "onnx/ReduceL2-11"]);
    let written: usize = said.split(' ').next().unwrap().parse().unwrap();
    let mut folders = 0;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let refusal: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(path.join("refusal.json")).unwrap()).unwrap();
        let (_, data) = read::tensor(&fs::read(path.join("test_data_set_0/input_0.pb")).unwrap()).unwrap();
        let call = read::call(&fs::read(path.join("model.onnx")).unwrap(), &[data]).unwrap();
        let ruling = rule(&call);
        let [only] = ruling.alternatives.as_slice() else { panic!("{}: {ruling:?}", path.display()) };
        let Outcome::Rejected(clause) = &only.outcome else { panic!("{}: {only:?}", path.display()) };
        assert_eq!(refusal["clause"], clause.to_string(), "{}", path.display());
        assert!(!path.join("test_data_set_0/output_0.pb").exists());
        folders += 1;
    }
    assert_eq!(folders, written);
    assert!(written > 50, "{written}");
}

#[test]
fn arrays_are_those_that_numpy_loads() {
    let folder = tempfile::tempdir().unwrap();
    let name = "onnx-axis-zero-is-the-slowest/ReduceL2-18/f32";
    export("npy", folder.path(), &["--case", name]);
    let script = "
import sys, json
try:
    import numpy
except ImportError:
    sys.exit(print('no numpy'))
case = json.load(open(sys.argv[1] + '/case.json'))
load = lambda name: numpy.load(f'{sys.argv[1]}/{name}.npy')
data, due = load('data'), load('expected-0')
norm = numpy.sqrt((data.astype('f8') ** 2).sum(axis=0, keepdims=True)).astype('f4')
assert data.dtype == 'f4' and list(data.shape) == case['calls'][0]['data']['shape']
assert (norm.reshape(due.shape) == due).all()
assert (load('low-0-any-order') < due).all() and (due < load('high-0-any-order')).all()
print('right')";
    match python(script, &[folder.path().join(name).to_str().unwrap()]) {
        Some(said) => assert!(["right\n", "no numpy\n"].contains(&said.as_str()), "{said}"),
        None => eprintln!("not tried: no python3"),
    }
}

/// Encodes calls as bytes, because NaNs are not equal to themselves.
fn calls<'a>(cases: impl IntoIterator<Item = &'a Case>) -> BTreeSet<Vec<u8>> {
    cases.into_iter().map(|case| encode_call(0, &case.call)).collect()
}

#[test]
fn what_is_exported_to_onnx_comes_back_as_the_same_calls() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    let said = export("onnx", &models, &["--spec", "onnx/ReduceL1-13", "--spec", "onnx/ReduceL2-18"]);
    let written: usize = said.split(' ').next().unwrap().parse().unwrap();
    assert!(written > 600, "{said}");
    let back = folder.path().join("back");
    let imported =
        run(&["cases", "import", models.to_str().unwrap(), "--output", back.to_str().unwrap()]).exits_with(0);
    let loaded = load(&back).unwrap().cases;
    let ours = load(&root().join("cases")).unwrap().cases;
    assert!(calls(&loaded).is_subset(&calls(&ours)));
    let too_long = imported
        .out
        .lines()
        .find_map(|line| line.strip_suffix(" left out: calls with more data than a case file holds"));
    let too_long: usize = too_long.map_or(0, |count| count.parse().unwrap());
    assert!(too_long < 40);
    assert_eq!(loaded.len() + too_long, written, "{}", imported.out);
}

#[test]
fn a_directory_whose_own_output_is_wrong_is_named_and_makes_no_case() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    export("onnx", &models, &["--filter", "onnx-axis-zero-is-the-slowest/ReduceL1-13/f3"]);
    let only: PathBuf = fs::read_dir(&models).unwrap().next().unwrap().unwrap().path();
    let output = only.join("test_data_set_0/output_0.pb");
    let mut bytes = fs::read(&output).unwrap();
    // Change the exponent of the last f32.
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&output, bytes).unwrap();
    let back = folder.path().join("back");
    run(&["cases", "import", only.to_str().unwrap(), "--output", back.to_str().unwrap()])
        .exits_with(1)
        .prints("its own output is not what the specification says")
        .prints("0 cases written");
    assert!(fs::read_dir(&back).unwrap().next().is_none());
}

#[test]
fn exported_models_pass_the_checker_and_run_in_the_onnx_packages_runner() {
    let setups = root().join("target/normative-setups");
    let installed =
        fs::read_dir(setups).into_iter().flatten().flatten().map(|entry| entry.path().join("bin/python"));
    // A bisect may have left old releases with an old runner, so take the newest.
    let version_of_onnx = |python: &PathBuf| {
        let version = "from importlib.metadata import version; print(version('onnx'))";
        let output = Command::new(python).args(["-c", version]).output().ok()?;
        let version = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
        Some(version.trim().split('.').map_while(|part| part.parse().ok()).collect::<Vec<u64>>())
    };
    let pythons = std::iter::once(PathBuf::from("python3")).chain(installed);
    let versions = pythons.filter_map(|python| Some((version_of_onnx(&python)?, python)));
    let Some((_, python)) = versions.max() else {
        eprintln!(
            "not tried: no Python here has the onnx package; cargo xtask setup onnx-reference brings one"
        );
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    export("onnx", &models, &["--spec", "onnx/ReduceL2-18", "--filter", "axis-"]);
    let script = root().join("xtask/tests/python/backend_tests.py");
    let run = || {
        let mut command = Command::new(&python);
        command.env("PYTHONDONTWRITEBYTECODE", "1").arg(&script).arg(&models).arg("reference");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let count = fs::read_dir(&models).unwrap().count();
    let said = run();
    assert!(count > 40 && said.lines().filter(|line| line.starts_with("ok ")).count() == count, "{said}");
    // The runner must be able to fail: change one output.
    let mut folders: Vec<PathBuf> =
        fs::read_dir(&models).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let output = folders[0].join("test_data_set_0/output_0.pb");
    let mut bytes = fs::read(&output).unwrap();
    let at = bytes.len() - 1;
    bytes[at] ^= 1;
    fs::write(&output, bytes).unwrap();
    let fails: Vec<String> =
        run().lines().filter(|line| line.starts_with("fail ")).map(str::to_owned).collect();
    assert_eq!(fails.len(), 1, "{fails:?}");
}
