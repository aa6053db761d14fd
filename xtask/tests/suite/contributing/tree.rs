//! A copy of this repository in which a page's changes are made, and `xtask` as it is built there.
//!
//! It always lies in the same place, below the target directory, and a file is written only where it changed: so that
//! cargo builds what a change touches and nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::page::root;

/// A repository's files, by their paths.
pub(crate) struct Tree {
    folder: PathBuf,
    files: BTreeMap<PathBuf, Vec<u8>>,
}

/// A tree that lies there, and was built.
pub(crate) struct Built {
    folder: PathBuf,
}

/// What a command printed.
pub(crate) struct Printed {
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Tree {
    /// What git has of this repository, or would have with the next commit.
    pub(crate) fn of_repository() -> Self {
        let mut git = Command::new("git");
        git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]);
        let listed = git.current_dir(root()).output().unwrap();
        assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
        let names = String::from_utf8(listed.stdout).unwrap();
        // One that was deleted is listed until that is committed.
        let there = names.split_terminator('\0').filter(|name| root().join(name).is_file());
        let files = there.map(|name| (name.into(), fs::read(root().join(name)).unwrap())).collect();
        Self { folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join("contributing"), files }
    }

    /// A file as it is going to be built.
    pub(crate) fn read(&self, file: &str) -> &str {
        let bytes = self.files.get(Path::new(file)).unwrap_or_else(|| panic!("there is no {file}"));
        std::str::from_utf8(bytes).unwrap()
    }

    /// Adds a file before anything is built.
    pub(crate) fn add(&mut self, file: &str, text: &str) {
        let before = self.files.insert(file.into(), text.as_bytes().to_vec());
        assert!(before.is_none(), "{file} is there already");
    }

    /// Changes a file before anything is built.
    pub(crate) fn change(&mut self, file: &str, change: impl FnOnce(&str) -> String) {
        let text = change(self.read(file));
        self.files.insert(file.into(), text.into_bytes());
    }

    /// Writes the files, takes away what an earlier run left, and builds `xtask`.
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
        // Some test is named so that what others wrote has the features that it has for all tests here, and is not built again.
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

/// The packages of this repository whose optimisation its manifest names. What the tree builds of them must not be
/// optimised as here: cargo tells two builds apart by a package's path in its workspace and by its profile, the tree lies
/// in its workspace as this repository does, and one would overwrite the other.
fn optimised(manifest: &str) -> Vec<&str> {
    let sections =
        manifest.lines().filter_map(|line| line.strip_prefix("[profile.dev.package.")?.strip_suffix(']'));
    sections.filter(|package| package.starts_with("normative-")).collect()
}

/// Removes what is in `folder` and is none of `files`.
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

    /// A file as it is now.
    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.tree().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.tree().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Whether there is such a file now.
    pub(crate) fn has(&self, file: &str) -> bool {
        self.tree().join(file).is_file()
    }

    /// Runs `cargo xtask` with these words.
    pub(crate) fn xtask(&self, words: &str) -> Printed {
        let program = format!("target/debug/xtask{}", std::env::consts::EXE_SUFFIX);
        let mut command = self.command(self.folder.join(program).as_os_str());
        if words.contains("--backend ../my-runtime") {
            // Of what the backend's worker needs most was built for other tests.
            let built = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
            command.env("CARGO_TARGET_DIR", built);
            command.env_remove("CARGO_BUILD_BUILD_DIR").env_remove("CARGO_PROFILE_DEV_OPT_LEVEL");
        }
        // What stands between quotation marks is one word.
        let words = words.split('"').enumerate().flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        });
        let output = command.args(words).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        // A person stands in the repository, whose path is nobody else's.
        let out = text(output.stdout).replace(&format!("{}/", self.tree().display()), "");
        Printed { out, err: text(output.stderr) }
    }

    /// In the tree, with a target directory of its own: the `xtask` that is built there is not the one that is built
    /// here. What both depend on is the same, and is not built twice.
    fn command(&self, program: &std::ffi::OsStr) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.tree())
            .stdin(Stdio::null())
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .env("CARGO_BUILD_BUILD_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap());
        // Made to be built fast, and run a few times.
        command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
        command
    }
}
