//! Whether an evidence folder is what its records give, and nothing was added, removed or changed.
//!
//! Three checks, each of which the next rests on: every file is as listed; the list is signed, where it is; and the records,
//! judged again, give every other file byte for byte. A list that was made anew over changed tables passes the first and fails
//! the last. Answers that were changed together with all that follows from them pass both: only a signature tells that.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use normative_conformance::display::plain;

use super::made::{FORMAT, IDENTITY, Identity, Input, Maker, REQUIREMENTS, record_name};
use super::{format_of, identity, manifest, signature};
use crate::select::Folder;

/// Runs the command. `cases` is where the cases are, if they are not the suite's own.
pub(super) fn main(
    folder: &Path,
    signers: Option<(&PathBuf, &String)>,
    cases: Option<PathBuf>,
) -> Result<ExitCode> {
    let (mut files, mut found) = manifest::files_below(folder)?;
    let list = files
        .remove(manifest::NAME)
        .with_context(|| format!("{}: there is no {}", folder.display(), manifest::NAME))?;
    let signed = files.remove(manifest::SIGNATURE).is_some();
    found.extend(manifest::differences(&list, &files));
    let mut out = std::io::stdout().lock();
    if found.is_empty() {
        writeln!(out, "files      {}, as listed in {}", files.len(), manifest::NAME)?;
        let by = of_signature(folder, signed, signers)?;
        writeln!(out, "signature  {}", by.as_deref().unwrap_or_else(|why| why))?;
        if by.is_err() {
            found.push(format!("{}: does not hold", manifest::SIGNATURE));
        }
    }
    if found.is_empty() {
        let (runs, differences) = rejudged(&files, cases)?;
        found = differences;
        if found.is_empty() {
            writeln!(out, "rejudged   {runs} records, which give every other file")?;
        }
    }
    for finding in &found {
        writeln!(out, "{}", plain(finding))?;
    }
    let verdict = if found.is_empty() { "verifies" } else { "does not verify" };
    writeln!(out, "{} {verdict}", folder.display())?;
    Ok(ExitCode::from(u8::from(!found.is_empty())))
}

/// What is to be said of the signature; an error where it does not hold, or one is demanded and is not there.
fn of_signature(
    folder: &Path,
    signed: bool,
    signers: Option<(&PathBuf, &String)>,
) -> Result<Result<String, String>> {
    if !signed {
        return Ok(match signers {
            None => Ok("none: nothing says who made this folder".to_owned()),
            Some((_, name)) => Err(format!("none, where one of {name} is demanded")),
        });
    }
    let (list, signature) = (folder.join(manifest::NAME), folder.join(manifest::SIGNATURE));
    let checked = signature::check(&list, &signature, signers)?;
    let unknown = if signers.is_none() { "; --allowed-signers says whose key counts" } else { "" };
    Ok(checked.map(|words| format!("{words}{unknown}")))
}

/// How many records there are, and every file that is not what they give.
fn rejudged(files: &BTreeMap<String, Vec<u8>>, cases: Option<PathBuf>) -> Result<(usize, Vec<String>)> {
    let Some(bytes) = files.get(IDENTITY) else { return Ok((0, vec![format!("{IDENTITY}: is not there")])) };
    if let Some(other) = format_of(bytes).filter(|&format| format != u64::from(FORMAT)) {
        bail!("{IDENTITY}: expected an evidence folder of format {FORMAT}, got format {other}");
    }
    let identity: Identity = match identity(bytes) {
        Ok(identity) => identity,
        Err(error) => return Ok((0, vec![format!("{error:#}")])),
    };
    let maker = Maker::over(&Folder::at(cases, identity.large))?;
    if !maker.suite().asks_the_same(&identity.suite) {
        bail!(
            "it was judged by other cases or clauses than these: by version {}, commit {}, corpus {}; here are version {}, \
             commit {}, corpus {}",
            plain(&identity.suite.version),
            plain(identity.suite.commit_in_words()),
            plain(&identity.suite.corpus),
            maker.suite().version,
            maker.suite().commit_in_words(),
            maker.suite().corpus,
        );
    }
    let mut records = Vec::new();
    for at in 0..identity.records {
        match files.get(&record_name(at)) {
            Some(bytes) => records.push(bytes.clone()),
            None => return Ok((at, vec![format!("{}: is not there", record_name(at))])),
        }
    }
    let requirements = files.get(REQUIREMENTS).filter(|_| identity.requirements).cloned();
    let input = Input { records, requirements };
    let made = match maker.made(&input, &identity, REQUIREMENTS) {
        Ok(made) => made,
        // The records say something that no run says.
        Err(error) => return Ok((identity.records, vec![format!("{error:#}")])),
    };
    let mut found = made.findings;
    let names: BTreeSet<&String> = made.files.keys().chain(files.keys()).collect();
    for name in names {
        match (files.get(name), made.files.get(name)) {
            (Some(there), Some(due)) if there == due => {}
            (Some(_), Some(_)) => found.push(format!("{name}: is not what the records give")),
            (Some(_), None) => found.push(format!("{name}: not a file of an evidence folder")),
            (None, _) => found.push(format!("{name}: is not there")),
        }
    }
    if !found.is_empty() && maker.suite() != &identity.suite {
        found.push(format!(
            "it was made by version {}, commit {}, and checked by commit {}: a suite of another commit may write other files",
            identity.suite.version,
            identity.suite.commit_in_words(),
            maker.suite().commit_in_words(),
        ));
    }
    Ok((identity.records, found))
}
