//! Known failures as a user meets them: expected, and everything that deviates. The backend is a mock that does what
//! the environment says to calls of a type; this test's own executable is its worker.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::common::{RIGHT, Run, corpus, xtask};
use normative_backend::{Answer, Backend, Identity, serve};
use normative_conformance::reference::{Call, Dtype, Expected, Outcome, expect, rule};
use normative_conformance::run::property::{self, Id};
use tempfile::TempDir;

/// What the mock does, such as `i8=refuses u8=keeps`.
const ROLE: &str = "NORMATIVE_MOCK_ROLE";
/// A file that has a byte for every call to a type that is flaky.
const CALLS: &str = "NORMATIVE_MOCK_CALLS";

struct Mock(String);

impl Mock {
    fn does(&self, what: &str, call: &Call) -> bool {
        self.0.split(' ').any(|word| word == format!("{}={what}", call.data.dtype()))
    }
}

impl Backend for Mock {
    fn identity(&self) -> Identity {
        Identity { name: "mock".into(), version: "1".into(), report_bugs_to: "this test".into() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        if self.does("declines", call) {
            return Answer::Unsupported("not any more".into());
        }
        // Not the plainest call of the type, for which a refusal would say that the type is not supported.
        let is_plainest = call.data.shape() == [2] && call.data.bits()[0] == call.data.bits()[1];
        if self.does("refuses", call) && !is_plainest {
            return Answer::Rejected("no such type".into());
        }
        if self.does("keeps", call) {
            return Answer::Tensor(call.data.clone());
        }
        assert!(!self.does("panics", call), "as told");
        if self.does("refuses-at-first", call) || self.does("refuses-later", call) {
            let path = PathBuf::from(std::env::var_os(CALLS).unwrap());
            let mut file = fs::OpenOptions::new().create(true).append(true).open(&path).unwrap();
            file.write_all(b".").unwrap();
            let is_first = fs::metadata(&path).unwrap().len() == 1;
            if is_first == self.does("refuses-at-first", call) {
                return Answer::Rejected("not in the mood".into());
            }
        }
        let ruling = rule(call);
        let late = self.does("other-reading", call) && call.data.len() % 2 == 1;
        let reading = |question: normative_conformance::reference::Question| {
            let readings = question.readings();
            if late { readings.last().copied() } else { readings.first().copied() }
        };
        match expect(call, &ruling.under(reading).unwrap().outcome).unwrap() {
            Expected::Rejection(clause) => Answer::Rejected(clause.to_string()),
            Expected::Exactly(tensor) => Answer::Tensor(tensor),
            Expected::Near(near) => Answer::Tensor(near.rounded().unwrap()),
        }
    }
}

/// The worker, when somebody starts this executable as one; otherwise nothing.
#[test]
fn the_mock() {
    if let Ok(role) = std::env::var(ROLE) {
        let _code = serve(Mock(role));
        std::process::exit(0);
    }
}

/// Cases, a baseline, and somebody to judge.
struct Setting {
    cases: TempDir,
    folder: TempDir,
}

impl Setting {
    fn new() -> Self {
        Self { cases: corpus(RIGHT), folder: tempfile::tempdir().unwrap() }
    }

    fn baseline(&self) -> PathBuf {
        self.folder.path().join("known.yaml")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.baseline()).unwrap()
    }

    fn write(&self, known: &str) {
        fs::write(self.baseline(), format!("seed: 1\ncalls: 0\nknown:{known}")).unwrap();
    }

    fn judge(&self, role: &str, more: &[&str]) -> Run {
        let exe = std::env::current_exe().unwrap();
        let worker = format!("cmd:'{}' --exact baseline::the_mock", exe.display());
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        let (cases, record) = (path(self.cases.path()), path(&self.folder.path().join("record")));
        let few =
            ["conformance", "--backend", &worker, "--cases", &cases, "--record", &record, "--repeat", "0"];
        let output = xtask(&[&few, more].concat())
            .env(ROLE, role)
            .env(CALLS, self.folder.path().join("calls"))
            .output();
        let output = output.unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// A run of the cases alone, held against the baseline.
    fn check(&self, role: &str) -> Run {
        self.judge(role, &["--property", "0", "--baseline", self.baseline().to_str().unwrap()])
    }
}

const I8_REFUSED: &str = "\n- name: openvino-l1-all-of-a-vector/ReduceL1-4/i8\n  reason: refused-valid\n";

#[test]
fn an_expected_failure_is_no_failure() {
    let setting = Setting::new();
    setting.write(I8_REFUSED);
    let run = setting.check("i8=refuses").exits_with(0).prints("1 known to fail");
    assert!(!run.out.contains("FAIL"), "{}", run.out);
    run.prints("conforms but for what is known: \"mock 1\": 6 conform, 1 fail of 7 cases");
}

#[test]
fn a_failure_that_is_not_known_fails_as_without_a_baseline() {
    let setting = Setting::new();
    setting.write(I8_REFUSED);
    let run = setting.check("i8=refuses u8=refuses").exits_with(1);
    assert!(!run.out.contains("ReduceL1-4/i8"), "{}", run.out);
    run.prints("FAIL openvino-l1-all-of-a-vector/ReduceL1-4/u8\n")
        .prints("mock 1 is not as its baseline says: 5 conform");
}

#[test]
fn an_unexpected_pass_fails() {
    let setting = Setting::new();
    setting.write(&format!("{I8_REFUSED}  issue: https://example.org/7\n"));
    setting
        .check("")
        .exits_with(1)
        .prints("UNEXPECTED PASS openvino-l1-all-of-a-vector/ReduceL1-4/i8\n  known     refused-valid\n")
        .prints("  issue     https://example.org/7\n")
        .prints("--case openvino-l1-all-of-a-vector/ReduceL1-4/i8\n");
}

#[test]
fn a_failure_for_another_reason_than_the_known_one_fails() {
    let setting = Setting::new();
    setting.write(I8_REFUSED);
    setting
        .check("i8=keeps")
        .exits_with(1)
        .prints("OTHER REASON openvino-l1-all-of-a-vector/ReduceL1-4/i8\n  known     refused-valid\n")
        .prints("  now       output-shape\n")
        .prints("  result    expected output shape [], got [2]\n");
    setting.check("i8=panics").exits_with(1).prints("  now       crashed\n");
}

#[test]
fn an_entry_that_names_no_case_is_stale_and_fails() {
    let setting = Setting::new();
    for name in [
        "openvino-l1-all-of-a-vector/ReduceL1-4/i16",
        "generated-1:3/ReduceL1-4/u65",
        "generated-9:0/computeNorm/f32",
        "\"openvino/ReduceL1-4: no-such-question\"",
    ] {
        setting.write(&format!("\n- name: {name}\n  reason: crashed\n"));
        let name = name.trim_matches('"');
        setting.check("").exits_with(1).prints(&format!("STALE {name}\n  known     crashed\n"));
    }
}

#[test]
fn a_known_failure_that_is_unsupported_now_is_missing_and_fails() {
    let setting = Setting::new();
    setting.write(I8_REFUSED);
    setting
        .check("i8=declines")
        .exits_with(1)
        .prints("MISSING openvino-l1-all-of-a-vector/ReduceL1-4/i8\n  known     refused-valid\n")
        .prints("  now       unsupported: not any more\n");
}

#[test]
fn what_the_users_own_filter_leaves_out_is_not_missing() {
    let setting = Setting::new();
    setting.write(I8_REFUSED);
    let path = setting.baseline();
    let filtered = ["--property", "0", "--filter", "one-row", "--baseline", path.to_str().unwrap()];
    let run = setting.judge("i8=refuses", &filtered).exits_with(0);
    assert!(!run.out.contains("MISSING") && !run.out.contains("known to fail"), "{}", run.out);
}

#[test]
fn a_result_that_is_another_when_asked_again_is_flaky_and_fails() {
    for (role, says) in [
        ("i8=refuses-at-first", "refused-valid, asked again: does not fail"),
        ("i8=refuses-later", "does not fail, asked again: refused-valid"),
    ] {
        let setting = Setting::new();
        // Known to fail, it is flaky where it passes first; unknown, where it fails first.
        setting.write(if role == "i8=refuses-later" { I8_REFUSED } else { " []\n" });
        setting
            .check(role)
            .exits_with(1)
            .prints("FLAKY openvino-l1-all-of-a-vector/ReduceL1-4/i8\n")
            .prints(&format!("  now       {says}\n"));
    }
}

/// The file of a run of `u8=refuses`, in the form that names failures one by one.
fn one_by_one(setting: &Setting) {
    let text = setting.text();
    let (head, rest) = text.split_once("defects:\n").unwrap();
    assert!(rest.ends_with("known: []\n"), "{text}");
    let ids = (0..400).map(|index| Id::first(1, index));
    let names = ids.map(|id| (id, id.call())).filter(|(_, call)| call.data.dtype() == Dtype::U8);
    let refused = |call: &Call| !matches!(rule(call).alternatives[0].outcome, Outcome::Rejected(_));
    let plainest = |call: &Call| call.data.shape() == [2] && call.data.bits()[0] == call.data.bits()[1];
    let names = names
        .filter(|(_, call)| refused(call) && !plainest(call))
        .map(|(id, call)| property::name(id, &call));
    let all = ["openvino-l1-all-of-a-vector/ReduceL1-4/u8".to_owned()].into_iter().chain(names);
    let entries: Vec<String> = all.map(|name| format!("- name: {name}\n  reason: refused-valid\n")).collect();
    fs::write(setting.baseline(), format!("{head}known:\n{}", entries.concat())).unwrap();
}

#[test]
fn one_known_bug_needs_no_run_without_generated_calls_and_another_bug_still_fails() {
    let setting = Setting::new();
    let path = setting.baseline();
    let baseline = ["--property", "400", "--baseline", path.to_str().unwrap()];
    let missing = setting.judge("u8=refuses", &baseline).exits_with(2);
    assert!(missing.err.contains("known.yaml"), "{}", missing.err);
    setting.judge("u8=refuses", &[&baseline[..], &["--baseline-update"]].concat()).exits_with(0);
    one_by_one(&setting);

    let run = setting.judge("u8=refuses", &baseline).exits_with(0);
    assert!(!run.out.contains("FAIL"), "{}", run.out);
    let all = [&baseline[..], &["--all"]].concat();
    setting.judge("u8=refuses i8=refuses", &all).exits_with(1).prints("FAIL generated-1:");
    // What is known is in no defect.
    setting.judge("u8=refuses i8=refuses", &baseline).exits_with(1).prints("\n  types     i8\n");
    setting.judge("", &baseline).exits_with(1).prints("UNEXPECTED PASS generated-1:");
    setting.judge("u8=declines", &baseline).exits_with(1).prints("MISSING generated-1:");
    // Of another row the file says nothing: its calls are neither stale nor missing, and fail anew.
    let other =
        setting.judge("u8=refuses", &[&baseline[..], &["--seed", "2", "--all"]].concat()).exits_with(1);
    assert!(!other.out.contains("STALE") && !other.out.contains("MISSING"), "{}", other.out);
    other.prints("FAIL generated-2:");
    // Nor of calls beyond those that were to be made.
    let few = setting.judge("u8=refuses", &[&["--property", "40"], &baseline[2..]].concat()).exits_with(0);
    assert!(!few.out.contains("MISSING"), "{}", few.out);
    // An update puts one defect in their place.
    setting.judge("u8=refuses", &[&baseline[..], &["--baseline-update"]].concat()).exits_with(0);
    assert!(setting.text().ends_with("known: []\n"), "{}", setting.text());
}

#[test]
fn a_known_defect_is_one_entry_and_hides_nothing_else() {
    let setting = Setting::new();
    let path = setting.baseline();
    let baseline = ["--property", "400", "--baseline", path.to_str().unwrap()];
    let update = [&baseline[..], &["--baseline-update"]].concat();
    setting.judge("u8=refuses", &update).exits_with(0);
    let text = setting.text();
    let entry = "defects:\n- name: 'valid calls refused: a valid call, u8 data'\n";
    assert!(text.contains(entry) && text.matches("\n- name: ").count() == 1, "{text}");
    assert!(
        text.contains("  reasons:\n  - refused-valid\n  where:\n  - a valid call\n  - u8 data\n"),
        "{text}"
    );
    assert!(text.ends_with("known: []\n"), "{text}");
    setting.judge("u8=refuses", &baseline).exits_with(0).prints(" known to fail");

    // Elsewhere the same failure is new; within the conditions another one is.
    let elsewhere = setting.judge("u8=refuses i8=refuses", &baseline).exits_with(1);
    elsewhere.prints("\n  types     i8\n");
    for other in ["u8=keeps", "u8=panics"] {
        let run = setting.judge(other, &baseline).exits_with(1);
        assert!(
            run.out.contains("UNEXPECTED PASS valid calls refused: a valid call, u8 data"),
            "{}",
            run.out
        );
        assert!(run.out.contains("\n  types     u8\n") && !run.out.contains("known to fail"), "{}", run.out);
    }
    // What hides within them, and fails as the defect does, is counted.
    let number = text.split_once("  failures: ").unwrap().1.lines().next().unwrap();
    let fewer = text.replace(&format!("failures: {number}"), "failures: 3");
    fs::write(&path, &fewer).unwrap();
    let more = setting.judge("u8=refuses", &[&baseline[..], &["--all"]].concat()).exits_with(1);
    more.prints("OTHER REASON valid calls refused: a valid call, u8 data")
        .prints("\n  known     3 calls fail so: refused-valid\n")
        .prints(&format!("\n  now       {number} calls fail so; all of them are shown"))
        .prints("\nFAIL generated-1:");
    fs::write(&path, &text).unwrap();

    // Mended, it is to be taken out.
    let mended = setting.judge("", &baseline).exits_with(1);
    mended.prints(&format!("\n  known     {number} calls fail so: refused-valid\n"));
    setting.judge("", &update).exits_with(0);
    assert_eq!(setting.text().split_once('\n').unwrap().1, "seed: 1\ncalls: 400\nknown: []\n");
}

#[test]
fn a_run_over_less_says_nothing_about_how_many_fail_and_an_update_keeps_what_was_said() {
    let setting = Setting::new();
    let path = setting.baseline();
    let baseline = ["--property", "400", "--baseline", path.to_str().unwrap()];
    let update = [&baseline[..], &["--baseline-update"]].concat();
    setting.judge("u8=refuses", &update).exits_with(0);
    let issue = "  issue: https://example.org/7\n";
    let text = setting.text().replace("known: []", &format!("{issue}known: []"));
    fs::write(&path, &text).unwrap();
    setting.judge("u8=refuses", &update).exits_with(0);
    assert_eq!(setting.text(), text);

    let few = ["--property", "40", "--baseline", path.to_str().unwrap()];
    setting.judge("u8=refuses", &few).exits_with(0);
    let filtered = ["--filter", "one-row", "--baseline", path.to_str().unwrap(), "--baseline-update"];
    setting.judge("", &filtered).exits_with(0);
    assert_eq!(setting.text(), text);
    // Another row has other calls, which the defect explains all the same.
    setting.judge("u8=refuses", &[&baseline[..], &["--seed", "2"]].concat()).exits_with(0);
}

#[test]
fn a_question_that_is_known_to_be_read_in_two_ways_is_expected_to_be() {
    let setting = Setting::new();
    let path = setting.baseline();
    let baseline = ["--property", "2000", "--baseline", path.to_str().unwrap()];
    let update = [&baseline[..], &["--baseline-update"]].concat();
    setting.judge("f32=other-reading", &update).exits_with(0);
    let text = setting.text();
    assert!(text.contains("reason: inconsistent"), "{text}");
    setting.judge("f32=other-reading", &baseline).exits_with(0);
    setting
        .judge("", &baseline)
        .exits_with(1)
        .prints("UNEXPECTED PASS ")
        .prints("  known     inconsistent\n");
    setting.judge("", &[&["--property", "0"], &baseline[2..]].concat()).exits_with(0);
}

#[test]
fn an_update_writes_what_fails_now_sorted_and_keeps_what_was_said_of_it() {
    let setting = Setting::new();
    setting.write(&format!(
        "\n- name: openvino-l1-gone/ReduceL1-4/i8\n  reason: crashed\
         \n- name: openvino-l1-all-of-a-vector/ReduceL1-4/u8\n  reason: crashed\n  comment: |-\n    Two\n    lines.\
         \n- name: generated-7:3/{}\n  reason: crashed{I8_REFUSED}  issue: https://example.org/7\n",
        name_of(7, 3)
    ));
    let path = setting.baseline();
    let update = ["--property", "0", "--baseline", path.to_str().unwrap(), "--baseline-update"];
    setting.judge("i8=refuses u8=keeps f64=panics", &update).exits_with(0);
    assert_eq!(
        setting.text(),
        format!(
            "# Known failures. `conformance --baseline FILE --baseline-update` writes them anew.
seed: 1
calls: 0
known:
- name: openvino-l1-all-of-a-vector/ReduceL1-4/f64
  reason: crashed
- name: openvino-l1-all-of-a-vector/ReduceL1-4/i8
  reason: refused-valid
  issue: https://example.org/7
- name: openvino-l1-all-of-a-vector/ReduceL1-4/u8
  reason: output-shape
  comment: |-
    Two
    lines.
- name: generated-7:3/{}
  reason: crashed
",
            name_of(7, 3)
        )
    );
    setting.check("i8=refuses u8=keeps f64=panics").exits_with(0).prints("3 known to fail");
    // What the run says nothing of stays, and so does the file, byte for byte.
    let before = setting.text();
    setting.judge("", &[&update[..], &["--filter", "one-row"]].concat()).exits_with(0);
    assert_eq!(setting.text(), before);
}

/// A generated call's version and type.
fn name_of(seed: u64, index: u64) -> String {
    let id = normative_conformance::run::property::Id::first(seed, index);
    let name = normative_conformance::run::property::name(id, &id.call());
    name.split_once('/').unwrap().1.to_owned()
}

#[test]
fn a_file_that_is_no_baseline_judges_nobody() {
    let setting = Setting::new();
    setting.write("\n- name: a\n  reason: too-slow\n");
    setting.check("").refuses(&["known.yaml:", "unknown variant `too-slow`", "wrong-value"]);
    fs::remove_file(setting.baseline()).unwrap();
    setting.check("").refuses(&["known.yaml"]);
    setting.judge("", &["--baseline-update"]).refuses(&["--baseline"]);
}
