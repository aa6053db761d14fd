//! Pieces of the [schema](super::schema) of a line; lists of names come from the tables that define them.

use normative_reference::{Dtype, Family, Spec};
use schemars::{Schema, SchemaGenerator, json_schema};

use super::format::FORMAT;
use crate::judge::accuracy::Class;

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
