//! Pieces of the [schemas](super::schema): rules for single fields, and for fields that go together.
//!
//! Rules that serde leaves to later checks are made here from the same tables.

use std::collections::BTreeSet;

use normative_reference::{Dtype, Family, Question, Spec};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

use super::names;

/// Lower-case words and digits joined by '-'.
const NAME: &str = "^[a-z0-9]+(-[a-z0-9]+)*$";

/// Requires a nonempty text on one line.
pub(super) fn title(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": r"^\s*\S([^\n]*\S)?\s*$" })
}

/// Requires a nonempty text.
pub(super) fn filled(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": r"\S" })
}

/// Requires the name of a clause.
pub(super) fn name(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": NAME })
}

/// Requires names of clauses.
pub(super) fn names(generator: &mut SchemaGenerator) -> Schema {
    distinct(&name(generator))
}

/// Requires names of clauses for some families.
pub(super) fn names_by_family(generator: &mut SchemaGenerator) -> Schema {
    let families: Map<String, Value> =
        Family::ALL.iter().map(|family| (family.name().to_owned(), names(generator).to_value())).collect();
    json_schema!({ "type": "object", "properties": families, "additionalProperties": false })
}

/// Requires words that name specs in a table of kernels.
pub(super) fn versions(_: &mut SchemaGenerator) -> Schema {
    distinct(&json_schema!({ "enum": names::versions() }))
}

/// Requires a flag, or an integer that stands for none.
pub(super) fn keep(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [{ "type": "boolean" }, { "type": "integer", "not": { "enum": [0, 1] } }] })
}

/// Allows true and false, of which false means the same as nothing.
pub(super) fn boolean(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "boolean" })
}

/// Requires names of specs, or words that name several.
pub(super) fn specs_or_words(_: &mut SchemaGenerator) -> Schema {
    let specs = Spec::ALL.map(|spec| spec.name().to_owned());
    distinct(&json_schema!({ "enum": names::versions().into_iter().chain(specs).collect::<BTreeSet<_>>() }))
}

/// Requires names of element types.
pub(super) fn dtypes(_: &mut SchemaGenerator) -> Schema {
    distinct(&json_schema!({ "enum": Dtype::ALL.map(Dtype::name) }))
}

/// Requires names of questions.
pub(super) fn questions(_: &mut SchemaGenerator) -> Schema {
    distinct(&json_schema!({ "enum": Question::ALL.map(Question::name).to_vec() }))
}

/// Requires a flag that may be left out, but not be false.
pub(super) fn flag(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "const": true })
}

/// Requires at least one item, and none twice.
fn distinct(item: &Schema) -> Schema {
    json_schema!({ "type": "array", "items": item, "minItems": 1, "uniqueItems": true })
}

/// Removes `null` from every field of a struct: a field is there or left out.
pub(super) fn never_null(schema: &mut Schema) {
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for field in fields.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        if field.get("default") == Some(&Value::Null) {
            field.remove("default");
        }
        if let Some(Value::Array(kinds)) = field.get_mut("type") {
            kinds.retain(|kind| kind != "null");
            if let [only] = kinds.as_slice() {
                let only = only.clone();
                field.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(forms)) = field.get_mut("anyOf") {
            forms.retain(|form| *form != json!({ "type": "null" }));
            if let [Value::Object(only)] = forms.as_slice() {
                let only = only.clone();
                field.remove("anyOf");
                field.extend(only);
            }
        }
    }
}

/// Requires a case to have what no part of it may have alone, unless it has parts.
pub(super) fn parts(schema: &mut Schema) {
    part(schema);
    let own = json!({ "required": ["clauses", "why", "dtypes", "data", "expect"] });
    let ways = names::PARTS.map(|part| json!({ "required": [part] })).into_iter().chain([own]);
    schema.insert("anyOf".to_owned(), ways.collect());
}

/// Requires the shape of every tensor that `expect` has: in it, or else in each reading.
pub(super) fn part(schema: &mut Schema) {
    never_null(schema);
    let within =
        |reading: Value| json!({ "open": { "additionalProperties": { "additionalProperties": reading } } });
    let tensors =
        json!({ "values": ["shape"], "roots": ["shape"], "repeat": ["shape"], "reference": ["shape"] });
    let with_own = json!({ "type": "object", "dependentRequired": tensors });
    // A map of values has a reason to be one.
    let without = json!({ "properties": { "shape": false }, "dependentRequired": { "values": ["printed"] } });
    if let Some(expect) = schema.pointer_mut("/properties/expect").and_then(Value::as_object_mut) {
        expect.insert("if".to_owned(), json!({ "required": ["open", "shape"] }));
        expect.insert("then".to_owned(), json!({ "properties": within(without) }));
        expect.insert(
            "else".to_owned(),
            json!({ "dependentRequired": tensors, "properties": within(with_own) }),
        );
    }
}

/// Requires exactly one way to fill a tensor.
pub(super) fn one_filling(schema: &mut Schema) {
    never_null(schema);
    schema.insert("oneOf".to_owned(), one_of(&["values", "repeat", "cycle", "random", "pairs"]));
}

/// Requires exactly one form of `expect`, with its companions and nothing else.
pub(super) fn one_form(schema: &mut Schema) {
    never_null(schema);
    schema.insert("oneOf".to_owned(), one_of(names::FORMS));
    let no_tensor = json!({ "properties": { "shape": false, "printed": false } });
    let no_digits = json!({ "properties": { "printed": false } });
    let rules =
        json!({ "unchanged": no_tensor, "rejected": no_tensor, "outside": no_tensor, "open": no_digits });
    schema.insert("dependentSchemas".to_owned(), rules);
    let none = json!({ "maxProperties": 0 });
    let elements = json!({
        "anyOf": [{ "required": ["reference"] }, { "properties": { "at": none, "roots_at": none, "unbiased": false } }],
    });
    schema.insert("allOf".to_owned(), json!([elements]));
}

/// Requires one question, and at least two of its own readings.
pub(super) fn readings(stated: &Schema) -> Schema {
    let readings = |question: Question| {
        let names = question.readings().iter().map(|reading| reading.name().to_owned());
        let readings: Map<String, Value> = names.map(|name| (name, stated.clone().to_value())).collect();
        let readings = json!({
            "description": question.asks(),
            "type": "object",
            "properties": readings,
            "additionalProperties": false,
            "minProperties": 2,
        });
        (question.name().to_owned(), readings)
    };
    let questions: Map<String, Value> = Question::ALL.into_iter().map(readings).collect();
    json_schema!({
        "type": "object",
        "properties": questions,
        "additionalProperties": false,
        "minProperties": 1,
        "maxProperties": 1,
    })
}

/// Requires questions for an open clause, and forbids them for others.
pub(super) fn questions_if_open(schema: &mut Schema) {
    never_null(schema);
    schema.insert("if".to_owned(), json!({ "properties": { "level": { "const": "open" } } }));
    schema.insert("then".to_owned(), json!({ "required": ["questions"] }));
    schema.insert("else".to_owned(), json!({ "properties": { "questions": false } }));
}

fn one_of(fields: &[&str]) -> Value {
    fields.iter().map(|field| json!({ "required": [field] })).collect()
}
