//! Builds fuzz targets on stable Rust.
//!
//! What makes a build a fuzzing build is a handful of flags to rustc, the ones cargo-fuzz passes when it is
//! told to use no sanitizer; so cargo-fuzz itself is not needed, nor nightly. With `--target` they
//! stay clear of build scripts and of macros. The targets have a folder of their own below `target`, so that
//! no other build is disturbed.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::Target;
use normative::runner::{cargo, package_name, target_directory, write_if_changed};
use normative::select::workspace_root;

/// Has LLVM count the visits of every edge, and tell of every comparison.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Ccodegen-units=1 --cfg fuzzing";

/// A target that was built.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) target: Target,
    pub(super) executable: PathBuf,
}

/// Builds targets, `differential` with that backend or, without one, with ndarray. `flags` go to rustc
/// as well.
///
/// # Errors
/// Without a C++ compiler, and whatever cargo says.
pub(super) fn build(targets: &[Target], backend: Option<&Path>, flags: &str) -> Result<Vec<Built>> {
    require_cxx()?;
    let workspace = std::fs::canonicalize(workspace_root())?;
    let directory = target_directory()?.join("fuzz");
    let mut command = cargo();
    command.args(["build", "--release", "--message-format", "json-render-diagnostics", "--target"]);
    command.arg(host()?).arg("--target-dir").arg(&directory);
    command.env("RUSTFLAGS", [flags, COVERAGE].join(" ").trim()).env_remove("CARGO_ENCODED_RUSTFLAGS");
    for target in targets {
        command.args(["--bin", target.name()]);
    }
    command.arg("--manifest-path");
    match backend {
        None => command.arg(workspace.join("fuzz/Cargo.toml")).arg("--locked"),
        Some(backend) => command.arg(with_backend(&workspace, &directory, backend)?),
    };
    let output = command.output().context("cannot run cargo build")?;
    if !output.status.success() {
        bail!("the fuzz targets do not build:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let messages =
        output.stdout.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    Ok(messages.filter_map(|message: Value| built(&message)).collect())
}

fn built(message: &Value) -> Option<Built> {
    let name = message["target"]["name"].as_str()?;
    let target = Target::ALL.into_iter().find(|target| target.name() == name)?;
    Some(Built { target, executable: message["executable"].as_str()?.into() })
}

/// libFuzzer is C++, and is compiled with the targets.
fn require_cxx() -> Result<()> {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let runs = Command::new(&compiler).arg("--version").output().is_ok_and(|output| output.status.success());
    if !runs {
        bail!("libFuzzer needs a C++ compiler, and `{}` is none", compiler.display());
    }
    Ok(())
}

/// What this machine is to rustc.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not say what this machine is")
}

/// Writes a crate that has the target `differential` with another backend; its manifest.
fn with_backend(workspace: &Path, directory: &Path, backend: &Path) -> Result<PathBuf> {
    let package = package_name(backend)?;
    let own = std::fs::read_to_string(workspace.join("fuzz/Cargo.toml"))?;
    let crate_directory = directory.join("with").join(&package);
    let manifest = crate_directory.join("Cargo.toml");
    std::fs::create_dir_all(&crate_directory)?;
    if write_if_changed(&manifest, &manifest_text(&own, workspace, backend, &package)?)? {
        std::fs::copy(workspace.join("fuzz/Cargo.lock"), crate_directory.join("Cargo.lock"))?;
    }
    Ok(manifest)
}

/// The name of a dependency on another crate of this workspace, and where that is.
fn crate_of_ours(line: &str) -> Option<(&str, &str)> {
    line.strip_suffix("\" }")?.split_once(" = { path = \"../")
}

/// Our own manifest, as one that stands elsewhere and has this backend.
fn manifest_text(own: &str, workspace: &Path, backend: &Path, package: &str) -> Result<String> {
    let quoted = |path: &Path| -> Result<String> {
        let text = path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))?;
        // A JSON string is a TOML string.
        Ok(serde_json::to_string(text)?)
    };
    let lines = own.lines().map(|line| {
        Ok(if line.starts_with("backend = ") {
            format!("backend = {{ package = \"{package}\", path = {} }}", quoted(backend)?)
        } else if let Some((name, path)) = crate_of_ours(line) {
            format!("{name} = {{ path = {} }}", quoted(&workspace.join(path))?)
        } else if let Some(target) = line.strip_prefix("path = \"").and_then(|rest| rest.strip_suffix('"')) {
            format!("path = {}", quoted(&workspace.join("fuzz").join(target))?)
        } else if line.starts_with("members = ") {
            String::new()
        } else {
            line.to_owned()
        })
    });
    let lines: Vec<String> = lines.collect::<Result<_>>()?;
    Ok(format!("# Written by Normative; a change here is lost.\n{}\n", lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_backend_changes_the_backend_and_where_things_are() {
        let own = std::fs::read_to_string(workspace_root().join("fuzz/Cargo.toml")).unwrap();
        let text =
            manifest_text(&own, Path::new("/work space"), Path::new("/its \"own\""), "its-own").unwrap();
        for line in [
            r#"backend = { package = "its-own", path = "/its \"own\"" }"#,
            r#"normative-backend = { path = "/work space/conformance/backend" }"#,
            r#"normative-conformance = { path = "/work space/conformance" }"#,
            r#"path = "/work space/fuzz/fuzz_targets/differential.rs""#,
            "[workspace]",
            "overflow-checks = true",
        ] {
            assert!(text.lines().any(|other| other == line), "{line} is not in\n{text}");
        }
        assert!(!text.contains("members =") && !text.contains("ndarray\""), "{text}");
    }
}
