//! The record: every line of a real run fits the committed schema, its verdict fits its answer, and totals are right.

use std::fs;

use crate::common::page::root;
use crate::common::{RIGHT, Run, backend, corpus, run, xtask};
use crate::runs::undated_text;
use jsonschema::Validator;
use rstest::rstest;
use serde_json::{Value, json};

/// A backend that conforms, fails, declines, dies and is nondeterministic, by element type and call.
const MOCK: &str = r#"
    static ASKED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    use normative_backend::reference::Axes;
    let asked = ASKED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    match call.data.dtype() {
        Dtype::I8 => Answer::Unsupported("no i8\n\u{1b}[2J".into()),
        Dtype::U8 => std::process::abort(),
        Dtype::F64 | Dtype::F16 | Dtype::I32 if asked % 2 == 0 => Answer::Rejected("not <b>now</b> ]]>".into()),
        _ if call.data.shape().is_empty() && call.axes == Axes::list(&[]) => Answer::Tensor(call.data.clone()),
        Dtype::F32 if call.data.shape() == [2, 1] => {
            Answer::Tensor(normative_backend::reference::Tensor::from_bits(Dtype::F32, &[2], &[0x3f80_0000, 0x4000_0000]).unwrap())
        }
        _ => Answer::Tensor(call.data.clone()),
    }"#;

/// A recorded run of the mock.
struct Recorded {
    _folders: [tempfile::TempDir; 2],
    cases: String,
    record: String,
    lines: Vec<Value>,
}

fn recorded() -> Recorded {
    let (folder, cases) = (tempfile::tempdir().unwrap(), corpus(RIGHT));
    let mock = backend(folder.path(), "mock", MOCK);
    let record = folder.path().join("record").to_str().unwrap().to_owned();
    let folder_of_cases = cases.path().to_str().unwrap().to_owned();
    let few = ["--cases", &folder_of_cases, "--property", "60", "--record", &record];
    run(&[["conformance", "--backend", mock.to_str().unwrap()].as_slice(), &few].concat()).exits_with(1);
    let text = fs::read_to_string(&record).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    Recorded { _folders: [folder, cases], cases: folder_of_cases, record, lines }
}

fn schema() -> Validator {
    let text = fs::read_to_string(root().join("conformance/record.schema.json")).unwrap();
    jsonschema::draft202012::new(&serde_json::from_str(&text).unwrap()).unwrap()
}

fn show(recorded: &Recorded, more: &[&str]) -> Run {
    run(&[["report", "show", &recorded.record, "--cases", &recorded.cases].as_slice(), more].concat())
}

#[test]
fn every_line_of_a_run_suits_the_schema_and_can_be_understood_by_itself() {
    let recorded = recorded();
    let schema = schema();
    for line in &recorded.lines {
        let errors: Vec<String> = schema.iter_errors(line).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{line}\n{}", errors.join("\n"));
    }
    let header = &recorded.lines[0]["run"];
    assert_eq!(header["suite"], env!("CARGO_PKG_VERSION"));
    assert_eq!(header["machines"][0]["os"], std::env::consts::OS);
    assert_eq!(header["options"], json!({ "timeout": 10, "memory": null, "repeat": 500 }));

    let case = |name: &str| {
        let found = recorded.lines.iter().find(|line| line["case"]["name"] == name);
        &found.unwrap_or_else(|| panic!("{name}"))["case"]
    };
    let label = |case: &Value, label: &str| -> Vec<String> {
        let lines = case["verdict"]["fails"]["lines"].as_array().unwrap();
        let labelled = lines.iter().filter(|line| line[0] == label);
        labelled.map(|line| line[1].as_str().unwrap().to_owned()).collect()
    };
    let open = case("openvino-l1-scalar/ReduceL1-4/f32");
    assert_eq!(open["verdict"]["conforms"]["readings"], json!(["empty-axes-identity=x"]));
    let right = case("openvino-l1-a-row/ReduceL1-4/f32");
    assert_eq!(right["spec"], "openvino/ReduceL1-4");
    assert_eq!(right["dtype"], "f32");
    assert_eq!(right["clauses"], json!(["norm"]));
    assert_eq!(right["call"], "openvino/ReduceL1-4 data f32[2, 1], axes i64 [1]");
    let accuracy = json!({
        "class": "correctly-rounded", "worst": 0.0, "mean": 0.0, "elements": 2, "out-of-range": 0, "terms": 1,
        "against": "sums f32",
    });
    assert_eq!(right["verdict"]["conforms"], json!({ "accuracy": accuracy }));
    let wrong = case("openvino-l1-all-of-a-vector/ReduceL1-4/f32");
    assert_eq!(wrong["verdict"]["fails"]["kind"], "fail");
    assert_eq!(label(wrong, "clause"), ["openvino/ReduceL1-4#norm: Absolute values are added."]);
    assert_eq!(label(wrong, "result"), ["expected output shape [], got [2]"]);
    assert!(label(wrong, "again")[0].ends_with(" --case openvino-l1-all-of-a-vector/ReduceL1-4/f32"));
    let declined = case("openvino-l1-all-of-a-vector/ReduceL1-4/i8");
    assert_eq!(declined["verdict"], "unsupported");
    assert_eq!(declined["answer"], json!({ "unsupported": "no i8\n\u{1b}[2J" }));
    assert!(declined.get("call").is_none());
    let died = case("openvino-l1-all-of-a-vector/ReduceL1-4/u8");
    assert_eq!(died["verdict"]["fails"]["kind"], "crash");

    let end = &recorded.lines.last().unwrap()["end"];
    // A failure may be settled as unsupported later.
    let settled = |name: &Value| recorded.lines.iter().any(|line| line["settled"]["name"] == *name);
    let kinds = |of: &str, wanted: &[&str]| {
        let lines =
            recorded.lines.iter().filter(|line| !line[of]["name"].is_string() || !settled(&line[of]["name"]));
        let fails = lines.filter_map(|line| line[of]["verdict"]["fails"]["kind"].as_str());
        fails.filter(|kind| wanted.contains(kind)).count()
    };
    assert_eq!(end["complete"], true);
    for (of, counts, all) in [("case", &end["cases"], 7), ("call", &end["calls"], 60)] {
        let sum: u64 = counts.as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(sum, all);
        assert_eq!(counts["died"].as_u64().unwrap(), kinds(of, &["crash", "timeout"]) as u64);
        assert_eq!(counts["fails"].as_u64().unwrap(), kinds(of, &["fail"]) as u64);
    }
    let changed = |line: &&Value| line["then"]["verdict"]["fails"]["kind"] == "nondeterministic";
    let then = recorded.lines.iter().filter(changed).count();
    assert!(then > 0);
    assert_eq!(end["nondeterministic"].as_u64().unwrap(), then as u64);
}

#[rstest]
#[case::a_number_for_a_name(|line: &mut Value| line["case"]["name"] = json!(1))]
#[case::a_field_nobody_knows(|line: &mut Value| line["case"]["colour"] = json!("red"))]
#[case::no_verdict(|line: &mut Value| drop(line["case"].as_object_mut().unwrap().remove("verdict")))]
#[case::no_answer(|line: &mut Value| drop(line["case"].as_object_mut().unwrap().remove("answer")))]
#[case::another_spec(|line: &mut Value| line["case"]["spec"] = json!("onnx/ReduceL3-1"))]
#[case::another_type(|line: &mut Value| line["case"]["dtype"] = json!("f31"))]
#[case::another_verdict(|line: &mut Value| line["case"]["verdict"] = json!("passes"))]
#[case::two_verdicts(|line: &mut Value| line["case"]["verdict"] = json!({ "conforms": {}, "fails": { "kind": "fail", "lines": [] } }))]
#[case::an_unknown_kind(|line: &mut Value| line["case"]["verdict"] = json!({ "fails": { "kind": "sad", "lines": [] } }))]
#[case::a_line_of_one_part(|line: &mut Value| line["case"]["verdict"] = json!({ "fails": { "kind": "fail", "lines": [["call"]] } }))]
#[case::a_negative_count(|line: &mut Value| line["case"]["verdict"]["conforms"]["accuracy"]["elements"] = json!(-1))]
#[case::an_unknown_class(|line: &mut Value| line["case"]["verdict"]["conforms"]["accuracy"]["class"] = json!("good"))]
#[case::odd_digits(|line: &mut Value| line["case"]["answer"]["tensor"]["bits"] = json!("0"))]
#[case::two_lines_in_one(|line: &mut Value| line["end"] = json!({}))]
#[case::an_unknown_line(|line: &mut Value| *line = json!({ "cas": line["case"] }))]
fn a_broken_line_does_not_suit_the_schema(#[case] breaks: fn(&mut Value)) {
    let accuracy = json!({
        "class": "faithful", "worst": 0.5, "mean": 0.1, "elements": 1, "out-of-range": 0, "terms": 2,
        "against": "sums f32",
    });
    let mut line = json!({ "case": {
        "name": "a",
        "spec": "openvino/ReduceL1-4",
        "dtype": "f32",
        "clauses": ["norm"],
        "call": "a call",
        "verdict": { "conforms": { "readings": ["float-range=naive"], "accuracy": accuracy } },
        "answer": { "tensor": { "dtype": "u8", "shape": [1], "bits": "00" } },
    } });
    assert!(schema().is_valid(&line));
    breaks(&mut line);
    assert!(!schema().is_valid(&line), "{line}");
}

#[test]
fn a_verdict_that_is_not_what_its_answer_shows_is_told_and_not_believed() {
    let recorded = recorded();
    let honest = show(&recorded, &[]).exits_with(1);
    assert_eq!(honest.err, "");
    let text = fs::read_to_string(&recorded.record).unwrap();
    let name = "openvino-l1-all-of-a-vector/ReduceL1-4/f32";
    let line = text.lines().find(|line| line.contains(&format!("\"case\":{{\"name\":\"{name}\""))).unwrap();
    let mut forged: Value = serde_json::from_str(line).unwrap();
    forged["case"]["verdict"] = json!({ "conforms": {} });
    let forged = text.replace(line, &forged.to_string());
    // The end counts verdicts, so forge that as well.
    fs::write(&recorded.record, &forged).unwrap();
    let refused = show(&recorded, &[]).exits_with(2);
    assert!(refused.err.contains("of cases expected "), "{}", refused.err);
    let end = forged.lines().last().unwrap();
    let mut counts: Value = serde_json::from_str(end).unwrap();
    for (count, more) in [("conforms", 1), ("fails", -1)] {
        let count = &mut counts["end"]["cases"][count];
        *count = json!(count.as_i64().unwrap() + more);
    }
    fs::write(&recorded.record, forged.replace(end, &counts.to_string())).unwrap();

    let shown = show(&recorded, &[]).exits_with(1);
    assert_eq!(shown.out, honest.out);
    assert!(
        shown.err.contains(&format!(": 2 lines of the record, the first about {name}, say something else")),
        "{}",
        shown.err
    );
    assert_eq!(show(&recorded, &["--quiet"]).exits_with(1).err, "");
}

#[test]
fn a_run_goes_on_where_it_began_on_the_same_machine() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    let few = |more: &[&str]| {
        let few = ["conformance", "--backend", "ndarray", "--spec", "bnns", "--property", "20", "--record"];
        xtask(&[&few, [record.to_str().unwrap()].as_slice(), more].concat()).output().unwrap()
    };
    assert!(few(&[]).status.success());
    let text = fs::read_to_string(&record).unwrap();
    let here = format!("\"os\":\"{}\"", std::env::consts::OS);
    assert!(text.contains(&here));

    // A resumed run must be on the same machine, because the header holds for all its answers.
    let elsewhere = text.replace(&here, "\"os\":\"plan9\"");
    fs::write(&record, &elsewhere[..elsewhere.len() / 2]).unwrap();
    let resumed = few(&["--resume"]);
    let said = String::from_utf8(resumed.stderr).unwrap();
    assert_eq!(resumed.status.code(), Some(2));
    assert!(
        said.contains("expected the record of the same run, got one of another: machines was "),
        "{said}"
    );
    fs::write(&record, &text[..text.len() / 2]).unwrap();
    let patient = String::from_utf8(few(&["--resume", "--timeout", "11"]).stderr).unwrap();
    assert!(patient.contains("expected the record of the same run, got one of another: "), "{patient}");
    assert!(few(&["--resume"]).status.success());
    assert_eq!(undated_text(&fs::read_to_string(&record).unwrap()), undated_text(&text));
}
