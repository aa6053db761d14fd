//! Checks on the words of a file: titles, ids, lists of names.

use std::collections::BTreeSet;

use normative_reference::{Dtype, Spec};

use super::error::Problem;

/// A text that says something on one line.
pub(crate) fn title(field: &'static str, text: &str) -> Result<(), Problem> {
    if text.trim().contains('\n') { Err(Problem::Text { field }) } else { filled(field, text) }
}

/// A text that says something.
pub(crate) fn filled(field: &'static str, text: &str) -> Result<(), Problem> {
    if text.trim().is_empty() { Err(Problem::Text { field }) } else { Ok(()) }
}

/// Distinct specs, at least one.
pub(super) fn specs(field: &'static str, names: &[String]) -> Result<Vec<Spec>, Problem> {
    distinct(field, names)?;
    let known = |name: &String| {
        Spec::from_name(name).ok_or_else(|| Problem::UnknownSpec { field, name: name.clone() })
    };
    names.iter().map(known).collect()
}

/// At least one name, and none twice.
pub(crate) fn distinct(field: &'static str, names: &[String]) -> Result<(), Problem> {
    if names.is_empty() {
        return Err(Problem::EmptyList { field });
    }
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(Problem::Repeated { field, name: name.clone() }),
        None => Ok(()),
    }
}

/// Lower-case words and digits joined by '-'.
pub(super) fn well_formed(field: &'static str, name: &str) -> Result<(), Problem> {
    let word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if name.split('-').all(word) { Ok(()) } else { Err(Problem::BadName { field, name: name.to_owned() }) }
}

/// Distinct element types, at least one.
pub(super) fn dtypes(field: &'static str, names: &[String]) -> Result<Vec<Dtype>, Problem> {
    distinct(field, names)?;
    let known = |name: &String| {
        Dtype::from_name(name).ok_or_else(|| Problem::UnknownDtype { field, name: name.clone() })
    };
    names.iter().map(known).collect()
}
