//! The output of `new-backend` and `new-case` works before it is edited.

use std::fs;

use normative_conformance::reference::Spec;

use crate::common::{RIGHT, corpus, has_python, run};

#[test]
fn a_new_backend_compiles_and_passes_smoke_and_supports_nothing_until_it_is_filled_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deeper/another-runtime");
    let path = path.to_str().unwrap();
    run(&["new-backend", path]).exits_with(0).prints(&format!("cargo xtask smoke --backend {path}"));
    run(&["smoke", "--backend", path])
        .exits_with(0)
        .prints("openvino/ReduceL1-4")
        .prints("the operators of OpenVINO are not adapted yet")
        .prints("nothing could be checked");
    // A run without an executed call is an error.
    let judged = run(&["conformance", "--backend", path, "--spec", "bnns", "--property", "0"]).exits_with(2);
    assert!(judged.err.contains("no case was executed"), "{}", judged.err);
    // With the smallest edit, it is judged.
    let file = folder.path().join("deeper/another-runtime/src/lib.rs");
    let text = fs::read_to_string(&file).unwrap();
    // The items that the template's comments name must exist.
    let norms = "Answer::Tensor(normative_backend::ndarray::ArrayD::<f32>::zeros(vec![1]).into())";
    let filled = text.replace(r#"not_yet("BNNS")"#, norms);
    assert_ne!(filled, text);
    fs::write(&file, filled).unwrap();
    run(&["conformance", "--backend", path, "--spec", "bnns", "--property", "0"])
        .exits_with(1)
        .prints("does not conform: \"another-runtime 0.0.0\": ");
    run(&["new-backend", path]).refuses(&[path, "expected a path where nothing is yet"]);
}

/// The ReduceL1-18 of a library that only knows f64 and reduces all axes, in each language.
const FILLED: [(&str, &str, &str, &str, &str); 2] = [
    (
        "python",
        "python3",
        "backend.py",
        "    # For example",
        "    if getattr(call.operator, 'opset', 0) == 18 and call.operator.norm == 'L1' and call.data.dtype == 'f64':
        if call.axes is None and call.operator.keepdims == 0 and call.operator.noop_with_empty_axes is None:
            import math, struct
            from normative.worker import Tensor
            data = struct.unpack(f'<{math.prod(call.data.shape)}d', call.data.elements)
            return Tensor('f64', (), struct.pack('<d', sum(map(abs, data))))
    # For example",
    ),
    (
        "javascript",
        "node",
        "backend.mjs",
        "      // For example",
        "      if (operator.opset === 18 && operator.norm === 'L1' && data.dtype === 'f64' && axes === undefined) {
        if (operator.keepdims === 0n && operator.noopWithEmptyAxes === undefined) {
          return tensor('f64', [], [values(data).reduce((sum, x) => sum + Math.abs(x), 0)]);
        }
      }
      // For example",
    ),
];

#[test]
fn a_new_backend_in_another_language_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    for (language, program, file, before, after) in FILLED {
        let has = std::process::Command::new(program).arg("--version").output();
        if !has.is_ok_and(|output| output.status.success()) || (language == "python" && !has_python()) {
            eprintln!("left out: no {program}");
            continue;
        }
        let path = folder.path().join(language).display().to_string();
        let command = format!("cmd:{program} {path}/{file}");
        let made = run(&["new-backend", &path, "--language", language]).exits_with(0);
        made.prints(&format!("  cargo xtask smoke --backend '{command}'\n"));
        let smoke = run(&["smoke", "--backend", &command]).exits_with(0);
        smoke
            .prints("are not adapted yet")
            .prints("the end               ok")
            .prints("nothing could be checked");
        let source = folder.path().join(language).join(file);
        let text = fs::read_to_string(&source).unwrap();
        assert!(text.contains(before), "{text}");
        fs::write(&source, text.replace(before, after)).unwrap();
        let few = ["--spec", "onnx/ReduceL1-18", "--property", "2000", "--name", "mine"];
        let judged = run(&[&["conformance", "--backend", command.as_str()], few.as_slice()].concat());
        let summary =
            judged.out.lines().find(|line| line.starts_with("conforms")).unwrap_or_default().to_owned();
        assert!(
            summary.starts_with(&format!("conforms: \"{language} 0.0.0\": ")),
            "{}{}",
            judged.out,
            judged.err
        );
        let conform: usize =
            summary.split("\": ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!(conform >= 1, "{summary}");
    }
}

#[test]
fn a_new_crate_depends_on_the_repository_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("by-git").display().to_string();
    run(&["new-backend", &path, "--git", "https://example.org/n"]).exits_with(0);
    let manifest = fs::read_to_string(folder.path().join("by-git/Cargo.toml")).unwrap();
    assert_eq!(manifest.matches("{ git = \"https://example.org/n\" }").count(), 2, "{manifest}");
    let path = folder.path().join("python").display().to_string();
    run(&["new-backend", &path, "--language", "python", "--git", "u"]).refuses(&["for a backend in Rust"]);
}

#[test]
fn a_new_backend_must_be_called_what_a_crate_can_be_called() {
    for name in ["1st", "a b", "a.b", "ü"] {
        let refused = run(&["new-backend", &format!("/tmp/nowhere-at-all/{name}")]).exits_with(2);
        assert!(refused.err.contains("a crate's name is"), "{}", refused.err);
    }
}

#[test]
fn a_new_case_loads_and_can_be_adopted_and_is_made_once() {
    let cases = corpus(RIGHT);
    let folder = cases.path().to_str().unwrap();
    let make = ["new-case", "a-rule", "--spec", "openvino/ReduceL1-4", "--cases", folder];
    run(&make).exits_with(0).prints("openvino-l1-a-rule.yaml");
    let file = cases.path().join("found/openvino-l1-a-rule.yaml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("values: [7, 17]"), "{text}");
    let refused = run(&make).exits_with(2);
    assert!(refused.err.contains("openvino-l1-a-rule.yaml"), "{}", refused.err);
    run(&["cases", "adopt", file.to_str().unwrap(), "--cases", folder, "--into", "rules"])
        .exits_with(0)
        .prints("adopted openvino-l1-a-rule/ReduceL1-4/f32");
    let refused = run(&make).exits_with(2);
    assert!(refused.err.contains("already has a case openvino-l1-a-rule"), "{}", refused.err);
}

#[test]
fn a_case_like_another_is_a_file_that_needs_nothing_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine/first.yaml");
    let (file, cases) = (file.to_str().unwrap(), folder.path().join("mine"));
    let make = ["cases", "new", "my-page", "--like", "bnns-page-axis-2", "--output", file];
    run(&make).exits_with(0).prints(&format!("made {file}")).prints(" --case bnns-my-page");
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains("  - id: bnns-my-page\n    clauses: [example-axis-2,"), "{text}");
    assert!(text.contains("why: Say here which wrong implementation it catches."), "{text}");
    let cases = cases.to_str().unwrap();
    run(&["cases", "lint", "--cases", cases]).exits_with(0).prints("1 case, 1 expanded: nothing to mend");
    // It refuses to overwrite a draft, to use a known id, and to copy an unknown case.
    run(&make).refuses(&["first.yaml", "exists"]);
    let another = |id: &str, like: &str| {
        run(&["cases", "new", id, "--like", like, "--output", &format!("{file}.yaml")])
    };
    another("page-axis-2", "bnns-page-axis-2").refuses(&["the corpus already has a case bnns-page-axis-2"]);
    another("my-page", "bnns-page-axis-22").refuses(&["did you mean `bnns-page-axis-2`?"]);
    another("My Page", "bnns-page-axis-2").refuses(&["is not lower-case words and digits joined by '-'"]);
    assert!(!std::path::Path::new(&format!("{file}.yaml")).exists());
}

#[test]
fn a_float_one_ulp_off_gets_the_exact_value_and_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let text = "topic: Mine
specs: [onnx/ReduceL1-13]
cases:
  - id: onnx-l1-mine
    clauses: [norm]
    why: One that rounds twice.
    dtypes: [f64]
    data: {shape: [2], values: [0.1, 0.2]}
    expect: {shape: [1], values: [0.3]}
";
    fs::write(folder.path().join("mine.yaml"), text).unwrap();
    let lint = run(&["cases", "lint", "--cases", folder.path().to_str().unwrap()]).exits_with(1);
    lint.prints("element 0: the file says 0.3, the exact value is 0.30000000000000001665")
        .prints(", the nearest f64 0.30000000000000004");
}

#[test]
fn there_is_a_new_case_for_every_spec() {
    let folder = tempfile::tempdir().unwrap();
    // The ledger of the corpus, with the cases of one operator.
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("cases");
    for name in ["clauses", "bnns/computeNorm"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
        for file in fs::read_dir(root.join(name)).unwrap().flatten() {
            fs::copy(file.path(), folder.path().join(name).join(file.file_name())).unwrap();
        }
    }
    let path = folder.path().to_str().unwrap();
    for (at, spec) in Spec::ALL.into_iter().enumerate() {
        let id = format!("number-{at}");
        run(&["new-case", &id, "--spec", spec.name(), "--cases", path]).exits_with(0);
    }
    let found = folder.path().join("found");
    run(&["cases", "lint", "--cases", found.to_str().unwrap()])
        .exits_with(0)
        .prints(&format!("{0} cases, {0} expanded: nothing to mend", Spec::ALL.len()));
}
