//! The output of `new-backend` and `init` works before it is edited.

use std::fs;

use rstest::rstest;

use crate::common::{has_python, run, run_in};

/// A change that breaks the example of each language: the program that runs it, the file, and the words before and after.
const BROKEN: [(&str, &str, &str, &str, &str); 3] = [
    ("rust", "cargo", "src/lib.rs", "x.abs()", "x"),
    ("python", "python3", "backend.py", "vector_norm(x,", "vector_norm(x + 1,"),
    ("javascript", "node", "backend.mjs", "Math.abs(x)", "x"),
];

/// Returns true if the programs and modules of a language are here, and says what is left out if not.
fn has(language: &str, program: &str) -> bool {
    let numpy = ["-c", "import numpy; numpy.linalg.vector_norm"];
    let arguments = if language == "python" { numpy.as_slice() } else { &["--version"] };
    let output = std::process::Command::new(program).args(arguments).output();
    let has = output.is_ok_and(|output| output.status.success()) && (language != "python" || has_python());
    if !has {
        eprintln!("left out: no {program} for a backend in {language}, or no NumPy 2");
    }
    has
}

#[test]
fn a_new_backend_is_judged_as_it_is_and_a_mistake_in_it_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for (language, program, file, before, after) in BROKEN.into_iter().filter(|(one, two, ..)| has(one, two))
    {
        let path = folder.path().join("deeper").join(language).display().to_string();
        let backend = if language == "rust" { path.clone() } else { format!("cmd:{program} {path}/{file}") };
        let made = run(&["new-backend", &path, "--language", language]).exits_with(0);
        let shown = if language == "rust" { backend.clone() } else { format!("'{backend}'") };
        made.prints(&format!("  cargo xtask smoke --backend {shown}\n"));
        run(&["smoke", "--backend", &backend, "--strict"]).exits_with(0).prints("the end               ok");
        // Runs of one name would write one record.
        let name = format!("new-{language}");
        let few = ["--property", "200", "--name", name.as_str()];
        let judge = [&["conformance", "--backend", backend.as_str()], few.as_slice()].concat();
        let judged = run(&judge).exits_with(0).prints(&format!("\"{language} 0.0.0 of the example\": "));
        // Most calls are of what the example declares.
        let (head, _) = judged.out.split_once(" unsupported of 200 generated calls").unwrap_or(("0", ""));
        let unsupported: u32 = head.rsplit(' ').next().unwrap().parse().unwrap();
        assert!(unsupported < 100, "{}", judged.out);
        let source = folder.path().join("deeper").join(language).join(file);
        let text = fs::read_to_string(&source).unwrap();
        assert!(text.contains(before), "{text}");
        fs::write(&source, text.replacen(before, after, 1)).unwrap();
        run(&judge).exits_with(1).prints("does not conform: ");
        run(&["new-backend", &path]).refuses(&[&path, "expected a path where nothing is yet"]);
    }
}

/// Makes a project with these files.
fn project(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        fs::write(folder.path().join(file), "").unwrap();
    }
    folder
}

#[test]
fn a_project_gets_an_adapter_a_baseline_and_a_job_which_hold_what_fails_now() {
    for (language, _, file, before, after) in BROKEN.into_iter().filter(|(one, two, ..)| has(one, two)) {
        let mark = match language {
            "rust" => "Cargo.toml",
            "python" => "pyproject.toml",
            _ => "package.json",
        };
        let folder = project(&[mark]);
        if language == "rust" {
            fs::create_dir(folder.path().join("src")).unwrap();
            fs::write(folder.path().join("src/lib.rs"), "").unwrap();
            let manifest = "[package]\nname = \"library\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
            fs::write(folder.path().join(mark), manifest).unwrap();
        }
        let path = folder.path().display().to_string();
        let name = format!("init-{language}");
        let init = ["init", path.as_str(), "--name", name.as_str()];
        let made = run(&init).exits_with(0);
        let adapter = format!("conformance/{file}");
        made.prints(&format!("wrote {adapter}\n")).prints("wrote conformance/known.yaml\n");
        let manifest = fs::read_to_string(folder.path().join("conformance/Cargo.toml"));
        assert!(manifest.is_err() || manifest.is_ok_and(|text| text.contains("library = { path = \"..\" }")));

        // The job's own command passes, and fails once the adapter is broken.
        let job = fs::read_to_string(folder.path().join(".github/workflows/normative.yml")).unwrap();
        let judge = job.lines().last().unwrap().trim().strip_prefix("normative ").unwrap();
        let judge = shell_words::split(judge).unwrap();
        run_in(folder.path(), &judge).exits_with(0);
        let source = folder.path().join(&adapter);
        let text = fs::read_to_string(&source).unwrap();
        let broken = text.replacen(before, after, 1);
        fs::write(&source, &broken).unwrap();
        run_in(folder.path(), &judge).exits_with(1).prints("is not as its baseline says");

        // Files that are there stay as they are, unless the user says otherwise.
        run(&init).refuses(&[&adapter, "nothing is written; --force replaces it"]);
        assert_eq!(fs::read_to_string(&source).unwrap(), broken);
        run(&[&init, ["--force"].as_slice()].concat()).exits_with(0);
        assert_eq!(fs::read_to_string(&source).unwrap(), text);
    }
}

#[rstest::rstest]
#[case::several(&["pyproject.toml", "package.json"], "expected a project in one language, got pyproject.toml, package.json; choose by --language javascript or --language python")]
#[case::none(&["README"], "expected pyproject.toml, setup.py, Cargo.toml or package.json; name the language by --language")]
fn a_project_whose_language_is_not_plain_is_left_as_it_is(#[case] files: &[&str], #[case] why: &str) {
    let folder = project(files);
    run(&["init", folder.path().to_str().unwrap()]).refuses(&[why]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), files.len());
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
        assert!(refused.err.contains("expected the name of a crate"), "{}", refused.err);
    }
}

#[rstest]
#[case::an_open_question(
    "[1, 1]",
    "{shape: [2], open: {duplicate-axes: {collapse: [6, 15], reject: {rejected: axes-repeated}}}}",
    "expected a clause that raises duplicate-axes among its clauses, got norm, axes"
)]
#[case::a_refusal(
    "[2]",
    "{rejected: axes-range}",
    "expected the clause axes-range, which the call breaks, among its clauses, got norm, axes"
)]
#[case::a_sentence_cut_by_a_comment(
    "[1]",
    "{shape: [2], values: [6, 15]} #1 and #2",
    "expected comments at the head and directly above items, got one elsewhere"
)]
fn a_case_is_about_the_clause_of_its_answer_and_is_read_whole(
    #[case] axes: &str,
    #[case] expect: &str,
    #[case] finding: &str,
) {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "topic: Mine\nspecs: [onnx/ReduceL1-18]\ncases:\n  - id: onnx-l1-mine\n    clauses: [norm, axes]\n    why: Some.\n    \
         dtypes: [f32]\n    data: {{shape: [2, 3], values: [1, -2, 3, -4, 5, -6]}}\n    axes: {axes}\n    \
         keep_dims: false\n    expect: {expect}\n"
    );
    fs::write(folder.path().join("mine.yaml"), text).unwrap();
    run(&["cases", "lint", "--cases", folder.path().to_str().unwrap()]).exits_with(1).prints(finding);
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
    lint.prints("element 0: expected the exact value 0.30000000000000001665")
        .prints(", the nearest f64 0.30000000000000004");
}
