//! The JSON Schemas (draft 2020-12) of case files and clause ledgers, for editors.
//!
//! They are derived from the types that serde reads, so that fields cannot differ. Rules that serde leaves to
//! later checks (names, one form of several, companion fields) are made from the same tables. The loader alone
//! checks the rest: if attributes are those of the specs, numbers fit their dtypes, lists fill their shapes, and readings are in order. It also
//! checks spellings of plain scalars, because a schema sees only the parsed YAML.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;

use super::format::{Axes, AxesTensor, CaseFile, Expect, Listed, Number, Sparse, Stated};
use super::kernels::KernelFile;
use super::{clauses, number, pieces};

/// Returns the schema of a case file.
pub fn case_file() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<CaseFile>()
}

/// Returns the schema of a table of kernels.
pub fn kernel_file() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<KernelFile>()
}

/// Returns the schema of a clause ledger file.
pub fn ledger_file() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<clauses::LedgerFile>()
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let decimal = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?";
        let hexadecimal = r"-?0x[0-9a-fA-F]+(\.[0-9a-fA-F]+)?([pP][-+]?[0-9]+)?";
        let named = r"-?\.inf|\.nan|tiny|normal|max|min|bits:0x[0-9a-fA-F]+";
        json_schema!({
            "description": "A number, read exactly from its text and rounded once for each dtype of the case: \
                a decimal, a hexadecimal such as 0x1.8p3, .inf, -.inf, .nan, tiny, normal, max, min, or \
                bits:0x7fc00001.",
            "anyOf": [
                { "type": "number" },
                {
                    "type": "string",
                    "maxLength": number::MAX_LENGTH,
                    "pattern": format!("^({decimal}|{hexadecimal}|{named})$"),
                },
            ],
        })
    }
}

impl JsonSchema for Sparse {
    fn schema_name() -> Cow<'static, str> {
        "Sparse".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Single elements: flat row-major index, from 0, to number.",
            "type": "object",
            "propertyNames": { "pattern": "^[0-9]+$" },
            "additionalProperties": generator.subschema_for::<Number>(),
        })
    }
}

impl JsonSchema for Listed<Listed<Stated>> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Open".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        pieces::readings(&generator.subschema_for::<Stated>())
    }
}

impl JsonSchema for Stated {
    fn schema_name() -> Cow<'static, str> {
        "Reading".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut expect = generator.subschema_for::<Expect>();
        expect.insert("not".to_owned(), json!({ "required": ["open"] }));
        json_schema!({
            "description": "The values of the shape beside the question, or another expectation.",
            "oneOf": [{ "type": "array", "items": generator.subschema_for::<Number>() }, expect],
        })
    }
}

impl JsonSchema for Axes {
    fn schema_name() -> Cow<'static, str> {
        "Axes".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The axes handed over. Left out: absent. `null`: an input with the empty name, or \
                nil. A list: so many int64. A map: an axes tensor, one expansion per dtype.",
            "oneOf": [
                { "type": "null" },
                { "type": "array", "items": generator.subschema_for::<Number>() },
                generator.subschema_for::<AxesTensor>(),
            ],
        })
    }
}
