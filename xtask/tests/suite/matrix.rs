//! Backends by name, and several compared.

use std::fs;

use crate::common::{backend, has_python, page::root, run};

#[test]
fn every_backend_is_listed_with_what_it_is_and_whether_it_is_ready() {
    let list = run(&["backends"]).exits_with(0).prints("cargo xtask setup NAME");
    for name in ["onnxruntime", "openvino-constant", "rten", "numpy-norm", "ndarray-fold"] {
        let line = list.out.lines().find(|line| line.split_whitespace().next() == Some(name)).unwrap();
        assert!(line.contains("ready  ") || line.contains("needs setup  "), "{line}");
    }
    if !cfg!(target_os = "macos") {
        assert!(list.out.lines().any(|line| line.starts_with("bnns ") && line.contains("macos only")));
    }
}

#[test]
fn what_cannot_be_set_up_is_named_and_is_no_success() {
    let set_up = |name| run(&["setup", name]).exits_with(1);
    set_up("nobody").prints("nobody is not ready: there is no such backend here");
    set_up("rten@0.1")
        .prints("rten@0.1 is not ready: rten@0.1: expected rten alone: its version is the one its crate");
    if !cfg!(target_os = "macos") {
        set_up("bnns").prints("bnns is not ready: it is for macos only");
    }
}

#[cfg(unix)]
#[test]
fn a_backend_without_its_library_is_unavailable_and_says_what_is_missing() {
    // A shell writes a frame of the protocol: six bytes, tagged unavailable.
    let worker = r#"cmd:sh -c 'printf "\006\000\000\000\004\002\000\000\000no" >&0'"#;
    let refused = run(&["conformance", "--backend", worker]).exits_with(2);
    assert!(refused.err.contains("is unavailable: no"), "{}", refused.err);
}

/// The adapter asks `PyTorch` for its devices. This stand-in has none.
#[test]
fn pytorch_without_a_device_is_not_judged_on_the_processor() {
    if !has_python() {
        eprintln!("left out: no python3 of version 3.9 or later");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let torch = "class cuda:\n    is_available = staticmethod(lambda: False)\n\n\n\
                 def __getattr__(name):\n    return name\n";
    fs::write(folder.path().join("torch.py"), torch).unwrap();
    let adapter = root().join("backends/python/torch_backend.py");
    let (modules, adapter) = (folder.path().display(), adapter.display());
    let worker = format!("cmd:env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH={modules} python3 {adapter} sum cuda");
    let refused = run(&["conformance", "--backend", &worker]).exits_with(2);
    assert!(refused.err.contains("is unavailable: PyTorch: no CUDA device"), "{}", refused.err);
}

#[test]
fn a_matrix_has_a_column_for_whoever_can_be_judged_and_can_be_shown_again() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("matrix.ndjson");
    let output = output.to_str().unwrap();
    let same = backend(folder.path(), "same", "Answer::Tensor(call.data.clone())");
    let same = same.to_str().unwrap();
    let few = ["--spec", "openvino/ReduceL1-4", "--property", "40", "--record", output];
    let judge = |names: &[&str]| {
        let names = names.iter().flat_map(|name| ["--backend", name]);
        run(&["matrix"].into_iter().chain(names).chain(few).collect::<Vec<_>>())
    };
    let both = judge(&["ndarray", same])
        .exits_with(0)
        .prints("openvino/ReduceL1-4  conforms ")
        .prints("  1 defect, ")
        .prints("conforms: \"ndarray\" (\"ndarray 0.17\"): ")
        .prints(" (\"same 7\"): ");
    assert_eq!(run(&["report", "show", output]).exits_with(1).out, both.out);
    assert_eq!(fs::read_to_string(output).unwrap().matches("{\"run\":").count(), 2);

    // An HTML page has the command that repeats a failure.
    let page = run(&["report", "show", output, "--format", "html"]).exits_with(1).out;
    assert!(
        page.starts_with("<!doctype html>")
            && page.contains("\"name\":\"ndarray\"")
            && page.contains(r#""who":"\"ndarray 0.17\"""#)
    );
    assert!(page.contains(&format!("\"again\":\"cargo xtask conformance --backend {same}\"")), "{page}");

    // With a `--name`, the page shows the name instead of the path on this machine.
    let named = ["matrix", "--backend", "ndarray", "--backend", same, "--name", "mine-7", "--format", "html"];
    let page = run(&[&named[..], &few].concat())
        .exits_with(0)
        .prints("\"name\":\"mine-7\"")
        .prints(r#""who":"\"same 7\"""#)
        .out;
    let record = fs::read_to_string(output).unwrap();
    for text in [page, record] {
        assert!(text.contains("--backend BACKEND --name mine-7") && !text.contains(same), "{text}");
    }

    // A missing backend does not affect the others, but the run fails.
    let with_absent = judge(&["ndarray", "onnxruntime@0.0.0"]).exits_with(1);
    assert!(with_absent.err.contains("onnxruntime@0.0.0 is not judged: "), "{}", with_absent.err);
    assert!(with_absent.out.contains("conforms: \"ndarray 0.17\": "), "{}", with_absent.out);
    judge(&["onnxruntime@0.0.0"]).exits_with(2);
}

#[test]
fn runs_on_record_stand_side_by_side_under_names_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (one, other) = (path("one"), path("other"));
    for (record, spec) in [(&one, "bnns"), (&other, "blas")] {
        let few = ["--spec", spec, "--property", "20", "--record", record];
        run(&[&["conformance", "--backend", "ndarray"], &few[..]].concat()).exits_with(0);
    }
    let shown = run(&["report", "show", &one, &other]).exits_with(0).out;
    let heads: Vec<&str> =
        shown.lines().next().unwrap().split("  ").filter(|head| !head.is_empty()).collect();
    assert_eq!(heads, ["spec", "ndarray@0.17 (1)", " ndarray@0.17 (2)"].map(str::trim), "{shown}");
    let row = |spec: &str| shown.lines().find(|line| line.starts_with(spec)).unwrap().to_owned();
    assert!(row("blas/asum-3.12").ends_with("conforms"), "{shown}");
    let missing = run(&["report", "show", &one, &path("nowhere")]).exits_with(2);
    assert!(missing.err.contains("nowhere: expected the record of a run, got no file"), "{}", missing.err);
}

#[test]
fn a_diff_tells_what_became_worse_and_fails_for_that_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (right, pinned) = (path("right"), path("pinned"));
    let few = ["conformance", "--backend", "ndarray", "--spec", "bnns", "--property", "40", "--record"];
    let judge = |record: &str, more: &[&str]| run(&[&few, [record].as_slice(), more].concat());
    judge(&right, &[]).exits_with(0);
    // Demanding a reading turns a conforming call into a failure.
    judge(&pinned, &["--reading", "float-range=scaled"]).exits_with(1);
    let diff = |before: &str, after: &str| run(&["report", "diff", before, after]);
    assert_eq!(diff(&right, &right).exits_with(0).out, "ndarray -> ndarray: nothing changed\n");
    diff(&right, &pinned)
        .exits_with(1)
        .prints("FAILS NOW bnns-long-row-of-subnormals/computeNorm/f32\n")
        .prints("  after  expected float-range to be read as scaled, got naive\n");
    diff(&pinned, &right).exits_with(0).prints("conforms now bnns-long-row-of-subnormals/computeNorm/f32\n");
    diff(&right, "/no/such/record").exits_with(2);
}
