//! Runs reproductions without this project, for installed runtimes. The verdict of a script must be that of the judge,
//! for fixed calls, random failures and every finding on file. For a mended finding, the script must fail with the
//! release where it was last seen, and pass with the one that mended it.
//!
//! A script needs the runtime and `NumPy`; a set without `NumPy` uses that of the set `numpy`. With
//! `NORMATIVE_REPROS=50`, 50 failures of every backend are run, and reproductions in Rust are compiled and run too.

mod sets;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output};

use rstest::rstest;
use serde_json::Value;
use tempfile::TempDir;

use crate::common::{Run, run};
use sets::{interpreter, is_set_up, set_of};

/// The default number of scripts to run for a backend.
const SCRIPTS: usize = 4;

/// Returns the number of failures to run for each backend, if set.
fn wanted() -> Option<usize> {
    std::env::var("NORMATIVE_REPROS").ok().map(|count| count.parse().unwrap())
}

/// The outcome of a reproduction.
enum Reproduced {
    /// It was not made, for this reason.
    LeftOut(String),
    /// It was run.
    Ran(Ran),
}

/// The verdicts of a script and of the command that wrote it.
struct Ran {
    /// True if the call failed when the command asked it.
    judged: bool,
    /// True if the script says FAIL.
    said: bool,
    /// The folder of the script.
    script: TempDir,
    /// The output of both.
    printed: String,
}

impl Ran {
    /// Checks that script and judge agree, and returns true if the call fails.
    fn agreed(&self) -> bool {
        assert_eq!(self.said, self.judged, "{}", self.printed);
        self.said
    }
}

/// Writes a reproduction, moves it to an empty folder and runs it there. The backend's name may include a release.
fn reproduced(backend: &str, name: &str) -> Reproduced {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (output, place) = (folder.path().join("repro"), elsewhere.path().join("moved"));
    let Run { code, out, err } =
        run(&["repro", name, "--backend", backend, "--output", output.to_str().unwrap()]);
    if code == Some(2) {
        let known = [
            "unsupported",
            "is unavailable",
            "no stand-alone reproduction",
            "is not ready",
            "cannot be spelled there",
            "no script looks",
        ];
        assert!(known.iter().any(|why| err.contains(why)), "{backend} {name}: {err}");
        assert!(!output.exists(), "{err}");
        return Reproduced::LeftOut(err.trim().to_owned());
    }
    assert_eq!(code, Some(0), "{backend} {name}: {err}");
    fs::rename(&output, &place).unwrap();
    let ran = if place.join("src/main.rs").exists() {
        built_and_run(&place)
    } else {
        let Some(set) = set_of(backend, &out) else {
            return Reproduced::LeftOut(format!("no set holds the release: {out}"));
        };
        let Some(mut program) = interpreter(&set, &place) else {
            return Reproduced::LeftOut("no NumPy".to_owned());
        };
        program.current_dir(&place).output().unwrap()
    };
    let judged = out.contains("FAIL:");
    let (said, lines) = said(&ran);
    Reproduced::Ran(Ran {
        judged,
        said,
        script: elsewhere,
        printed: format!("{backend} {name}: {out}{lines}"),
    })
}

/// Returns true if the script says FAIL, with its output. The last word and the exit status must agree.
fn said(ran: &Output) -> (bool, String) {
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    // A kernel that reads beyond its data may give a wrong number, or end the process.
    if ran.status.signal().is_some() {
        return (true, said);
    }
    let fails = said.lines().any(|line| line == "FAIL");
    assert!(fails || said.lines().any(|line| line == "PASS"), "{said}");
    assert_eq!(ran.status.code(), Some(i32::from(fails)), "{said}");
    (fails, said)
}

/// Builds and runs a reproduction in Rust. All of them share a target directory.
fn built_and_run(place: &Path) -> Output {
    let target = Path::new(env!("CARGO_BIN_EXE_xtask")).ancestors().nth(2).unwrap().join("reproduced");
    let mut cargo = Command::new("cargo");
    cargo.args(["run", "--quiet", "--release"]).env("CARGO_TARGET_DIR", target).current_dir(place);
    cargo.output().unwrap()
}

#[rstest]
#[case::numpy("numpy")]
#[case::onnxruntime("onnxruntime")]
#[case::onnxruntime_axes_input("onnxruntime-axes-input")]
#[case::openvino("openvino")]
#[case::openvino_constant("openvino-constant")]
#[case::openvino_onnx("openvino-onnx")]
#[case::openvino_axes_input("openvino-axes-input")]
#[case::openvino_onnx_axes_input("openvino-onnx-axes-input")]
#[case::openvino_evaluate("openvino-evaluate")]
#[case::onnxruntime_unoptimised("onnxruntime-unoptimised")]
#[case::onnxruntime_later_opset("onnxruntime-later-opset")]
#[case::onnxruntime_function("onnxruntime-function")]
#[case::onnx_reference("onnx-reference")]
#[case::onnx_reference_function("onnx-reference-function")]
#[case::litert("litert")]
#[case::litert_builtin("litert-builtin")]
#[case::tfjs("tfjs")]
#[case::tfjs_norm("tfjs-norm")]
#[case::webnn_baseline("webnn-baseline")]
#[case::tvm("tvm")]
#[case::dask("dask")]
#[case::dask_norm("dask-norm")]
#[case::mlx("mlx")]
#[case::mlx_norm("mlx-norm")]
#[case::mnn("mnn")]
#[case::ncnn("ncnn")]
#[case::paddle("paddle")]
#[case::openblas("openblas")]
#[case::scipy_blas("scipy-blas")]
#[case::stdlib_blas("stdlib-blas")]
fn a_script_says_what_the_judge_says(#[case] backend: &str) {
    if !is_set_up(backend, wanted().is_some()) {
        return;
    }
    // A family that was added later has its own row of generated calls.
    let row = match backend {
        "webnn-baseline" => "1:webnn",
        "openblas" | "scipy-blas" | "stdlib-blas" => "1:blas",
        _ => "1",
    };
    let mut agreed = 0;
    for index in (0..500).step_by(7) {
        match reproduced(backend, &format!("{row}:{index}")) {
            Reproduced::LeftOut(_) => {}
            Reproduced::Ran(ran) => {
                ran.agreed();
                agreed += 1;
            }
        }
        if agreed == SCRIPTS {
            return;
        }
    }
    panic!("{backend}: {agreed} of {SCRIPTS} scripts were run");
}

/// Hashes a name to a number, for the random order.
fn drawn(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns the failing calls of a record, in an order that is random and the same on every machine.
fn failures(record: &str) -> Vec<String> {
    let lines: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let settled: Vec<&str> = lines.iter().filter_map(|line| line["settled"]["name"].as_str()).collect();
    let entries = lines.iter().filter_map(|line| line.get("case").or_else(|| line.get("call")));
    let failed = entries.filter(|entry| entry["verdict"].get("fails").is_some());
    let names = failed.filter_map(|entry| entry["name"].as_str());
    let mut names: Vec<String> = names.filter(|name| !settled.contains(name)).map(str::to_owned).collect();
    names.sort_by_key(|name| drawn(name));
    names
}

/// The parts of a run: the cases of one type, and generated calls of one seed. Failures are drawn from one part after
/// another until there are enough, because a whole run of a compiling backend takes an hour.
const PARTS: [&str; 8] = ["/f32", "/f64", "/i32", "/i64", "/f16", "/u8", "/bf16", "/i8"];

/// Returns the failures of a part of a run, in the order of drawing, or prints a message and returns `None` if the
/// backend cannot be asked here.
fn failures_of(backend: &str, text: &[&str], part: usize) -> Option<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    let few = if wanted().is_some() { "250" } else { "40" };
    let seed = (part + 1).to_string();
    let mut judge = vec!["conformance", "--backend", backend, "--property", few, "--seed", &seed];
    judge.extend(["--case", PARTS[part]]);
    judge.extend(["--record", record.to_str().unwrap()]);
    judge.extend(text);
    let judged = run(&judge);
    if judged.code == Some(2) {
        println!("left out: {}", judged.err.trim());
        return None;
    }
    let names = failures(&fs::read_to_string(&record).unwrap());
    assert_eq!(judged.code, Some(i32::from(!names.is_empty())), "{backend}: {}", judged.out);
    Some(names)
}

#[rstest]
#[case::numpy("numpy")]
#[case::torch("torch")]
#[case::jax("jax")]
#[case::tensorflow("tensorflow")]
#[case::paddle("paddle")]
#[case::mlx("mlx")]
#[case::dask("dask")]
#[case::tinygrad("tinygrad")]
#[case::onnxruntime("onnxruntime")]
#[case::onnxruntime_axes_input("onnxruntime-axes-input")]
#[case::onnx_reference("onnx-reference")]
#[case::openvino("openvino")]
#[case::openvino_constant("openvino-constant")]
#[case::openvino_axes_input("openvino-axes-input")]
#[case::openvino_evaluate("openvino-evaluate")]
#[case::openvino_onnx("openvino-onnx")]
#[case::litert("litert")]
#[case::iree("iree")]
#[case::tvm("tvm")]
#[case::mnn("mnn")]
#[case::ncnn("ncnn")]
#[case::tfjs("tfjs")]
#[case::webnn_baseline("webnn-baseline")]
#[case::openblas("openblas")]
#[case::blis("blis")]
#[case::system_blas("system-blas")]
#[case::scipy_blas("scipy-blas")]
#[case::stdlib_blas("stdlib-blas")]
#[case::rten("rten")]
#[case::tract("tract")]
#[case::candle("candle")]
#[case::burn("burn")]
#[case::faer("faer")]
#[case::nalgebra("nalgebra")]
fn random_failures_fail_by_themselves(#[case] backend: &str) {
    if !is_set_up(backend, wanted().is_some()) {
        return;
    }
    let wanted = wanted().unwrap_or(SCRIPTS);
    let (mut seen, mut failed, mut by_chance, mut left_out) = (0, 0, 0, String::new());
    // First the texts that it claims, and then those of ONNX if there are too few failures.
    for text in [&[][..], &["--spec", "onnx"]] {
        let parts = (0..PARTS.len()).map_while(|part| failures_of(backend, text, part));
        for name in parts.flatten() {
            seen += 1;
            match reproduced(backend, &name) {
                Reproduced::Ran(ran) if ran.said => failed += 1,
                Reproduced::Ran(Ran { judged: true, printed, .. }) => panic!("the script passes: {printed}"),
                // The runtime read uninitialised memory, or it was too slow on a busy machine.
                Reproduced::Ran(Ran { printed, .. }) => {
                    by_chance += 1;
                    left_out += &printed;
                }
                Reproduced::LeftOut(why) => {
                    let _ = writeln!(left_out, "{name}: {why}");
                }
            }
            if failed == wanted {
                break;
            }
        }
        if seen > 0 {
            break;
        }
    }
    println!("{backend}: {failed} failures of {seen} drawn were reproduced; left out:\n{left_out}");
    assert!(
        by_chance * 5 <= seen,
        "{backend}: {by_chance} of {seen} failures do not come again:\n{left_out}"
    );
    assert_eq!(
        failed,
        wanted.min(seen - by_chance),
        "{backend}: of {seen} failures, left out were\n{left_out}"
    );
}

/// A defect, as a file of findings states it.
struct Finding {
    backend: String,
    /// The case or the generated call.
    call: String,
    /// The release where a mended defect was last seen, and the one that mended it.
    mended: Option<(String, String)>,
}

fn all_findings() -> Vec<Finding> {
    let rows = normative::findings::all().unwrap().into_iter().flat_map(|runtime| runtime.findings);
    let all: Vec<Finding> = rows
        .map(|row| Finding {
            backend: row.backend,
            call: row.case.or(row.call).unwrap(),
            mended: row.seen.zip(row.until),
        })
        .collect();
    assert!(all.len() > 50, "the files were read: {}", all.len());
    all
}

#[test]
fn every_finding_on_file_says_by_itself_what_the_judge_says() {
    let (mut ran, mut left_out) = (0, String::new());
    let all = all_findings();
    for Finding { backend, call, mended } in &all {
        let why = match is_set_up(backend, wanted().is_some()).then(|| reproduced(backend, call)) {
            None => format!("{backend} is not set up"),
            Some(Reproduced::LeftOut(why)) => why,
            Some(Reproduced::Ran(one)) => {
                ran += 1;
                assert!(one.agreed() || mended.is_some(), "{backend} {call} is on file as open, and passes");
                continue;
            }
        };
        let _ = writeln!(left_out, "{backend} {call}: {why}");
    }
    println!("{ran} of {} findings were run by themselves; left out:\n{left_out}", all.len());
}

/// The same script runs with both releases.
#[test]
fn a_script_of_what_is_mended_fails_before_and_passes_after() {
    let mut ran = 0;
    for Finding { backend, call, mended } in all_findings() {
        let Some((seen, until)) = mended else { continue };
        let (seen, until) = (format!("{backend}@{seen}"), format!("{backend}@{until}"));
        let [Some(_), Some(after)] = [&seen, &until].map(|release| set_of(release, "")) else {
            println!("left out: {backend} {call}: cargo xtask setup {seen} {until}");
            continue;
        };
        let of = format!("{call} by {seen}");
        let before = match reproduced(&seen, &call) {
            Reproduced::Ran(ran) => ran,
            Reproduced::LeftOut(why) => panic!("{of}: {why}"),
        };
        assert!(before.agreed(), "{of}: passes there");
        let place = before.script.path().join("moved");
        let mut program = interpreter(&after, &place).unwrap();
        let (fails, printed) = said(&program.current_dir(&place).output().unwrap());
        assert!(!fails, "{call} by {until}: {printed}");
        ran += 1;
    }
    println!("{ran} mended findings fail before and pass after");
}
