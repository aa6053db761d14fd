//! The JSON Schemas (draft 2020-12) of the corpus's files, as `cases/schema` has them for editors.
//!
//! They are written by hand, beside the types that read the files; tests hold the two together. The loader alone checks
//! if attributes are those of the specs, numbers fit their dtypes, lists fill their shapes, and readings are in order.
//! It also checks spellings of plain scalars, because a schema sees only the parsed YAML.

use serde_json::{Result, Value};

/// Returns the schema of a case file.
///
/// # Errors
/// The committed file is not JSON.
pub(crate) fn case_file() -> Result<Value> {
    serde_json::from_str(include_str!("../../../cases/schema/case.schema.json"))
}

/// Returns the schema of a table of kernels.
///
/// # Errors
/// The committed file is not JSON.
pub(crate) fn kernel_file() -> Result<Value> {
    serde_json::from_str(include_str!("../../../cases/schema/kernels.schema.json"))
}

/// Returns the schema of a clause ledger.
///
/// # Errors
/// The committed file is not JSON.
pub(crate) fn ledger_file() -> Result<Value> {
    serde_json::from_str(include_str!("../../../cases/schema/clauses.schema.json"))
}

#[cfg(test)]
mod tests;
