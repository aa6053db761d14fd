//! Derives the JSON Schema (draft 2020-12) of a line from the types that serde reads.
//!
//! Lists of names come from the tables that define them. Only the reader checks what a schema cannot: the order
//! of lines, the number of elements in a shape, and the counts of the end.

use schemars::Schema;
use schemars::generate::SchemaSettings;

use super::line::Line;

/// Returns the schema of a line.
pub fn line() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Line>()
}
