use std::path::PathBuf;

use jsonschema::Validator;
use normative_conformance::corpus::number::{self, NumberError};
use normative_conformance::corpus::{load, load_ledger, load_text};
use normative_conformance::reference::Dtype;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Map, Value, json};

use super::*;
use crate::cases::content::Source;

fn corpus() -> PathBuf {
    workspace_root().join("cases")
}

fn validator(schema: impl serde::Serialize) -> Validator {
    jsonschema::draft202012::new(&serde_json::to_value(schema).unwrap()).unwrap()
}

/// Converts YAML to JSON for the validator; a float that JSON lacks becomes text.
fn json(text: &str) -> Value {
    fn convert(value: serde_yaml::Value) -> Value {
        use serde_yaml::Value as Yaml;
        match value {
            Yaml::Null => Value::Null,
            Yaml::Bool(flag) => flag.into(),
            Yaml::Number(number) if number.is_nan() => ".nan".into(),
            Yaml::Number(number) if number.is_infinite() => {
                if number.as_f64() < Some(0.0) {
                    "-.inf".into()
                } else {
                    ".inf".into()
                }
            }
            Yaml::Number(number) => serde_json::to_value(number).unwrap(),
            Yaml::String(text) => text.into(),
            Yaml::Sequence(list) => list.into_iter().map(convert).collect(),
            Yaml::Mapping(map) => {
                let key = |key| match convert(key) {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                map.into_iter().map(|(name, value)| (key(name), convert(value))).collect::<Map<_, _>>().into()
            }
            Yaml::Tagged(_) => panic!("the corpus has no tags"),
        }
    }
    convert(serde_yaml::from_str(text).unwrap())
}

/// Finds the files below a folder that the loader reads.
fn yaml_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            yaml_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
}

#[test]
fn committed_schemas_are_what_the_types_say() {
    for (name, text) in made().unwrap() {
        let committed = fs::read_to_string(workspace_root().join(name)).unwrap();
        assert!(committed == text, "{name} is stale: run cargo xtask cases lock");
    }
}

#[test]
fn every_committed_file_suits_its_schema() {
    let (cases, tables, ledgers) =
        (validator(case_file()), validator(kernel_file()), validator(ledger_file()));
    let mut files = Vec::new();
    yaml_files(&corpus(), &mut files);
    // The files in `sources` hold fingerprints, which only `cargo xtask cases lint` reads.
    files.retain(|file| !file.parent().is_some_and(|folder| folder.ends_with("sources")));
    assert!(files.len() > 50, "{} files", files.len());
    for file in files {
        let of_ledger = file.parent().is_some_and(|folder| folder.ends_with("clauses"));
        let schema = match Source::of_cases(&file) {
            _ if of_ledger => &ledgers,
            Source::Kernels => &tables,
            _ => &cases,
        };
        let instance = json(&fs::read_to_string(&file).unwrap());
        let errors: Vec<String> = schema
            .iter_errors(&instance)
            .map(|error| format!("{}: {}: {error}", file.display(), error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{}", errors.join("\n"));
    }
}

const HEAD: &str = "topic: A topic\nspecs: [onnx/ReduceL1-18]\ncases:\n";

/// Makes a file of one case. The fields after `dtypes` are the parameters.
fn one_case(id: &str, data: &str, rest: &str) -> String {
    format!(
        "{HEAD}  - id: {id}\n    clauses: [norm]\n    why: It may.\n    dtypes: [f32]\n    data: {data}\n    {rest}\n"
    )
}

/// Checks that the loader and the schema agree on a file.
#[rstest]
#[case::values("{shape: [1], values: [1]}", "expect: {shape: [1], values: [0x1p-149]}", true)]
#[case::special_numbers(
    "{shape: [3], values: [.nan, -.inf, bits:0x1]}",
    "expect: {shape: [1], repeat: max}",
    true
)]
#[case::null_axes("{shape: [], repeat: 1}", "axes: null\n    expect: {unchanged: true}", true)]
#[case::single_results(
    "{shape: [], repeat: 1}",
    "expect: {shape: [], reference: true, roots_at: {0: 1}}",
    true
)]
#[case::elements_of_no_result("{shape: [], repeat: 1}", "expect: {shape: [], values: [1], at: {}}", true)]
#[case::readings(
    "{shape: [], repeat: 1}",
    "expect: {open: {empty-axes-attribute: {reduce-all: {shape: [], roots: [1]}, reduce-none: {shape: [1], repeat: 1}}}}",
    true
)]
#[case::readings_of_one_shape(
    "{shape: [], repeat: 1}",
    "expect: {shape: [], open: {duplicate-axes: {collapse: [1], reject: {rejected: axes}}}}",
    true
)]
#[case::reading_that_is_a_list_of_no_shape(
    "{shape: [], repeat: 1}",
    "expect: {open: {duplicate-axes: {collapse: [1], reject: {rejected: axes}}}}",
    false
)]
#[case::reading_of_no_shape(
    "{shape: [], repeat: 1}",
    "expect: {open: {duplicate-axes: {collapse: {repeat: 1}, reject: {rejected: axes}}}}",
    false
)]
#[case::shape_in_a_reading_and_beside(
    "{shape: [], repeat: 1}",
    "expect: {shape: [], open: {duplicate-axes: {collapse: {shape: [], repeat: 1}, reject: {rejected: axes}}}}",
    false
)]
#[case::reading_that_is_a_map_of_values_alone(
    "{shape: [], repeat: 1}",
    "expect: {shape: [], open: {duplicate-axes: {collapse: {values: [1]}, reject: {rejected: axes}}}}",
    false
)]
#[case::reading_with_digits(
    "{shape: [], repeat: 1}",
    "expect: {shape: [], open: {duplicate-axes: {collapse: {values: [1], printed: [1.0]}, reject: {rejected: axes}}}}",
    true
)]
#[case::readings_beside_their_question(
    "{shape: [], repeat: 1}",
    "expect: {open: duplicate-axes, readings: {collapse: {shape: [], values: [1]}, reject: {rejected: axes}}}",
    false
)]
#[case::two_questions(
    "{shape: [], repeat: 1}",
    "expect: {open: {duplicate-axes: {collapse: {unchanged: true}, reject: {rejected: axes}}, empty-set: {}}}",
    false
)]
#[case::unknown_field("{shape: [], repeat: 1}", "colour: red\n    expect: {unchanged: true}", false)]
#[case::two_fillings("{shape: [], repeat: 1, values: [1]}", "expect: {unchanged: true}", false)]
#[case::no_filling("{shape: []}", "expect: {unchanged: true}", false)]
#[case::nothing_to_cycle("{shape: [0], cycle: []}", "expect: {unchanged: true}", false)]
#[case::null_filling("{shape: [], repeat: 1, random: null}", "expect: {unchanged: true}", false)]
#[case::negative_dim("{shape: [-1], repeat: 1}", "expect: {unchanged: true}", false)]
#[case::index_that_is_a_word(
    "{shape: [1], repeat: 1, except: {first: 2}}",
    "expect: {unchanged: true}",
    false
)]
#[case::seedless("{shape: [1], random: {low: 0, high: 1}}", "expect: {unchanged: true}", false)]
#[case::octal_number("{shape: [1], values: ['01']}", "expect: {unchanged: true}", false)]
#[case::word_for_a_number("{shape: [1], values: [one]}", "expect: {unchanged: true}", false)]
#[case::null_attribute("{shape: [], repeat: 1}", "keep_dims: null\n    expect: {unchanged: true}", false)]
#[case::axes_of_no_form("{shape: [], repeat: 1}", "axes: 0\n    expect: {unchanged: true}", false)]
#[case::axes_tensor_without_dtypes(
    "{shape: [], repeat: 1}",
    "axes: {shape: [], values: [0]}\n    expect: {unchanged: true}",
    false
)]
#[case::two_forms("{shape: [], repeat: 1}", "expect: {unchanged: true, rejected: axes}", false)]
#[case::no_form("{shape: [], repeat: 1}", "expect: {shape: []}", false)]
#[case::form_without_shape("{shape: [], repeat: 1}", "expect: {values: [1]}", false)]
#[case::shape_of_a_refusal("{shape: [], repeat: 1}", "expect: {rejected: axes, shape: []}", false)]
#[case::false_flag("{shape: [], repeat: 1}", "expect: {unchanged: false}", false)]
#[case::elements_beside_values(
    "{shape: [], repeat: 1}",
    "expect: {shape: [], values: [1], at: {0: 1}}",
    false
)]
#[case::unknown_question("{shape: [], repeat: 1}", "expect: {open: {weather: {}}}", false)]
#[case::open_without_a_question("{shape: [], repeat: 1}", "expect: {open: {}}", false)]
#[case::reading_left_out(
    "{shape: [], repeat: 1}",
    "expect: {open: {duplicate-axes: {reject: {rejected: axes}}}}",
    false
)]
#[case::reading_of_another_question(
    "{shape: [], repeat: 1}",
    "expect: {open: {duplicate-axes: {collapse: {unchanged: true}, wrap: {rejected: axes}}}}",
    false
)]
#[case::open_reading(
    "{shape: [], repeat: 1}",
    "expect: {open: {duplicate-axes: {collapse: {open: {}}, reject: {rejected: axes}}}}",
    false
)]
fn schema_and_loader_agree_on_a_case(#[case] data: &str, #[case] rest: &str, #[case] good: bool) {
    let text = one_case("onnx-l1-one", data, rest);
    assert_eq!(load_text(Path::new("one.yaml"), &text).is_ok(), good, "the loader, on\n{text}");
    assert_eq!(validator(case_file()).is_valid(&json(&text)), good, "the schema, on\n{text}");
}

#[rstest]
#[case::empty_topic("topic: A topic", "topic: ' '")]
#[case::topic_of_two_lines("topic: A topic", "topic: |\n  A\n  topic")]
#[case::no_cases("cases:\n", "cases: []\nx:\n")]
#[case::unknown_spec("onnx/ReduceL1-18", "onnx/ReduceL3-18")]
#[case::no_spec("specs: [onnx/ReduceL1-18]", "specs: []")]
#[case::id_in_capitals("onnx-l1-one", "onnx-l1-One")]
#[case::id_that_ends_in_a_hyphen("onnx-l1-one", "onnx-l1-one-")]
#[case::dtype_twice("[f32]", "[f32, f32]")]
#[case::unknown_dtype("[f32]", "[f31]")]
#[case::no_clause("[norm]", "[]")]
#[case::clause_name_with_a_space("[norm]", "[the norm]")]
#[case::empty_why("It may.", "''")]
#[case::id_left_out("id: onnx-l1-one\n    ", "")]
fn schema_and_loader_refuse_a_broken_word(#[case] word: &str, #[case] broken: &str) {
    let good = one_case("onnx-l1-one", "{shape: [], repeat: 1}", "expect: {unchanged: true}");
    let schema = validator(case_file());
    assert!(load_text(Path::new("one.yaml"), &good).is_ok() && schema.is_valid(&json(&good)));
    let text = good.replacen(word, broken, 1);
    assert!(text != good && load_text(Path::new("one.yaml"), &text).is_err(), "the loader, on\n{text}");
    assert!(!schema.is_valid(&json(&text)), "the schema, on\n{text}");
}

#[rstest]
#[case::determined("level: determined", true)]
#[case::open("level: open\n    questions: [duplicate-axes]", true)]
#[case::open_without_question("level: open", false)]
#[case::question_of_a_decided_clause("level: determined\n    questions: [duplicate-axes]", false)]
#[case::unknown_question("level: open\n    questions: [weather]", false)]
#[case::unknown_level("level: vague", false)]
#[case::null_specs("level: determined\n    specs: null", false)]
fn schema_and_loader_agree_on_a_clause(#[case] fields: &str, #[case] good: bool) {
    let text = format!(
        "source: A\nspecs: [onnx/ReduceL1-18]\nclauses:\n  - name: norm\n    says: It is.\n    where: Here\n    {fields}\n"
    );
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("one.yaml"), &text).unwrap();
    assert_eq!(load_ledger(folder.path()).is_ok(), good, "the loader, on\n{text}");
    assert_eq!(validator(ledger_file()).is_valid(&json(&text)), good, "the schema, on\n{text}");
}

#[test]
fn loader_passes_over_the_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let text = one_case("onnx-l1-one", "{shape: [], repeat: 1}", "expect: {unchanged: true}");
    fs::write(folder.path().join("one.yaml"), text).unwrap();
    fs::create_dir(folder.path().join("schema")).unwrap();
    fs::write(folder.path().join("schema/example.yaml"), "no case file").unwrap();
    assert_eq!(load(folder.path()).unwrap().cases.len(), 1);
}

/// Collects every field of a schema without a description.
fn undescribed(schema: &Value, at: &str, found: &mut Vec<String>) {
    let definitions = schema["$defs"].as_object().into_iter().flatten();
    for (name, definition) in definitions.map(|(name, one)| (name.as_str(), one)).chain([(at, schema)]) {
        for (field, one) in definition["properties"].as_object().into_iter().flatten() {
            if one["description"].as_str().is_none_or(str::is_empty) {
                found.push(format!("{name}.{field}"));
            }
        }
    }
}

#[test]
fn every_field_is_described() {
    let mut found = Vec::new();
    undescribed(case_file().as_value(), "case file", &mut found);
    undescribed(ledger_file().as_value(), "ledger", &mut found);
    undescribed(line().as_value(), "record", &mut found);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn nothing_defaults_to_null() {
    for (name, text) in made().unwrap().into_iter().filter(|(name, _)| name.starts_with("cases")) {
        assert!(!text.contains(r#""default": null"#), "{name}: null is refused where it is not listed");
    }
}

proptest! {
    #[test]
    fn schema_and_reader_agree_on_what_a_number_is(
        text in "(bits:)?(-|0|1|\\.|0x)?[-+.0-9a-fxpei]{0,6}|-?\\.(inf|nan)|tiny|normal|max|min|inf|nan"
    ) {
        let numbers = validator(json!({ "$ref": "#/$defs/Number", "$defs": case_file().as_value()["$defs"] }));
        let read = number::parse(&text, Dtype::F64) != Err(NumberError::Syntax);
        prop_assert_eq!(numbers.is_valid(&Value::String(text)), read);
    }
}

#[test]
fn a_row_of_a_table_is_one_line_that_says_what_a_field_left_out_is() {
    let page = markdown::page(&corpus()).unwrap();
    let is_row = |line: &&str| line.starts_with('|');
    assert!(page.lines().filter(is_row).all(|line| line.ends_with('|')));
    let kept = page.lines().find(|line| line.starts_with("| `keep_dims` |")).unwrap();
    assert!(kept.contains("| absent, which is not the same as false |"), "{kept}");
}
