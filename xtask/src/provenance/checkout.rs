//! Which commit of this repository runs, asked of git once, when somebody wants to know.
//!
//! Nothing is written into the program, so no build depends on the commit. Without git, or outside a checkout of this
//! repository, the commit is not known; nor is that of a program that was installed, whichever checkout it is run in.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use crate::home;

/// The commit of the checkout, with `+changes` where a tracked file differs from it; `None` where it is not known.
pub(crate) fn commit() -> Option<String> {
    static KNOWN: OnceLock<Option<String>> = OnceLock::new();
    KNOWN.get_or_init(asked).clone()
}

fn asked() -> Option<String> {
    let checkout = home::checkout().filter(|_| home::program() != home::INSTALLED)?;
    let git = |arguments: &[&str]| git(checkout, arguments);
    let said = git(&["rev-parse", "--show-toplevel", "HEAD"])?;
    let (root, commit) = said.trim().split_once('\n')?;
    // Sources that were unpacked inside another repository are not of its commit.
    let is_ours = std::fs::canonicalize(root).ok()? == std::fs::canonicalize(checkout).ok()?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    is_ours.then(|| format!("{commit}{}", if changes.is_empty() { "" } else { "+changes" }))
}

/// What git prints, if it succeeds.
fn git(checkout: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    // A hook of another repository sets these.
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    let output = command.arg("-C").arg(checkout).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten()
}
