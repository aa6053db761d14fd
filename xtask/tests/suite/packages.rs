//! The published crates are complete: each packs, with the metadata that a registry needs. The workers in other
//! languages install with the installer of their language.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::page::root;

/// The crates that users depend on, and those that they depend on.
const PUBLISHED: [&str; 12] = [
    "normative",
    "normative-backend",
    "normative-cases",
    "normative-conformance",
    "normative-harness",
    "normative-judge",
    "normative-onnx",
    "normative-openvino-ir",
    "normative-present",
    "normative-reference",
    "normative-repro",
    "normative-rules",
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
        // A registry has no paths, so every dependency must be published and named by a version.
        let needs = package["dependencies"].as_array().unwrap().iter();
        for dependency in needs.filter(|one| text(&one["kind"]) != "dev" && !one["path"].is_null()) {
            let needed = text(&dependency["name"]);
            assert!(names.contains(needed), "{name} needs {needed}, which is not published");
            assert_ne!(dependency["req"], "*", "{name} names no version of {needed}");
        }
    }
}

/// Clippy checks this repository's code (`incompatible_msrv`); this test checks the dependencies.
#[test]
fn no_dependency_needs_a_newer_rust_than_we_state() {
    let version = |text: &str| text.split('.').map(|part| part.parse().unwrap()).collect::<Vec<u32>>();
    let host = Command::new("rustc").arg("-vV").output().unwrap();
    let host = String::from_utf8(host.stdout).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    // Packages for other platforms may not be downloaded here.
    let arguments = ["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", host];
    let metadata: Value = serde_json::from_str(&cargo(&arguments)).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50);
    for package in packages {
        let Some(needs) = package["rust_version"].as_str() else { continue };
        assert!(version(needs) <= version("1.89"), "{} needs Rust {needs}", package["name"]);
    }
}

/// The crates that the program for users is built of; all others are for maintainers.
#[test]
fn the_product_is_built_without_the_workshop() {
    let product = ["--package", "normative", "--no-default-features"];
    let tree = [
        ["tree", "--offline", "--edges", "normal", "--prefix", "none", "--format", "{p}"].as_slice(),
        &product,
    ];
    let tree = cargo(&tree.concat());
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains("normative-conformance") && names.contains("normative-rules"), "{names:?}");
    for of_the_workshop in ["xtask", "normative-zoo", "html5gum", "pulldown-cmark", "csv", "clap_mangen"] {
        assert!(!names.contains(of_the_workshop), "{of_the_workshop}");
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

/// Lists the files that a source file includes, by their paths in the package.
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

/// Runs a program in a folder. Returns its output, or its error message.
fn ran(folder: &Path, words: &[&str]) -> Result<String, String> {
    let (program, arguments) = words.split_first().unwrap();
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

#[test]
fn the_sources_of_the_wheel_have_the_package_and_no_adapter() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().to_str().unwrap();
    if let Err(why) = ran(folder.path(), &["python3", "-m", "maturin", "--version"]) {
        return eprintln!("left out: no maturin for python3: {why}");
    }
    ran(root(), &["python3", "-m", "maturin", "sdist", "--out", to]).unwrap();
    let list = "import glob, tarfile; print(*tarfile.open(glob.glob('*.tar.gz')[0]).getnames(), sep='\\n')";
    let listed = ran(folder.path(), &["python3", "-c", list]).unwrap();
    let prefix = concat!("normative_suite-", env!("CARGO_PKG_VERSION"), "/");
    let files: BTreeSet<&str> = listed.lines().filter_map(|line| line.strip_prefix(prefix)).collect();
    let package = root().join("backends/python/normative");
    for entry in fs::read_dir(package).unwrap() {
        let name = entry.unwrap().path();
        let is_source = name.extension().is_some_and(|extension| extension == "py");
        let file = format!("backends/python/normative/{}", name.file_name().unwrap().display());
        assert!(!is_source || files.contains(file.as_str()), "{file} is not in the archive");
    }
    assert!(files.contains("cases/expectations.lock") && files.contains("pyproject.toml"), "{files:#?}");
    assert!(!files.contains("backends/python/numpy_backend.py"), "{files:#?}");
}

#[test]
fn the_package_in_javascript_packs_what_it_imports() {
    let (folder, package) = (tempfile::tempdir().unwrap(), root().join("backends/javascript"));
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        // npm does not pack links, so these are copies.
        assert_eq!(fs::read(package.join(licence)).unwrap(), fs::read(root().join(licence)).unwrap());
    }
    for program in ["node", "npm"] {
        if let Err(why) = ran(folder.path(), &[program, "--version"]) {
            return eprintln!("left out: {why}");
        }
    }
    let packed =
        ran(folder.path(), &["npm", "pack", "--json", "--offline", package.to_str().unwrap()]).unwrap();
    let packed: Value = serde_json::from_str(&packed).unwrap();
    let files: BTreeSet<&str> =
        packed[0]["files"].as_array().unwrap().iter().map(|file| text(&file["path"])).collect();
    // No adapter and no test is installed, and every module that an installed one imports is.
    assert!(
        files.iter().all(|file| !file.ends_with("_backend.mjs") && !file.contains("tests/")),
        "{files:?}"
    );
    for file in
        files.iter().filter(|file| Path::new(file).extension().is_some_and(|extension| extension == "mjs"))
    {
        let source = fs::read_to_string(package.join(file)).unwrap();
        for imported in source.lines().filter_map(|line| line.split(" from \"./").nth(1)) {
            let imported = imported.trim_end_matches("\";");
            assert!(files.contains(imported), "{file} imports {imported}, which is not packed");
        }
    }
    assert_eq!(text(&packed[0]["version"]), env!("CARGO_PKG_VERSION"));
}
