//! A copy of this repository with a page's changes, and the `xtask` built there.
//!
//! The copy always has the same path below the target directory, and only changed files are written. So cargo rebuilds
//! only what a change affects.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::page::root;

/// A repository's files, by path.
pub(crate) struct Tree {
    folder: PathBuf,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

/// A tree that is written and built.
pub(crate) struct Built {
    folder: PathBuf,
}

/// The output of a command.
pub(crate) struct Printed {
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Tree {
    /// Reads the files that git tracks here, and the new ones that it does not ignore.
    pub(crate) fn of_repository() -> Self {
        let mut git = Command::new("git");
        git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]);
        let listed = git.current_dir(root()).output().unwrap();
        assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
        let names = String::from_utf8(listed.stdout).unwrap();
        // Git lists a deleted file until the deletion is committed.
        let there = names.split_terminator('\0').filter(|name| root().join(name).is_file());
        let files = there.map(|name| (name.into(), fs::read(root().join(name)).unwrap())).collect();
        Self { folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join("contributing"), files }
    }

    /// Returns a file's text as it will be built.
    pub(crate) fn read(&self, file: &str) -> &str {
        let bytes = self.files.get(Path::new(file)).unwrap_or_else(|| panic!("there is no {file}"));
        std::str::from_utf8(bytes).unwrap()
    }

    /// Adds a file before the build.
    pub(crate) fn add(&mut self, file: &str, text: &str) {
        let before = self.files.insert(file.into(), text.as_bytes().to_vec());
        assert!(before.is_none(), "{file} is there already");
    }

    /// Changes a file before the build.
    pub(crate) fn change(&mut self, file: &str, change: impl FnOnce(&str) -> String) {
        let text = change(self.read(file));
        self.files.insert(file.into(), text.into_bytes());
    }

    /// Writes the files, removes those of an earlier run, and builds `xtask`.
    pub(crate) fn build(self) -> Built {
        let Self { folder, files } = self;
        let tree = folder.join("tree");
        fs::create_dir_all(&tree).unwrap();
        clear(&tree, &tree, &files);
        for (file, bytes) in &files {
            let path = tree.join(file);
            if fs::read(&path).ok().as_ref() != Some(bytes) {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(&path, bytes).unwrap();
            }
        }
        for outside in ["my-runtime", "example"] {
            fs::remove_dir_all(folder.join(outside)).ok();
        }
        let built = Built { folder };
        let mut cargo = built.command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()).as_ref());
        // Naming a test gives the dependencies the same features as for all tests here, so they are not built again.
        let chosen = ["--workspace", "--bin", "xtask", "--test", "read"];
        cargo.arg("build").args(chosen).arg("--locked");
        for package in optimised(&fs::read_to_string(tree.join("Cargo.toml")).unwrap()) {
            cargo.arg("--config").arg(format!("profile.dev.package.{package}.opt-level=0"));
        }
        let output = cargo.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        built
    }
}

/// Returns the packages of this repository whose optimisation its manifest sets. The tree must build them unoptimised:
/// cargo tells builds apart by a package's path in its workspace and its profile. Both are the same in the tree, so
/// one build would overwrite the other.
fn optimised(manifest: &str) -> Vec<&str> {
    let sections =
        manifest.lines().filter_map(|line| line.strip_prefix("[profile.dev.package.")?.strip_suffix(']'));
    sections.filter(|package| package.starts_with("normative-")).collect()
}

/// Removes every file in `folder` that is not one of `files`.
fn clear(tree: &Path, folder: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            clear(tree, &path, files);
        } else if !files.contains_key(path.strip_prefix(tree).unwrap()) {
            fs::remove_file(path).unwrap();
        }
    }
}

impl Built {
    fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    /// Returns a file's current text.
    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.tree().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.tree().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Returns true if the file exists now.
    pub(crate) fn has(&self, file: &str) -> bool {
        self.tree().join(file).is_file()
    }

    /// Runs `cargo xtask` with these words.
    pub(crate) fn xtask(&self, words: &str) -> Printed {
        let program = format!("target/debug/xtask{}", std::env::consts::EXE_SUFFIX);
        let mut command = self.command(self.folder.join(program).as_os_str());
        if words.contains("--backend ../my-runtime") {
            // Other tests have built most of what the backend's worker needs.
            let built = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
            command.env("CARGO_TARGET_DIR", built);
            command.env_remove("CARGO_BUILD_BUILD_DIR").env_remove("CARGO_PROFILE_DEV_OPT_LEVEL");
        }
        // Words between quotation marks are one argument.
        let words = words.split('"').enumerate().flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        });
        let output = command.args(words).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        // The page shows relative paths.
        let out = text(output.stdout).replace(&format!("{}/", self.tree().display()), "");
        Printed { out, err: text(output.stderr) }
    }

    /// Makes a command in the tree, with a target directory of its own, because the `xtask` built there differs. The
    /// build directory is shared, so common dependencies are not built twice.
    fn command(&self, program: &std::ffi::OsStr) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.tree())
            .stdin(Stdio::null())
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .env("CARGO_BUILD_BUILD_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap());
        // Optimise for the build time, because it runs only a few times.
        command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
        command
    }
}
