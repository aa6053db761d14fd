//! Signatures of the list of files, made and checked by `ssh-keygen`, which comes with OpenSSH.
//!
//! A signature lies beside what it signs and says which key made it. Whose key that is, only the reader can know: a file of
//! allowed signers names those whose signatures count.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result, bail};
use normative_conformance::outside;

/// What a signature is for, so that none made for something else counts.
const PURPOSE: &str = "normative-evidence";

/// The tool.
const TOOL: &str = "ssh-keygen";

/// Characters of a line of the signature's body.
const WIDTH: usize = 70;

/// Signs a file; the signature stands beside it, with the ending `.sig`.
///
/// # Errors
/// Where the tool is not there, or refuses.
pub(super) fn sign(key: &Path, file: &Path) -> Result<()> {
    let mut command = Command::new(TOOL);
    // It may ask for a passphrase.
    command.args(["-Y", "sign", "-n", PURPOSE, "-f"]).arg(key).arg(file);
    let output = run(command.stdin(Stdio::inherit()))?;
    if !output.status.success() {
        bail!("{TOOL} does not sign: {}", said(&output));
    }
    Ok(())
}

/// Checks the signature of a file, and says by which key it was made. With `signers`, a file and a name in it, only that
/// signer's counts.
///
/// # Errors
/// Where the tool is not there. A signature that does not hold is the inner error.
pub(super) fn check(
    file: &Path,
    signature: &Path,
    signers: Option<(&PathBuf, &String)>,
) -> Result<Result<String, String>> {
    let text = outside::text(signature, outside::WRITTEN).unwrap_or_default();
    if !is_canonical(&text) {
        return Ok(Err(format!("{} is not written as {TOOL} writes it", signature.display())));
    }
    let mut command = Command::new(TOOL);
    match signers {
        None => command.args(["-Y", "check-novalidate"]),
        Some((file, name)) => command.args(["-Y", "verify", "-I", name, "-f"]).arg(file),
    };
    let list = outside::open(file).with_context(|| file.display().to_string())?;
    command.args(["-n", PURPOSE, "-s"]).arg(signature).stdin(list);
    let output = run(&mut command)?;
    let words = said(&output);
    Ok(if output.status.success() { Ok(words) } else { Err(words) })
}

fn run(command: &mut Command) -> Result<Output> {
    command
        .output()
        .with_context(|| format!("{TOOL}, a part of OpenSSH, is needed for signatures and does not run"))
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a signature is written in the one form that the tool writes: it reads others, so a byte might change unseen.
fn is_canonical(text: &str) -> bool {
    let body = text
        .strip_prefix("-----BEGIN SSH SIGNATURE-----\n")
        .and_then(|rest| rest.strip_suffix("\n-----END SSH SIGNATURE-----\n"));
    let Some(body) = body else { return false };
    let mut lines = body.split('\n').rev();
    let is_base64 = |line: &str| line.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b));
    let last = lines.next().is_some_and(|line| (1..=WIDTH).contains(&line.len()) && is_base64(line));
    last && lines.all(|line| line.len() == WIDTH && is_base64(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_has_one_form() {
        let body = format!("{}\n{}\nabc=", "A".repeat(WIDTH), "b".repeat(WIDTH));
        let text = format!("-----BEGIN SSH SIGNATURE-----\n{body}\n-----END SSH SIGNATURE-----\n");
        assert!(is_canonical(&text));
        for other in [
            text.trim_end().to_owned(),
            text.replace('\n', "\r\n"),
            text.replacen("A\n", "A ", 1),
            text.replace("\nabc=", "abc="),
            format!("\n{text}"),
            String::new(),
        ] {
            assert!(!is_canonical(&other), "{other:?}");
        }
    }
}
