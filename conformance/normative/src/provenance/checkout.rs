//! The commit of this repository, read from git once, on demand.
//!
//! The commit is not compiled in, so builds do not depend on it. It is unknown without git, outside a checkout of this
//! repository, and for an installed program in any folder.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

use normative_conformance::drive::{Bounds, errand};
use normative_conformance::outside;

use crate::home;

/// Leaves out the histories: no verdict depends on them, and `history` writes one after each release that it judges.
const NO_VERDICT: &str = ":(top,exclude)conformance/normative/history";

/// Returns the commit of the checkout, with `+changes` if another tracked file differs; `None` if unknown.
pub(crate) fn commit() -> Option<String> {
    static KNOWN: OnceLock<Option<String>> = OnceLock::new();
    KNOWN.get_or_init(asked).clone()
}

fn asked() -> Option<String> {
    let checkout = home::checkout().filter(|_| !home::is_installed())?;
    let git = |arguments: &[&str]| git(checkout, arguments);
    let said = git(&["rev-parse", "--show-toplevel", "HEAD"])?;
    let (root, commit) = said.trim().split_once('\n')?;
    // Sources unpacked inside another repository do not have its commit.
    let is_ours = std::fs::canonicalize(root).ok()? == std::fs::canonicalize(checkout).ok()?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no", "--", ":/", NO_VERDICT])?;
    is_ours.then(|| format!("{commit}{}", if changes.is_empty() { "" } else { "+changes" }))
}

/// Runs git, and returns its output if it succeeds.
fn git(checkout: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    // A git hook sets these variables for its own repository.
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    // Without this, `status` refreshes the index on disk. That can conflict with the user's git, and leaves a lock
    // file if killed.
    command.arg("--no-optional-locks").arg("-C").arg(checkout).args(arguments);
    let bounds = Bounds { within: Duration::from_secs(30), memory: None, kept: outside::WRITTEN };
    let output = errand(&command, bounds).ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn to_ask_for_the_commit_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (at, file) = (folder.path(), folder.path().join("a"));
        fs::write(&file, "a").unwrap();
        let name = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let made = [&["init", "-q"][..], &["add", "a"], &[&name[..], &["commit", "-q", "-m", "a"]].concat()];
        if made.into_iter().any(|arguments| git(at, arguments).is_none()) {
            eprintln!("left out: no git");
            return;
        }
        // The same text at another time: git reads the file again, and would refresh the index.
        fs::File::options().write(true).open(&file).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        let index = || fs::read(at.join(".git/index")).unwrap();
        let before = index();
        assert_eq!(git(at, &["status", "--porcelain"]).as_deref(), Some(""));
        assert_eq!(index(), before);
    }
}
