//! The JSON Schema (draft 2020-12) of a line, derived from the types that serde reads.
//!
//! Names are listed from the tables they come from. What a schema cannot see stays the reader's: the order of
//! lines, whether elements fill their shape, whether the counts of the end are those of the lines.

use normative_reference::{Dtype, Family, Spec};
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator, json_schema};

use super::FORMAT;
use super::line::Line;
use crate::judge::accuracy::Class;

/// The schema of a line.
pub fn line() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Line>()
}

pub(super) fn format(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "const": FORMAT })
}

pub(super) fn spec(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": Spec::ALL.map(Spec::name) })
}

pub(super) fn families(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "enum": Family::ALL.map(Family::name) }, "uniqueItems": true })
}

pub(super) fn dtype(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": Dtype::ALL.map(Dtype::name) })
}

pub(super) fn dtype_pairs(generator: &mut SchemaGenerator) -> Schema {
    let dtype = dtype(generator);
    let pair = json_schema!({ "type": "array", "prefixItems": [dtype, dtype], "minItems": 2, "maxItems": 2 });
    json_schema!({ "type": "array", "items": pair })
}

pub(super) fn class(_: &mut SchemaGenerator) -> Schema {
    let classes: Vec<&str> = Class::DEMANDED.into_iter().chain([Class::Vacuous]).map(Class::name).collect();
    json_schema!({ "enum": classes })
}
