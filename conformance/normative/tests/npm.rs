//! Tests of the npm package over the program of this build: it installs with a package of its platform, without Rust, and
//! passes its own tests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may, and so may what tests call"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder of the package.
fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../backends/javascript")
}

/// Returns a command that runs outside any checkout, as for a user.
fn outside(program: &str, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("NORMATIVE_CACHE", folder.join("cache"));
    for variable in ["CARGO_MANIFEST_DIR", "CARGO", "NORMATIVE_PROGRAM"] {
        command.env_remove(variable);
    }
    command
}

/// Returns what a command prints, which must end with 0.
fn printed(mut command: Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}:\n{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Returns true if Node and npm can be run, and says what is left out if not.
fn has_node() -> bool {
    let has =
        |program: &&str| Command::new(program).arg("--version").output().is_ok_and(|it| it.status.success());
    let missing = ["node", "npm"].into_iter().find(|program| !has(program));
    if let Some(missing) = missing {
        eprintln!("left out: no {missing}");
    }
    missing.is_none()
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
#[ignore = "weekly: it installs a project from the registry"]
fn the_page_of_the_package_works_in_a_project_that_installed_it() {
    if !has_node() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let app = folder.path().join("app");
    fs::create_dir(&app).unwrap();
    let script = package().join("platform_package.mjs").display().to_string();
    let program = env!("CARGO_BIN_EXE_normative");
    printed(outside("node", folder.path(), &[&script, "x86_64-unknown-linux-gnu", program, "platform"]));
    let packed = package().canonicalize().unwrap().display().to_string();
    let packed = printed(outside("npm", folder.path(), &["pack", "--silent", "./platform", &packed]));
    let archives: Vec<String> = packed.lines().map(|archive| format!("../{archive}")).collect();
    let [platform, suite] = archives.as_slice() else { panic!("expected two packages, got {packed}") };
    fs::write(app.join("package.json"), r#"{"private": true, "type": "module"}"#).unwrap();
    let install = ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", platform, suite];
    printed(outside("npm", &app, &install));

    // The first block of JavaScript on the page is a test, over the file that the page names.
    let page = fs::read_to_string(package().join("README.md")).unwrap();
    let block = page.split("```js\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    fs::copy(package().join("tests/norms.mjs"), app.join("norms.mjs")).unwrap();
    fs::write(app.join("norms.test.mjs"), block).unwrap();
    let told = printed(outside("node", &app, &["--test", "norms.test.mjs"]));
    assert!(told.contains("pass 2") && told.contains("fail 0"), "{told}");

    let version = printed(outside("npx", &app, &["--no-install", "normative", "-V"]));
    assert_eq!(version.trim(), format!("normative {}", env!("CARGO_PKG_VERSION")));
    // The exit code is the program's.
    let refused = outside("npx", &app, &["--no-install", "normative", "smoke"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    // The commands that it prints can be pasted: npm puts no command on the user's path.
    let told = printed(outside(
        "npx",
        &app,
        &["--no-install", "normative", "new-backend", "mine", "--language", "javascript"],
    ));
    assert!(told.contains("\n  npx normative smoke "), "{told}");

    fs::remove_dir_all(app.join("node_modules/@normative-suite")).unwrap();
    let refused = outside("npx", &app, &["--no-install", "normative", "-V"]).output().unwrap();
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("expected the package @normative-suite/linux-x64, got none"), "{told}");
}

#[test]
fn the_package_passes_its_own_tests() {
    if !has_node() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let tests = package().join("tests/package.test.mjs").canonicalize().unwrap().display().to_string();
    let mut node = outside("node", folder.path(), &["--test", &tests]);
    node.env("NORMATIVE_PROGRAM", env!("CARGO_BIN_EXE_normative"));
    printed(node);
}
