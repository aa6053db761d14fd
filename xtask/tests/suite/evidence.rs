//! Evidence folders: their content, and that others can check it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::common::page::files_below;
use crate::common::{RIGHT, Run, backend, corpus, run};

/// A backend that conforms, fails, declines, dies and decides an open question.
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

/// A copy of the mock's record, in a folder of the test's own.
struct Recorded {
    folder: TempDir,
    cases: String,
}

/// The run of the mock that every test copies.
struct Original {
    record: Vec<u8>,
    texts: [String; 2],
}

/// The files of the small corpus.
const FILES: [&str; 2] = ["clauses/openvino.yaml", "openvino/ReduceL1/few.yaml"];

/// Two more clauses: one that nothing tests, and one that raises a question.
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

/// An evidence folder.
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

    fn evidence(self) -> Evidence {
        let (record, output) = (self.path("record"), self.path("evidence"));
        self.run(&["report", "evidence", &record, "--output", &output]).exits_with(0);
        Evidence { folder: output.into(), recorded: self }
    }
}

impl Evidence {
    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap()
    }

    /// Returns the path of the record in the folder.
    fn record(&self) -> String {
        self.folder.join("records/1.ndjson").to_str().unwrap().to_owned()
    }

    fn table(&self, name: &str) -> Vec<BTreeMap<String, String>> {
        let bytes = fs::read(self.folder.join(name)).unwrap();
        csv::Reader::from_reader(&bytes[..]).deserialize().map(Result::unwrap).collect()
    }
}

#[test]
fn clauses_and_failures_are_traced_both_ways() {
    let evidence = Recorded::new().evidence();
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
    // This text would be a formula in a spreadsheet.
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
            // The small ledger of this test lacks most of the clauses of a call.
            let is_stated = clauses.iter().any(|row| row["clause"] == clause);
            assert!(tested.contains(&name) || !is_stated, "{failure:?}");
        }
    }
    let questions = evidence.table("questions.csv");
    let identity = questions.iter().find(|row| row["question"] == "empty-axes-identity").unwrap();
    assert_eq!((identity["how"].as_str(), identity["readings"].as_str()), ("forced", "x"));
    assert_eq!(identity["shown by"], "openvino-l1-scalar/ReduceL1-4/f32");
    assert_eq!(identity["clauses"], "openvino/ReduceL1-4#empty-axes");
}

/// `sha256sum -c` checks every file in the list, so no file may be missing from it.
#[test]
fn the_list_has_every_file_with_its_digest_and_no_other() {
    let evidence = Recorded::new().evidence();
    let mut files = files_below(&evidence.folder);
    files.remove("SHA256SUMS").unwrap();
    let list = evidence.text("SHA256SUMS");
    let listed: Vec<(String, String)> = list
        .lines()
        .map(|line| line.split_once("  ").unwrap())
        .map(|(digest, name)| (name.to_owned(), digest.to_owned()))
        .collect();
    let digest = |bytes: &[u8]| {
        Sha256::digest(bytes).iter().fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"))
    };
    let due: Vec<(String, String)> =
        files.iter().map(|(name, bytes)| (name.clone(), digest(bytes))).collect();
    assert_eq!(listed, due);
}

/// Making the folder again shows an edited table, even if the list was updated.
#[test]
fn the_records_of_a_folder_give_the_same_folder_again() {
    let evidence = Recorded::new().evidence();
    let (record, again) = (evidence.record(), evidence.recorded.path("again"));
    evidence.recorded.run(&["report", "evidence", &record, "--output", &again]).exits_with(0);
    assert_eq!(files_below(Path::new(&again)), files_below(&evidence.folder));
}

#[test]
fn a_changed_answer_in_a_record_gives_another_verdict() {
    let evidence = Recorded::new().evidence();
    let record = evidence.record();
    let fails = || {
        let shown = evidence.recorded.run(&["report", "show", &record, "--all"]).exits_with(1);
        (shown.out.contains("FAIL openvino-l1-a-row/ReduceL1-4/f32"), shown.err)
    };
    assert_eq!(fails(), (false, String::new()));
    let text = evidence.text("records/1.ndjson");
    let line = text.lines().find(|line| line.contains("openvino-l1-a-row/")).unwrap();
    let changed = line.replace("0000803f00000040", "0000803f00000041");
    assert_ne!(line, changed);
    fs::write(&record, text.replace(line, &changed)).unwrap();
    let (fails, warns) = fails();
    assert!(fails, "the answer decides, not the line's verdict");
    assert!(warns.contains("say something else than their answers show"), "{warns}");
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
