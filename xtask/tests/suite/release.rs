//! The release builds for every platform that has a package, and names its packages as their installers expect.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::common::page::root;

fn workflow() -> Value {
    serde_yaml::from_str(&fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap()).unwrap()
}

fn of_javascript(file: &str) -> Value {
    let path = root().join("backends/javascript").join(file);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn every_workflow_is_yaml_with_jobs() {
    let files = fs::read_dir(root().join(".github/workflows")).unwrap().flatten();
    for file in files.map(|file| file.path()) {
        let workflow: Value = serde_yaml::from_str(&fs::read_to_string(&file).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(workflow["jobs"].is_object(), "{}", file.display());
    }
}

#[test]
fn the_release_builds_for_each_platform_of_a_package_and_for_no_other() {
    let workflow = workflow();
    let platforms = of_javascript("platforms.json");
    let of = |list: &Value| -> BTreeSet<String> {
        list.as_array().unwrap().iter().map(|one| text(&one["target"]).to_owned()).collect()
    };
    let built = of(&workflow["jobs"]["build"]["strategy"]["matrix"]["include"]);
    assert_eq!(built, of(&platforms));
    let package = of_javascript("package.json");
    let packages: BTreeSet<&str> =
        platforms.as_array().unwrap().iter().map(|one| text(&one["package"])).collect();
    let needed = package["optionalDependencies"].as_object().unwrap();
    assert_eq!(needed.keys().map(String::as_str).collect::<BTreeSet<_>>(), packages);
    assert!(needed.values().all(|version| text(version) == env!("CARGO_PKG_VERSION")), "{needed:?}");
    assert_eq!(text(&package["version"]), env!("CARGO_PKG_VERSION"));
    // No script runs on a user's machine.
    assert_eq!(package["scripts"], Value::Null);
}

#[test]
fn nothing_is_published_before_all_of_it_was_tried() {
    let jobs = &workflow()["jobs"];
    let needs = |job: &str| -> Vec<String> {
        match &jobs[job]["needs"] {
            Value::String(one) => vec![one.clone()],
            Value::Array(all) => all.iter().map(|one| text(one).to_owned()).collect(),
            _ => Vec::new(),
        }
    };
    assert_eq!(needs("try"), ["build", "sources"]);
    assert_eq!(needs("publish"), ["try"]);
    let writes = |job: &Value| {
        let allowed = job["permissions"].as_object().unwrap();
        allowed.values().any(|right| text(right) == "write")
    };
    for (name, job) in jobs.as_object().unwrap() {
        assert_eq!(writes(job), name == "publish", "{name}");
    }
}

/// The names are those of cargo-binstall's own default: `{name}-{target}-v{version}.tar.gz`, with a folder of that name.
#[test]
fn the_program_of_a_wheel_becomes_an_archive_and_the_package_of_its_platform() {
    let here =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|it| it.status.success());
    if let Some(missing) = ["python3", "node", "npm", "tar"].into_iter().find(|program| !here(program)) {
        return eprintln!("left out: no {missing}");
    }
    let folder = tempfile::tempdir().unwrap();
    let scripts = folder.path().join("normative_suite-0.1.0.data/scripts");
    fs::create_dir_all(&scripts).unwrap();
    fs::write(scripts.join("normative"), "a program").unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder.path()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), told)
    };
    assert_eq!(run("python3", &["-m", "zipfile", "-c", "a.whl", "normative_suite-0.1.0.data"]).0, Some(0));
    let script = root().join(".github/release.sh").display().to_string();
    let target = "aarch64-unknown-linux-musl";
    let made = run("bash", &[&script, target, "a.whl", "dist"]);
    assert_eq!(made.0, Some(0), "{}", made.2);

    let name = format!("normative-{target}-v{}", env!("CARGO_PKG_VERSION"));
    let listed = run("tar", &["-tzf", &format!("dist/{name}.tar.gz")]).1;
    assert!(listed.lines().any(|file| file == format!("{name}/normative")), "{listed}");
    let package = format!("dist/normative-suite-linux-arm64-musl-{}.tgz", env!("CARGO_PKG_VERSION"));
    let described = run("tar", &["-xzOf", &package, "package/package.json"]).1;
    let described: Value = serde_json::from_str(&described).unwrap();
    assert_eq!(described["name"], "@normative-suite/linux-arm64-musl");
    assert_eq!(
        (&described["os"][0], &described["cpu"][0], &described["libc"][0]),
        (&"linux".into(), &"arm64".into(), &"musl".into())
    );
    assert_eq!(run("tar", &["-xzOf", &package, "package/normative"]).1, "a program");

    let (code, _, told) = run("bash", &[&script, "riscv64-unknown-linux-gnu", "a.whl", "dist"]);
    assert!(code == Some(2) && told.contains("with a target of x86_64-unknown-linux-gnu, "), "{told}");
}
