//! Schemas and pages that `cargo xtask cases lock` writes beside the lock: the JSON Schemas of the corpus's files,
//! that of a record, for programs, and the page that explains cases. All are generated from the types that read the
//! files, so they are not edited by hand.

mod markdown;

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use anyhow::{Context as _, Result};
use normative_conformance::corpus::schema::{case_file, kernel_file, ledger_file};
use normative_conformance::outside;
use normative_conformance::report::record::schema::line;

use normative::home;
use normative::select::workspace_root;

/// Writes the files, or with `check` only names those that are out of date. Returns true if there were any.
pub(super) fn write(out: &mut dyn Write, check: bool) -> Result<bool> {
    let mut stale = false;
    for (name, text) in made()? {
        let file = workspace_root().join(name);
        if written(&file)?.as_deref() == Some(text.as_str()) {
            continue;
        }
        stale = true;
        if check {
            writeln!(
                out,
                "{}: is not what the types say; run {} cases lock",
                file.display(),
                home::program()
            )?;
        } else {
            fs::write(&file, text).context(name)?;
            writeln!(out, "wrote {}", file.display())?;
        }
    }
    Ok(stale)
}

/// Returns the files, by their paths from the root of this repository, and their texts.
fn made() -> Result<[(&'static str, String); 5]> {
    let text = |schema| -> Result<String> { Ok(serde_json::to_string_pretty(&schema)? + "\n") };
    Ok([
        ("cases/schema/case.schema.json", text(case_file())?),
        ("cases/schema/kernels.schema.json", text(kernel_file())?),
        ("cases/schema/clauses.schema.json", text(ledger_file())?),
        ("conformance/record.schema.json", text(line())?),
        ("docs/case-format.md", markdown::page(&workspace_root().join("cases"))?),
    ])
}

/// Returns the text of a file, or `None` if it does not exist.
fn written(file: &Path) -> Result<Option<String>> {
    match outside::text(file, outside::WRITTEN) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| file.display().to_string()),
    }
}

#[cfg(test)]
mod tests;
