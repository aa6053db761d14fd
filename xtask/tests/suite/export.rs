//! The corpus for other languages and other runners, and back.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::run;
use normative_backend::wire::encode_call;
use normative_conformance::corpus::{Case, load};

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
    export("json", folder.path(), &["--case", "onnx-l2-axis-zero-is-the-slowest/ReduceL2-18/f16"]);
    let text = fs::read_to_string(folder.path().join("cases.ndjson")).unwrap();
    let case: serde_json::Value = serde_json::from_str(text.trim_end()).unwrap();
    assert_eq!(case["call"]["spec"], "onnx/ReduceL2-18");
    assert_eq!(case["call"]["axes"]["tensor"]["values"], serde_json::json!([0]));
    let near = &case["answers"][0]["is"]["near"];
    let elements = near["elements"].as_array().unwrap();
    assert_eq!(
        elements.len(),
        near["shape"].as_array().unwrap().iter().map(|dim| dim.as_u64().unwrap()).product::<u64>() as usize
    );
    for element in elements {
        let bits = |text: &serde_json::Value| u64::from_str_radix(&text.as_str().unwrap()[2..], 16).unwrap();
        let nearest = bits(&element["nearest"]["bits"]);
        let accepted = element["accepted"].as_array().unwrap();
        let classes: Vec<_> = accepted.iter().map(|bounds| bounds["class"].as_str().unwrap()).collect();
        assert_eq!(classes, ["correctly-rounded", "faithful", "any-order"]);
        let ranges: Vec<_> =
            accepted.iter().map(|bounds| bits(&bounds["low"])..=bits(&bounds["high"])).collect();
        assert!(ranges.iter().all(|range| range.contains(&nearest)), "{element}");
        assert!(
            ranges.is_sorted_by(|tight, loose| loose.start() <= tight.start() && tight.end() <= loose.end())
        );
    }
}

#[test]
fn an_open_case_in_json_has_an_answer_for_each_reading() {
    let folder = tempfile::tempdir().unwrap();
    export("json", folder.path(), &["--filter", "openvino-l1-empty-axes", "--spec", "openvino/ReduceL1-4"]);
    let text = fs::read_to_string(folder.path().join("cases.ndjson")).unwrap();
    let open: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|case| case["open"] == "empty-axes-identity")
        .collect();
    assert!(!open.is_empty(), "{text}");
    for case in open {
        let answers = case["answers"].as_array().unwrap();
        let read = |reading: &str| {
            answers.iter().any(|answer| {
                answer["readings"].as_array().unwrap().iter().any(|r| r["empty-axes-identity"] == reading)
            })
        };
        assert!(answers.len() > 1 && read("x") && read("norm-of-each-element"), "{case}");
    }
}

#[test]
fn arrays_are_those_that_numpy_loads() {
    let folder = tempfile::tempdir().unwrap();
    let name = "onnx-l2-axis-zero-is-the-slowest/ReduceL2-18/f32";
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
assert data.dtype == 'f4' and list(data.shape) == case['call']['data']['shape']
assert (norm.reshape(due.shape) == due).all()
assert (load('low-0-any-order') < due).all() and (due < load('high-0-any-order')).all()
print('right')";
    match python(script, &[folder.path().join(name).to_str().unwrap()]) {
        Some(said) => assert!(["right\n", "no numpy\n"].contains(&said.as_str()), "{said}"),
        None => eprintln!("not tried: no python3"),
    }
}

/// Calls, as bytes: NaNs are not equal to themselves.
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
    export("onnx", &models, &["--filter", "onnx-l1-axis-zero-is-the-slowest/ReduceL1-13/f3"]);
    let only: PathBuf = fs::read_dir(&models).unwrap().next().unwrap().unwrap().path();
    let output = only.join("test_data_set_0/output_0.pb");
    let mut bytes = fs::read(&output).unwrap();
    // The last byte of the last f32: another exponent.
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
    // A bisect leaves releases there whose runner is older than what is exported: the newest is taken.
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
    // And the runner can fail: of one directory, with the output of another call.
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
