//! Writes a page that is made of other files, or checks that it is up to date.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use normative::{home, output};
use normative_conformance::outside;

/// Writes the text, or with `check` only says that the file is not what `sources` say and which command makes it so.
/// Returns true if the file differed.
pub(crate) fn write(file: &Path, text: &str, check: bool, sources: &str, command: &str) -> Result<bool> {
    let name = file.display();
    if outside::text_if_there(file, outside::WRITTEN).with_context(|| name.to_string())?.as_deref()
        == Some(text)
    {
        return Ok(false);
    }
    if check {
        output::print(&format!(
            "{name}: is not what the {sources} say; run {} {command}\n",
            home::program()
        ))?;
    } else {
        fs::write(file, text).with_context(|| name.to_string())?;
        output::print(&format!("wrote {name}\n"))?;
    }
    Ok(true)
}
