//! Evidence folders: what is in one, that it verifies, and that no changed byte of it does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use rstest::rstest;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::common::{RIGHT, Run, backend, corpus, run};

/// Conforms, fails, declines, dies and decides an open question.
const MOCK: &str = r#"
    use normative_backend::reference::{Axes, Tensor};
    match call.data.dtype() {
        Dtype::I8 => Answer::Unsupported("=HYPERLINK(\"x\")\n<script>".into()),
        Dtype::U8 => std::process::abort(),
        _ if call.data.shape().is_empty() && call.axes == Axes::list(&[]) => Answer::Tensor(call.data.clone()),
        Dtype::F32 if call.data.shape() == [2, 1] => {
            Answer::Tensor(Tensor::from_bits(Dtype::F32, &[2], &[0x3f80_0000, 0x4000_0000]).unwrap())
        }
        _ => Answer::Tensor(call.data.clone()),
    }"#;

/// A record of a run of the mock, in a folder of the test's own.
struct Recorded {
    folder: TempDir,
    cases: String,
}

/// A run of the mock, of which every test takes a copy.
struct Original {
    record: Vec<u8>,
    texts: [String; 2],
}

/// The files of the small corpus.
const FILES: [&str; 2] = ["clauses/openvino.yaml", "openvino/ReduceL1/few.yaml"];

/// A clause that nothing tests, and one that raises a question.
const MORE: &str = "  - name: untested
    level: determined
    says: \"=1 is what it says.\"
    where: Nowhere
  - name: empty-axes
    level: open
    says: It is open.
    where: Description
    questions: [empty-axes-identity]
";

/// An evidence folder that can be changed.
struct Evidence {
    recorded: Recorded,
    folder: PathBuf,
}

impl Original {
    fn get() -> &'static Self {
        static ONCE: OnceLock<Original> = OnceLock::new();
        ONCE.get_or_init(|| {
            let (crates, cases) = (tempfile::tempdir().unwrap(), corpus(RIGHT));
            let texts = FILES.map(|name| fs::read_to_string(cases.path().join(name)).unwrap());
            let original = Self { record: Vec::new(), texts: [texts[0].clone() + MORE, texts[1].clone()] };
            original.write(cases.path());
            let mock = backend(crates.path(), "mock", MOCK);
            let record = crates.path().join("record");
            let [mock, to, cases] = [&mock, &record, cases.path()].map(|path| path.to_str().unwrap());
            run(&["conformance", "--backend", mock, "--property", "60", "--record", to, "--cases", cases])
                .exits_with(1);
            Self { record: fs::read(&record).unwrap(), ..original }
        })
    }

    fn write(&self, folder: &Path) {
        for (name, text) in FILES.iter().zip(&self.texts) {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
}

impl Recorded {
    fn new() -> Self {
        let (original, folder) = (Original::get(), tempfile::tempdir().unwrap());
        let cases = folder.path().join("cases");
        original.write(&cases);
        fs::write(folder.path().join("record"), &original.record).unwrap();
        Self { folder, cases: cases.to_str().unwrap().to_owned() }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn run(&self, arguments: &[&str]) -> Run {
        run(&[arguments, &["--cases", &self.cases]].concat())
    }

    fn evidence(self, more: &[&str]) -> Evidence {
        let (record, output) = (self.path("record"), self.path("evidence"));
        let made = [["report", "evidence", &record, "--output", &output].as_slice(), more].concat();
        self.run(&made).exits_with(0);
        Evidence { folder: output.into(), recorded: self }
    }
}

impl Evidence {
    fn verify(&self, more: &[&str]) -> Run {
        let verify = ["report", "verify", self.folder.to_str().unwrap()];
        self.recorded.run(&[&verify, more].concat())
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap()
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.folder.join(name), text).unwrap();
    }

    /// Every file, by name.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        fn below(folder: &Path, root: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    below(&path, root, files);
                } else {
                    let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                    files.insert(name, fs::read(&path).unwrap());
                }
            }
        }
        let mut files = BTreeMap::new();
        below(&self.folder, &self.folder, &mut files);
        files
    }

    /// Makes the list of files anew, as a forger would.
    fn renew(&self) {
        let mut list = String::new();
        for (name, bytes) in self.files() {
            if !name.starts_with("SHA256SUMS") {
                Sha256::digest(bytes).iter().for_each(|byte| write!(list, "{byte:02x}").unwrap());
                writeln!(list, "  {name}").unwrap();
            }
        }
        self.write("SHA256SUMS", list);
    }

    fn table(&self, name: &str) -> Vec<BTreeMap<String, String>> {
        let bytes = fs::read(self.folder.join(name)).unwrap();
        csv::Reader::from_reader(&bytes[..]).deserialize().map(Result::unwrap).collect()
    }
}

fn has_ssh_keygen(folder: &Path) -> Option<String> {
    let key = folder.join("key").to_str().unwrap().to_owned();
    let made =
        Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-C", "t", "-f", &key]).status();
    let is_there = made.is_ok_and(|status| status.success());
    if !is_there {
        eprintln!("skipped: there is no ssh-keygen");
    }
    is_there.then_some(key)
}

#[test]
fn clauses_and_failures_are_traced_both_ways() {
    let evidence = Recorded::new().evidence(&[]);
    evidence.verify(&[]).exits_with(0).prints("rejudged   1 records, which give every other file\n");

    let clauses = evidence.table("clauses.csv");
    let clause = |name: &str| {
        let name = format!("openvino/ReduceL1-4#{name}");
        clauses.iter().find(|row| row["clause"] == name).unwrap_or_else(|| panic!("{name}"))
    };
    let norm = clause("norm");
    let counts = ["cases that conform", "cases that fail", "cases that died", "cases unsupported"];
    assert_eq!(counts.map(|count| norm[count].as_str()), ["2", "3", "1", "1"]);
    assert_eq!(norm["status"], "fails");
    assert_eq!(clause("untested")["status"], "no-test");
    // A text that a spreadsheet would take for a formula.
    assert_eq!(clause("untested")["says"], "'=1 is what it says.");

    let calls = evidence.table("calls.csv");
    assert_eq!(calls.len(), 7 + 60);
    let fails = |of: &str| calls.iter().filter(|row| row["verdict"] == of).count();
    let failures = evidence.table("failures.csv");
    let kinds = |of: &str| failures.iter().filter(|row| row["kind"] == of).count();
    assert_eq!((fails("fails"), fails("died")), (kinds("FAIL"), kinds("CRASH")));
    for failure in failures.iter().filter(|row| ["FAIL", "CRASH"].contains(&row["kind"].as_str())) {
        let asked = calls.iter().find(|row| row["case or call"] == failure["case or call"]).unwrap();
        let tested: Vec<&str> = asked["clauses"].split(' ').collect();
        for clause in failure["clauses"].split(' ') {
            let name = clause.split_once('#').unwrap().1;
            // The small ledger of this test lacks most of what a call is about.
            let is_stated = clauses.iter().any(|row| row["clause"] == clause);
            assert!(tested.contains(&name) || !is_stated, "{failure:?}");
        }
    }
    let questions = evidence.table("questions.csv");
    let identity = questions.iter().find(|row| row["question"] == "empty-axes-identity").unwrap();
    assert_eq!((identity["how"].as_str(), identity["readings"].as_str()), ("forced", "x"));
    assert_eq!(identity["shown by"], "openvino-l1-scalar/ReduceL1-4/f32");
    assert_eq!(identity["clauses"], "openvino/ReduceL1-4#empty-axes");

    let page = evidence.text("index.html");
    assert!(!page.contains("<script"), "a backend's words are markup");
    for text in
        ["NO TEST", "unsupported: =HYPERLINK", "Speed, memory, threads", "SHA-256", "docs/accuracy.md"]
    {
        assert!(page.contains(text), "{text} is not on the page");
    }
}

#[test]
fn requirements_of_the_reader_are_the_rows_of_their_matrix() {
    let recorded = Recorded::new();
    let file = recorded.path("requirements.csv");
    fs::write(&file, "requirement,clause\nR-1,openvino/ReduceL1-4#none\n").unwrap();
    let (record, output) = (recorded.path("record"), recorded.path("none"));
    let made = ["report", "evidence", &record, "--output", &output, "--requirements", &file];
    let refused = recorded.run(&made).exits_with(2);
    assert!(refused.err.contains(&format!("{file}:2: expected a clause of the ledger")), "{}", refused.err);
    assert!(!Path::new(&output).exists(), "nothing is written");

    fs::write(&file, "requirement,clause\nR-1,openvino/ReduceL1-4#norm\nR-1,openvino/ReduceL1-4#untested\n")
        .unwrap();
    let evidence = recorded.evidence(&["--requirements", &file]);
    let rows: Vec<[String; 3]> = evidence
        .table("requirements-matrix.csv")
        .into_iter()
        .map(|row| ["requirement", "clause", "status"].map(|column| row[column].clone()))
        .collect();
    let due = [
        ["R-1", "openvino/ReduceL1-4#norm", "fails"],
        ["R-1", "openvino/ReduceL1-4#untested", "no-test"],
        ["", "openvino/ReduceL1-4#empty-axes", "no-test"],
    ];
    assert_eq!(rows, due);
    evidence.verify(&[]).exits_with(0);
}

#[test]
fn no_changed_byte_of_any_file_verifies() {
    let recorded = Recorded::new();
    let key = has_ssh_keygen(recorded.folder.path());
    let signed: Vec<&str> = key.iter().flat_map(|key| ["--sign", key]).collect();
    let evidence = recorded.evidence(&signed);
    evidence.verify(&[]).exits_with(0);
    for (name, bytes) in evidence.files() {
        // The ends, and some places within.
        let places = [0, bytes.len() / 7, bytes.len() / 2, bytes.len() * 6 / 7, bytes.len() - 1];
        for place in places {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            evidence.write(&name, &changed);
            evidence.verify(&[]).exits_with(1).prints(&name);
        }
        for changed in [bytes[..bytes.len() - 1].to_vec(), [&bytes[..], b"\n"].concat()] {
            evidence.write(&name, &changed);
            evidence.verify(&[]).exits_with(1).prints(&name);
        }
        evidence.write(&name, &bytes);
    }
    evidence.verify(&[]).exits_with(0);
}

#[test]
fn a_file_more_or_less_or_in_anothers_place_does_not_verify() {
    let evidence = Recorded::new().evidence(&[]);
    evidence.write("more.csv", "a");
    evidence.verify(&[]).exits_with(1).prints("more.csv: is not in SHA256SUMS\n");
    fs::remove_file(evidence.folder.join("more.csv")).unwrap();
    fs::create_dir(evidence.folder.join("more")).unwrap();
    evidence.verify(&[]).exits_with(1).prints("more: expected a file in it, got an empty folder");
    fs::remove_dir(evidence.folder.join("more")).unwrap();
    for (name, bytes) in evidence.files() {
        fs::remove_file(evidence.folder.join(&name)).unwrap();
        let is_list = name == "SHA256SUMS";
        evidence.verify(&[]).exits_with(if is_list { 2 } else { 1 });
        evidence.write(&name, bytes);
    }
    let (one, other) = (evidence.text("calls.csv"), evidence.text("clauses.csv"));
    evidence.write("calls.csv", &other);
    evidence.write("clauses.csv", &one);
    evidence.verify(&[]).exits_with(1).prints("calls.csv: is not what SHA256SUMS lists\n");
    evidence.write("calls.csv", &one);
    evidence.write("clauses.csv", &other);
    evidence.verify(&[]).exits_with(0);
}

/// The list was made anew, so that every file is as listed.
#[rstest]
#[case::a_table("clauses.csv", "fails", "conforms", "clauses.csv: is not what the records give")]
#[case::the_page("index.html", "does not conform", "conforms", "index.html: is not what the records give")]
#[case::the_report(
    "report.html",
    "does not conform",
    "conforms",
    "report.html: is not what the records give"
)]
#[case::the_data("evidence.json", "\"conforms\":false", "\"conforms\":true", "evidence.json: is not what")]
#[case::the_suite(
    "identity.json",
    "\"version\": \"0.1.0\"",
    "\"version\": \"9.9.9\"",
    "index.html: is not what"
)]
#[case::an_answer("records/1.ndjson", "\"bits\":\"000080bf\"", "\"bits\":\"000080be\"", "does not verify")]
#[case::the_machine(
    "records/1.ndjson",
    "\"cores\":",
    "\"cores\":1",
    "index.html: is not what the records give"
)]
#[case::the_documentation("docs/accuracy.md", "never tuned", "often tuned", "docs/accuracy.md: is not what")]
fn a_forged_folder_with_a_new_list_is_caught_by_judging_again(
    #[case] file: &str,
    #[case] from: &str,
    #[case] to: &str,
    #[case] says: &str,
) {
    let evidence = Recorded::new().evidence(&[]);
    let text = evidence.text(file);
    assert!(text.contains(from), "{from} is not in {file}");
    evidence.write(file, text.replacen(from, to, 1));
    evidence.renew();
    evidence.verify(&[]).exits_with(1).prints(says);
}

#[test]
fn a_verdict_that_the_answers_do_not_give_does_not_verify() {
    let evidence = Recorded::new().evidence(&[]);
    let text = evidence.text("records/1.ndjson");
    let line = text.lines().find(|line| line.contains("result\",\"expected output shape")).unwrap();
    evidence.write(
        "records/1.ndjson",
        text.replace(line, &line.replace("expected output shape", "hoped for shape")),
    );
    evidence.renew();
    evidence.verify(&[]).exits_with(1).prints("say something else than their answers show");
}

#[test]
fn evidence_of_other_cases_cannot_be_checked() {
    let evidence = Recorded::new().evidence(&[]);
    let verify = run(&["report", "verify", evidence.folder.to_str().unwrap()]).exits_with(2);
    assert!(verify.err.contains("it was judged by other cases or clauses than these"), "{}", verify.err);
    run(&["report", "verify", "no-such-folder"]).exits_with(2);
    // One of a later form holds what this version knows nothing of.
    let identity = evidence.text("identity.json");
    evidence.write("identity.json", identity.replacen("\"format\": 1", "\"format\": 2, \"more\": 3", 1));
    evidence.renew();
    let verify = evidence.verify(&[]).exits_with(2);
    assert!(verify.err.contains("expected an evidence folder of format 1, got format 2"), "{}", verify.err);
}

#[test]
fn a_signature_counts_only_of_a_signer_who_is_allowed() {
    let recorded = Recorded::new();
    let Some(key) = has_ssh_keygen(recorded.folder.path()) else { return };
    let signers = recorded.path("signers");
    let public = fs::read_to_string(format!("{key}.pub")).unwrap();
    fs::write(&signers, format!("me@example.org {public}")).unwrap();
    let evidence = recorded.evidence(&["--sign", &key]);
    evidence.verify(&[]).exits_with(0).prints("--allowed-signers says whose key counts");
    let as_signer = |name: &str| evidence.verify(&["--allowed-signers", &signers, "--signer", name]);
    as_signer("me@example.org").exits_with(0).prints("Good \"normative-evidence\" signature");
    as_signer("you@example.org").exits_with(1).prints("SHA256SUMS.sig: does not hold");
    // Who changes something has to sign anew, or to leave the signature out.
    evidence.write("clauses.csv", evidence.text("clauses.csv") + "a");
    evidence.renew();
    evidence.verify(&[]).exits_with(1).prints("SHA256SUMS.sig: does not hold");
    fs::remove_file(evidence.folder.join("SHA256SUMS.sig")).unwrap();
    as_signer("me@example.org").exits_with(1).prints("where one of me@example.org is demanded");
}

#[test]
fn evidence_goes_into_an_empty_folder_alone() {
    let recorded = Recorded::new();
    let output = recorded.path("evidence");
    fs::create_dir(&output).unwrap();
    fs::write(Path::new(&output).join("mine"), "mine").unwrap();
    recorded.run(&["report", "evidence", &recorded.path("record"), "--output", &output]).exits_with(2);
    assert_eq!(fs::read_dir(&output).unwrap().count(), 1);
}
