//! The crates that others name are ready to be published: each packs, with what a registry and a reader of it need.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::page::root;

/// The crates that others name, and those that they are built with.
const PUBLISHED: [&str; 10] = [
    "normative-backend",
    "normative-cases",
    "normative-conformance",
    "normative-harness",
    "normative-onnx",
    "normative-openvino-ir",
    "normative-oracle",
    "normative-reference",
    "normative-repro",
    "xtask",
];

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn packages() -> Vec<Value> {
    let metadata = cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn published_crates_state_purpose_licence_and_rust() {
    let published: Vec<Value> =
        packages().into_iter().filter(|package| package["publish"].is_null()).collect();
    let names: BTreeSet<&str> = published.iter().map(|package| text(&package["name"])).collect();
    assert_eq!(names, BTreeSet::from(PUBLISHED));
    for package in &published {
        let name = text(&package["name"]);
        let folder = Path::new(text(&package["manifest_path"])).parent().unwrap();
        assert!(text(&package["description"]).len() > 20, "{name}");
        assert_eq!(
            (text(&package["license"]), text(&package["rust_version"])),
            ("MIT OR Apache-2.0", "1.89"),
            "{name}"
        );
        for field in ["keywords", "categories"] {
            let count = package[field].as_array().unwrap().len();
            assert!((1..=5).contains(&count), "{name}: {count} {field}");
        }
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            assert_eq!(
                fs::read(folder.join(licence)).unwrap(),
                fs::read(root().join(licence)).unwrap(),
                "{name}"
            );
        }
        let page = fs::read_to_string(folder.join(text(&package["readme"]))).unwrap();
        assert!(page.starts_with(&format!("# {name}\n")) && page.len() > 200, "{name}: {page}");
        // A registry has no paths: what a package is built with is published too, and named by a version.
        let needs = package["dependencies"].as_array().unwrap().iter();
        for dependency in needs.filter(|one| text(&one["kind"]) != "dev" && !one["path"].is_null()) {
            let needed = text(&dependency["name"]);
            assert!(names.contains(needed), "{name} needs {needed}, which is not published");
            assert_ne!(dependency["req"], "*", "{name} names no version of {needed}");
        }
    }
}

/// Clippy holds our own code to it (`incompatible_msrv`); this is about what we are built with.
#[test]
fn no_dependency_needs_a_newer_rust_than_we_state() {
    let version = |text: &str| text.split('.').map(|part| part.parse().unwrap()).collect::<Vec<u32>>();
    let host = Command::new("rustc").arg("-vV").output().unwrap();
    let host = String::from_utf8(host.stdout).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    // Of other platforms, the packages need not be here.
    let arguments = ["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", host];
    let metadata: Value = serde_json::from_str(&cargo(&arguments)).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50);
    for package in packages {
        let Some(needs) = package["rust_version"].as_str() else { continue };
        assert!(version(needs) <= version("1.89"), "{} needs Rust {needs}", package["name"]);
    }
}

#[test]
fn what_others_name_packs_with_all_that_it_is_built_of() {
    for name in PUBLISHED {
        let list = cargo(&["package", "--list", "--allow-dirty", "--offline", "-p", name]);
        let files: BTreeSet<&str> = list.lines().collect();
        for due in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "Cargo.toml"] {
            assert!(files.contains(due), "{name} packs without {due}:\n{list}");
        }
        let folder = folder_of(name);
        let is_code = |file: &&&str| Path::new(file).extension().is_some_and(|end| end == "rs");
        for source in files.iter().filter(|file| file.starts_with("src/")).filter(is_code) {
            let text = fs::read_to_string(folder.join(source)).unwrap();
            for included in included(source, &text) {
                assert!(
                    files.contains(included.as_str()),
                    "{name}: {source} includes {included}, which is not packed"
                );
            }
        }
    }
}

fn folder_of(name: &str) -> PathBuf {
    let packages = packages();
    let package = packages.iter().find(|package| package["name"] == name).unwrap();
    Path::new(text(&package["manifest_path"])).parent().unwrap().to_owned()
}

/// The files that a file of code is compiled with, by their paths in the package.
fn included(source: &str, text: &str) -> Vec<String> {
    let literals =
        ["include_str!(\"", "include_bytes!(\""].into_iter().flat_map(|begin| text.split(begin).skip(1));
    let path = |rest: &str| {
        let mut words: Vec<&str> = source.split('/').collect();
        words.pop();
        for word in rest.split('"').next().unwrap().split('/') {
            if word == ".." && !words.is_empty() {
                words.pop();
            } else {
                words.push(word);
            }
        }
        words.join("/")
    };
    literals.map(path).collect()
}

#[test]
fn a_file_that_is_compiled_in_is_known_by_its_path_in_the_package() {
    let text = "include_str!(\"b.md\"); include_bytes!(\"../../c.md\"); include_str!(\"../../../docs/d.md\")";
    assert_eq!(included("src/a/a.rs", text), ["src/a/b.md", "../docs/d.md", "c.md"]);
}
