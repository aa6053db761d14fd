//! Finds the files that the program works on: those of the checkout it runs in, or else a cache folder and the
//! built-in cases.
//!
//! The path at compile time does not matter: two checkouts may share one target directory, and an installed program
//! outlives its checkout.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context as _, Result};
use etcetera::BaseStrategy as _;

/// The variable that names another cache folder.
const CACHE: &str = "NORMATIVE_CACHE";

/// Returns the root of the checkout that contains the current directory, or else the crate that cargo runs.
pub fn checkout() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let here = env::current_dir().ok().and_then(|here| above(&here));
        // `cargo run` and `cargo test` set this; it is needed with `--manifest-path` from another folder.
        here.or_else(|| above(Path::new(&env::var_os("CARGO_MANIFEST_DIR")?)))
    };
    FOUND.get_or_init(find).as_deref()
}

/// Finds the nearest checkout's root, from this folder upwards.
fn above(here: &Path) -> Option<PathBuf> {
    here.ancestors().find(|folder| is_checkout(folder)).and_then(|root| fs::canonicalize(root).ok())
}

fn is_checkout(folder: &Path) -> bool {
    ["cases/clauses", "conformance/backend/Cargo.toml", "xtask/Cargo.toml"]
        .iter()
        .all(|path| folder.join(path).exists())
}

/// Returns that checkout, or an error.
///
/// # Errors
/// There is no checkout; the message says that `what` needs one.
pub fn checkout_for(what: &str) -> Result<&'static Path> {
    checkout().with_context(|| format!("{what} needs a checkout of Normative, and this folder is not in one"))
}

/// Returns the folder for files outside a checkout: `NORMATIVE_CACHE`, or the user's cache.
///
/// # Errors
/// The system names no home directory.
pub fn cache() -> Result<PathBuf> {
    if let Some(folder) = env::var_os(CACHE).filter(|folder| !folder.is_empty()) {
        return Ok(std::path::absolute(folder)?);
    }
    let user = etcetera::choose_base_strategy();
    Ok(user
        .with_context(|| format!("there is no home directory; set {CACHE}"))?
        .cache_dir()
        .join("normative"))
}

/// The name of the installed program.
pub const INSTALLED: &str = "normative";

/// The variable by which a package that starts the program says how its user called it, such as `npx normative`.
const CALLED: &str = "NORMATIVE_CALLED";

/// Returns true for the installed program, and false for that of `cargo xtask`, which has no built-in cases.
pub fn is_installed() -> bool {
    let path = env::args_os().next().map(PathBuf::from);
    cfg!(feature = "built-in")
        && path.is_some_and(|path| path.file_stem().is_some_and(|stem| stem == INSTALLED))
}

/// Returns the program as its user calls it, for commands that can be pasted.
pub fn program() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let called = env::var(CALLED).ok().filter(|called| called.ends_with(INSTALLED));
        if is_installed() { called.unwrap_or_else(|| INSTALLED.into()) } else { "cargo xtask".into() }
    })
}

/// Replaces `cargo xtask` in a text by the program as its user calls it.
pub fn as_called(text: &str) -> String {
    text.replace("cargo xtask", program())
}

/// Returns a path relative to the working directory if it lies below.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkout_in(folder: &Path) -> PathBuf {
        fs::create_dir_all(folder.join("cases/clauses")).unwrap();
        for path in ["conformance/backend", "xtask"] {
            fs::create_dir_all(folder.join(path)).unwrap();
            fs::write(folder.join(path).join("Cargo.toml"), "").unwrap();
        }
        fs::canonicalize(folder).unwrap()
    }

    #[test]
    fn the_nearest_checkout_above_a_folder_is_found() {
        let outer = tempfile::tempdir().unwrap();
        assert_eq!(above(outer.path()), None);
        let root = checkout_in(outer.path());
        let inner = checkout_in(&root.join("docs/another"));
        fs::create_dir_all(root.join("cases/onnx/ReduceL1")).unwrap();
        fs::create_dir_all(inner.join("cases/found")).unwrap();
        assert_eq!(above(&root.join("cases/onnx/ReduceL1")), Some(root.clone()));
        assert_eq!(above(&root.join("docs")), Some(root));
        assert_eq!(above(&inner.join("cases/found")), Some(inner));
    }

    #[test]
    fn a_folder_with_cases_alone_is_not_a_checkout() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("cases/clauses")).unwrap();
        assert_eq!(above(folder.path()), None);
    }
}
