use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use normative::select::workspace_root;
use normative_conformance::corpus::number::{self, NumberError};
use normative_conformance::corpus::{load, load_ledger, load_text};
use normative_conformance::display::operator;
use normative_conformance::drive::Flake;
use normative_conformance::judge::accuracy::Class;
use normative_conformance::reference::{Dtype, Family, Question, Spec};
use normative_conformance::report::finding::FindingKind;
use normative_conformance::report::record::line::Split;
use normative_conformance::report::record::{
    Counts, End, FORMAT, Header, Line, Machine, Options, Probe, RecordedAccuracy, RecordedBackend,
    RecordedEntry, RecordedVerdict, Resettled, Smaller, WorkerFile, Written,
};
use proptest::prelude::*;
use rstest::rstest;
use serde::de::DeserializeOwned;
use serde_json::{Map, json};

use super::*;
use crate::cases::content::Source;

fn corpus() -> PathBuf {
    workspace_root().join("cases")
}

fn record() -> Value {
    let text = fs::read_to_string(workspace_root().join("conformance/record.schema.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Returns the schemas, with the words that begin a message.
fn schemas() -> [(&'static str, Value); 4] {
    [
        ("case file", case_file().unwrap()),
        ("table", kernel_file().unwrap()),
        ("ledger", ledger_file().unwrap()),
        ("record", record()),
    ]
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).unwrap()
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
fn every_committed_file_suits_its_schema() {
    let (cases, tables, ledgers) = (
        validator(&case_file().unwrap()),
        validator(&kernel_file().unwrap()),
        validator(&ledger_file().unwrap()),
    );
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
    assert_eq!(validator(&case_file().unwrap()).is_valid(&json(&text)), good, "the schema, on\n{text}");
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
    let schema = validator(&case_file().unwrap());
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
    assert_eq!(validator(&ledger_file().unwrap()).is_valid(&json(&text)), good, "the schema, on\n{text}");
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
    for (name, schema) in schemas() {
        undescribed(&schema, name, &mut found);
    }
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn nothing_in_a_corpus_file_defaults_to_null() {
    for (name, schema) in schemas().into_iter().filter(|(name, _)| *name != "record") {
        assert!(
            !schema.to_string().contains(r#""default":null"#),
            "{name}: null is refused where it is not listed"
        );
    }
}

/// Collects every list of names in a schema, behind the name of its field.
fn lists<'s>(schema: &'s Value, field: &'s str, found: &mut Vec<(&'s str, Vec<&'s str>)>) {
    for (key, value) in schema.as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("enum", Value::Array(names)) if names.iter().all(Value::is_string) => {
                found.push((field, names.iter().filter_map(Value::as_str).collect()));
            }
            ("properties", Value::Object(fields)) => {
                fields.iter().for_each(|(name, one)| lists(one, name, found));
            }
            (_, Value::Array(all)) => all.iter().for_each(|one| lists(one, field, found)),
            _ => lists(value, field, found),
        }
    }
}

#[test]
fn lists_of_names_are_those_of_the_tables() {
    let words = |spec: Spec| {
        let family = spec.family().name();
        let version = spec.name().strip_prefix(operator(spec)).unwrap_or_default();
        [family.to_owned(), format!("{family}{version}"), operator(spec).to_owned()]
    };
    let versions: BTreeSet<String> = Spec::ALL.into_iter().flat_map(words).collect();
    let specs = Spec::ALL.map(Spec::name).map(str::to_owned);
    let or_words: BTreeSet<String> = versions.iter().chain(&specs).cloned().collect();
    let classes = Class::DEMANDED.into_iter().chain([Class::Vacuous]);
    for (file, schema) in schemas() {
        let mut found = Vec::new();
        lists(&schema, "", &mut found);
        assert!(found.len() > 2, "{file}");
        for (field, names) in found {
            let due: Vec<&str> = match field {
                "spec" => Spec::ALL.map(Spec::name).to_vec(),
                "specs" | "specs_ja" => or_words.iter().map(String::as_str).collect(),
                "l1" | "l2" | "sum-square" => versions.iter().map(String::as_str).collect(),
                "dtype" | "dtypes" | "but" | "accumulation" => Dtype::ALL.map(Dtype::name).to_vec(),
                "questions" => Question::ALL.map(Question::name).to_vec(),
                "families" | "values-alone" | "left-out" => Family::ALL.map(Family::name).to_vec(),
                "class" => classes.clone().map(Class::name).collect(),
                _ => panic!("{file}: no table for the names of {field}"),
            };
            assert_eq!(names, due, "{file}: {field}");
        }
    }
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn questions_and_families_are_those_of_the_tables() {
    let schema = case_file().unwrap();
    let open = &schema["$defs"]["Expect"]["properties"]["open"]["properties"];
    assert_eq!(keys(open), Question::ALL.map(Question::name));
    for question in Question::ALL {
        let one = &open[question.name()];
        let readings: Vec<&str> = question.readings().iter().map(|reading| reading.name()).collect();
        assert_eq!(
            (keys(&one["properties"]), one["description"].as_str()),
            (readings, Some(question.asks()))
        );
    }
    let tables = kernel_file().unwrap();
    assert_eq!(keys(&tables["properties"]["clauses"]["properties"]), Family::ALL.map(Family::name));
}

/// Returns the names that a type knows, as its reader lists them for an unknown one.
fn known<T: DeserializeOwned>(unknown: &str) -> Vec<String> {
    let Err(error) = serde_json::from_str::<T>(unknown) else { panic!("{unknown} is read") };
    error.to_string().split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

#[test]
fn fields_of_a_record_are_those_that_its_reader_knows() {
    let schema = record();
    let fields = r#"{"?": 0}"#;
    for (name, due) in [
        ("Header", known::<Header>(fields)),
        ("Backend", known::<RecordedBackend>(fields)),
        ("Machine", known::<Machine>(fields)),
        ("WorkerFile", known::<WorkerFile>(fields)),
        ("Options", known::<Options>(fields)),
        ("Entry", known::<RecordedEntry>(fields)),
        ("Accuracy", known::<RecordedAccuracy>(fields)),
        ("Probe", known::<Probe>(fields)),
        ("Resettled", known::<Resettled>(fields)),
        ("Smaller", known::<Smaller>(fields)),
        ("Flake", known::<Flake>(fields)),
        ("End", known::<End>(fields)),
        ("Counts", known::<Counts>(fields)),
        ("Split", known::<Split>(fields)),
    ] {
        assert_eq!(keys(&schema["$defs"][name]["properties"]), due, "{name}");
    }
    for (name, ways, due) in [
        ("Line", &schema["oneOf"], known::<Line>(fields)),
        ("Verdict", &schema["$defs"]["Verdict"]["oneOf"], known::<RecordedVerdict>(fields)),
        ("Answer", &schema["$defs"]["Answer"]["oneOf"], known::<Written>(fields)),
        ("Kind", &schema["$defs"]["Kind"]["oneOf"], known::<FindingKind>(r#""?""#)),
    ] {
        let ways = ways.as_array().unwrap().iter();
        let named =
            |way: &Value| way["const"].as_str().or_else(|| way["required"][0].as_str()).map(str::to_owned);
        assert_eq!(ways.filter_map(named).collect::<Vec<_>>(), due, "{name}");
    }
    assert_eq!(schema["$defs"]["Header"]["properties"]["format"]["const"], FORMAT);
}

proptest! {
    #[test]
    fn schema_and_reader_agree_on_what_a_number_is(
        text in "(bits:)?(-|0|1|\\.|0x)?[-+.0-9a-fxpei]{0,6}|-?\\.(inf|nan)|tiny|normal|max|min|inf|nan"
    ) {
        let numbers = validator(&json!({ "$ref": "#/$defs/Number", "$defs": case_file().unwrap()["$defs"] }));
        let read = number::parse(&text, Dtype::F64) != Err(NumberError::Syntax);
        prop_assert_eq!(numbers.is_valid(&Value::String(text)), read);
    }
}
