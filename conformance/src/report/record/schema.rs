//! The JSON Schema (draft 2020-12) of a line, derived from the types that serde reads.
//!
//! Names are listed from the tables they come from. What a schema cannot see stays the reader's: the order of
//! lines, whether elements fill their shape, whether the counts of the end are those of the lines.

use schemars::Schema;
use schemars::generate::SchemaSettings;

use super::line::Line;

/// The schema of a line.
pub fn line() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Line>()
}
