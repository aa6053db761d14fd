//! The generated crate of a runner: which `normative-backend` it takes, its manifest, and writing it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use normative_conformance::outside;
use serde_json::Value;

/// The source of a runner's `normative-backend`. It must be the one that the adapter uses, or their traits are
/// different types.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Api {
    /// The dependency, as written in a manifest.
    dependency: String,
    /// The section of the manifest that replaces registry crates.
    patches: String,
}

impl Api {
    /// Returns the source that a package depends on. In a checkout, its crate replaces one from the registry.
    pub(super) fn of(package: &Value, checkout: Option<&Path>) -> Result<Self> {
        let all = package["dependencies"].as_array().into_iter().flatten();
        let is_normal = |one: &&Value| one["name"] == "normative-backend" && one["kind"].is_null();
        let declared = all.filter(is_normal).collect::<Vec<_>>();
        let declared = declared.first().copied().unwrap_or(&Value::Null);
        let plain = |dependency: String| Ok(Self { dependency, patches: String::new() });
        if let Some(path) = declared["path"].as_str() {
            return plain(format!("path = {}", toml(path)?));
        }
        if let Some(git) = declared["source"].as_str().and_then(|source| source.strip_prefix("git+")) {
            let (url, wanted) = git.split_once('?').unwrap_or((git, ""));
            let wanted = wanted.split_once('=').filter(|(key, _)| ["branch", "tag", "rev"].contains(key));
            let wanted =
                wanted.map(|(key, value)| Ok::<_, anyhow::Error>(format!(", {key} = {}", toml(value)?)));
            return plain(format!("git = {}{}", toml(url)?, wanted.transpose()?.unwrap_or_default()));
        }
        if let Some(checkout) = checkout {
            let at = |folder: &str| {
                toml(
                    checkout
                        .join(folder)
                        .to_str()
                        .with_context(|| format!("expected a path in UTF-8, got {}", checkout.display()))?,
                )
            };
            let (api, reference) = (at("conformance/backend")?, at("reference")?);
            let patches = format!(
                "\n[patch.crates-io]\nnormative-backend = {{ path = {api} }}\nnormative-reference = {{ path = {reference} }}\n"
            );
            // If the package has no such dependency, a patch would be unused, and cargo warns of that.
            let patches = if declared.is_null() { String::new() } else { patches };
            return Ok(Self { dependency: format!("path = {api}"), patches });
        }
        let version = declared["req"].as_str().ok_or_else(|| {
            let name = package["name"].as_str().unwrap_or("the crate");
            anyhow!("expected {name} to depend on normative-backend, which its worker is built with")
        })?;
        plain(format!("version = {}", toml(version)?))
    }
}

/// Quotes a TOML string, as JSON does.
fn toml(text: &str) -> Result<String> {
    Ok(serde_json::to_string(text)?)
}

/// Writes the files of a runner. Two runs of one crate may begin at once, so each waits until the other has written all.
pub(super) fn write_runner(runner: &Path, manifest: &str, lock: Option<&Path>) -> Result<()> {
    fs::create_dir_all(runner.join("src")).with_context(|| runner.display().to_string())?;
    let alone = fs::File::create(runner.join("writes.lock")).and_then(|file| file.lock().map(|()| file));
    let _alone = alone.with_context(|| format!("cannot lock {}", runner.display()))?;
    write_if_changed(&runner.join("Cargo.toml"), manifest)?;
    write_if_changed(&runner.join("src/main.rs"), MAIN)?;
    let Some(lock) = lock else { return Ok(()) };
    // Cargo adds the runner's own entries to its lock file, so it differs from the original at once. Keep a copy of
    // the original beside it, and start again only when that changes.
    let lock =
        outside::text(lock, outside::WRITTEN).with_context(|| format!("cannot read {}", lock.display()))?;
    if write_if_changed(&runner.join("Cargo.lock.seed"), &lock)? {
        fs::write(runner.join("Cargo.lock"), lock)?;
    }
    Ok(())
}

const MAIN: &str = "//! Written by Normative; a change here is lost.

fn main() -> std::process::ExitCode {
    normative_backend::serve(backend::backend())
}
";

pub(super) fn manifest(api: &Api, backend: &Path, package: &str, name: &str) -> Result<String> {
    let backend = toml(
        backend.to_str().with_context(|| format!("expected a path in UTF-8, got {}", backend.display()))?,
    )?;
    let Api { dependency, patches } = api;
    Ok(format!(
        "# Written by Normative; a change here is lost.
[package]
name = \"{name}\"
version = \"0.0.0\"
edition = \"2024\"

[workspace]

[dependencies]
normative-backend = {{ {dependency} }}
backend = {{ package = \"{package}\", path = {backend} }}
{patches}"
    ))
}

/// Returns true if it wrote the file.
fn write_if_changed(path: &Path, content: &str) -> Result<bool> {
    let present = outside::text_if_there(path, outside::WRITTEN);
    if present.with_context(|| format!("cannot read {}", path.display()))?.as_deref() == Some(content) {
        return Ok(false);
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::select::workspace_root;

    #[rstest]
    #[case::a_path(json!({"path": "/a \"b\"", "source": null, "req": "*"}), "path = \"/a \\\"b\\\"\"")]
    #[case::a_tag(json!({"source": "git+https://e.org/n?tag=v1", "req": "*"}), "git = \"https://e.org/n\", tag = \"v1\"")]
    #[case::a_branch(json!({"source": "git+https://e.org/n?branch=b", "req": "*"}), "git = \"https://e.org/n\", branch = \"b\"")]
    #[case::any_revision(json!({"source": "git+https://e.org/n", "req": "*"}), "git = \"https://e.org/n\"")]
    #[case::a_version(json!({"source": "registry+https://e.org/index", "req": "^0.1"}), "version = \"^0.1\"")]
    fn a_runner_takes_the_trait_from_where_the_adapter_does(
        #[case] declared: Value,
        #[case] dependency: &str,
    ) {
        let mut declared = declared;
        declared["name"] = json!("normative-backend");
        let for_tests = json!({"name": "normative-backend", "kind": "dev", "path": "/not/this"});
        let package = json!({"name": "mine", "dependencies": [for_tests, declared]});
        let api = Api::of(&package, None).unwrap();
        assert_eq!((api.dependency.as_str(), api.patches.as_str()), (dependency, ""));
    }

    #[test]
    fn in_a_checkout_its_own_crates_replace_the_registrys() {
        let declared =
            json!({"name": "normative-backend", "source": "registry+https://e.org", "req": "^0.1"});
        let package = json!({"name": "mine", "dependencies": [declared]});
        let api = Api::of(&package, Some(Path::new("/n"))).unwrap();
        assert_eq!(api.dependency, "path = \"/n/conformance/backend\"");
        assert!(api.patches.contains("normative-reference = { path = \"/n/reference\" }"), "{}", api.patches);
    }

    #[test]
    fn a_crate_without_the_trait_is_named_outside_a_checkout() {
        let error = Api::of(&json!({"name": "mine", "dependencies": []}), None).unwrap_err().to_string();
        assert_eq!(error, "expected mine to depend on normative-backend, which its worker is built with");
    }

    #[test]
    fn a_runner_that_two_write_at_once_is_whole_when_either_is_done() {
        let api = Api { dependency: "path = \"/n\"".into(), patches: String::new() };
        let manifest = manifest(&api, Path::new("/a"), "a", &"long".repeat(5000)).unwrap();
        for _ in 0..200 {
            let directory = tempfile::tempdir().unwrap();
            let write = || {
                write_runner(directory.path(), &manifest, None).unwrap();
                fs::read_to_string(directory.path().join("Cargo.toml")).unwrap()
            };
            thread::scope(|scope| {
                let others = [(); 4].map(|()| scope.spawn(write));
                assert!(others.into_iter().all(|other| other.join().unwrap() == manifest));
            });
        }
    }

    #[test]
    fn an_unchanged_runner_is_not_written_again() {
        let directory = tempfile::tempdir().unwrap();
        let api = Api { dependency: "path = \"/n\"".into(), patches: String::new() };
        let write = |package: &str| {
            let manifest = manifest(&api, Path::new("/a \"crate\""), package, "runner").unwrap();
            write_runner(directory.path(), &manifest, Some(&workspace_root().join("Cargo.lock"))).unwrap();
            fs::metadata(directory.path().join("Cargo.toml")).unwrap().modified().unwrap()
        };
        let first = write("a");
        fs::write(directory.path().join("Cargo.lock"), "what cargo made of it").unwrap();
        assert_eq!(write("a"), first);
        let lock = fs::read_to_string(directory.path().join("Cargo.lock")).unwrap();
        assert_eq!(lock, "what cargo made of it");
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert_ne!(write("b"), first);
        let manifest = fs::read_to_string(directory.path().join("Cargo.toml")).unwrap();
        assert!(manifest.contains(r#"path = "/a \"crate\"""#), "{manifest}");
    }
}
