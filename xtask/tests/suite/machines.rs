//! The examples of runs on several machines: they are well-formed, use existing options, and cover all parts of a run.
//! Also the arguments that the Action passes on.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use rstest::rstest;
use serde_json::{Value, json};

use crate::common::page::root;

fn example(name: &str) -> Value {
    let text = fs::read_to_string(root().join("docs/examples").join(name)).unwrap();
    serde_yaml::from_str(&text).unwrap()
}

/// Returns a schema of the fields of `batch/v1` that the example uses. Add a new field here.
fn schema() -> Value {
    let text = json!({ "type": "string", "minLength": 1 });
    let count = json!({ "type": "integer", "minimum": 1 });
    let object = |required: &[&str], properties: Value| json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false });
    let quantities = object(&["cpu", "memory"], json!({ "cpu": text, "memory": text }));
    let container = object(
        &["name", "image", "command", "args", "volumeMounts"],
        json!({
            "name": text,
            "image": text,
            "command": { "const": ["sh", "-c"] },
            "args": { "type": "array", "items": text, "minItems": 1, "maxItems": 1 },
            "resources": object(&[], json!({ "requests": quantities, "limits": quantities })),
            "volumeMounts": {
                "type": "array",
                "items": object(&["name", "mountPath"], json!({ "name": text, "mountPath": text })),
            },
        }),
    );
    let claim = object(&["claimName"], json!({ "claimName": text }));
    let pod = object(
        &["restartPolicy", "containers"],
        json!({
            // A Job allows no other policy.
            "restartPolicy": { "enum": ["Never", "OnFailure"] },
            "containers": { "type": "array", "items": container, "minItems": 1, "maxItems": 1 },
            "volumes": {
                "type": "array",
                "items": object(&["name"], json!({ "name": text, "persistentVolumeClaim": claim })),
            },
        }),
    );
    let job = object(
        &["completionMode", "completions", "template"],
        json!({
            "completionMode": { "const": "Indexed" },
            "completions": count,
            "parallelism": count,
            // For an indexed Job whose pods are never restarted.
            "backoffLimitPerIndex": count,
            "template": object(&["spec"], json!({ "spec": pod })),
        }),
    );
    object(
        &["apiVersion", "kind", "metadata", "spec"],
        json!({
            "apiVersion": { "const": "batch/v1" },
            "kind": { "const": "Job" },
            "metadata": object(&["name"], json!({ "name": { "type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$" } })),
            "spec": job,
        }),
    )
}

/// Parses such a command, and returns its part and its record.
fn asked(words: &[String]) -> (String, String) {
    let program = xtask::command().try_get_matches_from(words).unwrap_or_else(|error| panic!("{error}"));
    let Some(("conformance", matches)) = program.subcommand() else {
        panic!("expected conformance, got {words:?}")
    };
    assert!(matches.contains_id("name"), "a command or a path means nothing on another machine");
    let raw = |id: &str| matches.get_raw(id).unwrap().next().unwrap().to_str().unwrap().to_owned();
    (raw("partition"), raw("record"))
}

/// Runs a script in which `program` prints its words, one a line, and ends with `code`. Returns both.
fn words_of(
    script: &str,
    program: &str,
    code: i32,
    environment: &[(&str, String)],
) -> (Vec<String>, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let stand_in = folder.path().join(program);
    fs::write(&stand_in, format!("#!/bin/sh\nprintf '%s\\n' {program} \"$@\"\nexit {code}\n")).unwrap();
    let made = Command::new("chmod").arg("+x").arg(&stand_in).status().unwrap();
    assert!(made.success());
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).env("PATH", path).envs(environment.iter().map(|(name, value)| (name, value)));
    let output = shell.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (text.lines().map(str::to_owned).collect(), output.status.code())
}

#[test]
fn the_job_of_kubernetes_asks_every_part_once() {
    let job = example("kubernetes.yaml");
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let errors: Vec<String> = validator.iter_errors(&job).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));

    let pod = &job["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    let mount = &container["volumeMounts"][0];
    assert_eq!(mount["name"], pod["volumes"][0]["name"]);
    let script = container["args"][0].as_str().unwrap();
    let parts = job["spec"]["completions"].as_u64().unwrap();
    for index in 0..parts {
        let environment = [("JOB_COMPLETION_INDEX", index.to_string())];
        let (words, _) = words_of(script, "normative", 0, &environment);
        let (part, record) = asked(&words);
        assert_eq!(part, format!("hash:{}/{parts}", index + 1));
        let record = Path::new(&record);
        assert_eq!(record.parent(), Some(Path::new(mount["mountPath"].as_str().unwrap())));
        assert_eq!(record.file_name().unwrap().to_str(), Some(format!("part-{}.ndjson", index + 1).as_str()));
        // A failing backend is reported by the merge; only an error of the run itself is tried again.
        for (code, expected) in [(0, 0), (1, 0), (2, 1), (137, 1)] {
            assert_eq!(words_of(script, "normative", code, &environment).1, Some(expected), "{code}");
        }
    }
}

#[test]
fn a_job_that_is_misspelt_does_not_suit_the_schema() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let misspelt = |edit: fn(&mut Value)| {
        let mut job = example("kubernetes.yaml");
        edit(&mut job);
        assert!(!validator.is_valid(&job), "{job}");
    };
    misspelt(|job| job["spec"]["completionmode"] = json!("Indexed"));
    misspelt(|job| job["spec"]["completionMode"] = json!("NonIndexed"));
    misspelt(|job| job["spec"]["template"]["spec"]["restartPolicy"] = json!("Always"));
    misspelt(|job| job["apiVersion"] = json!("v1"));
}

#[test]
fn the_workflow_asks_every_part_once_and_joins_them() {
    let workflow = example("github.yml");
    let jobs = &workflow["jobs"];
    let script = |job: &str| {
        let steps = jobs[job]["steps"].as_array().unwrap();
        let mut scripts = steps.iter().filter_map(|step| step["run"].as_str());
        let script = scripts.next().unwrap().to_owned();
        assert_eq!(scripts.next(), None);
        script
    };
    let parts: Vec<u64> = jobs["part"]["strategy"]["matrix"]["part"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_u64)
        .collect();
    assert_eq!(parts, (1..=parts.len() as u64).collect::<Vec<_>>());
    assert_eq!(jobs["part"]["strategy"]["fail-fast"], json!(false));
    let mut records = Vec::new();
    for part in &parts {
        let script = script("part").replace("${{ matrix.part }}", &part.to_string());
        let (words, code) = words_of(&script, "cargo", 1, &[]);
        assert_eq!(code, Some(0));
        let (asks, record) = asked(&words[1..]);
        assert_eq!(asks, format!("hash:{part}/{}", parts.len()));
        records.push(record);
    }
    assert_eq!(jobs["whole"]["needs"], json!("part"));
    let summary = [("GITHUB_STEP_SUMMARY", String::from("/dev/stdout"))];
    let (words, _) = words_of(&script("whole"), "cargo", 0, &summary);
    let program = xtask::command().try_get_matches_from(&words[1..]).unwrap();
    let merge =
        program.subcommand_matches("report").and_then(|report| report.subcommand_matches("merge")).unwrap();
    let joined: Vec<&str> = merge.get_raw("files").unwrap().map(|file| file.to_str().unwrap()).collect();
    assert_eq!(joined, records);
}

/// A fake `cargo` prints the arguments that the action passes to the main job.
#[rstest]
#[case::of_no_line("", &[])]
#[case::of_one_line("--spec onnx --jobs 2", &["--spec", "onnx", "--jobs", "2"])]
#[case::of_several_lines("--spec onnx\n  --jobs 2\n\n--all\n", &["--spec", "onnx", "--jobs", "2", "--all"])]
fn the_action_passes_on_every_line_of_its_arguments(#[case] args: &str, #[case] due: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("cargo"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n").unwrap();
    fs::set_permissions(path("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut judge = Command::new("bash");
    judge
        .arg(root().join(".github/judge.sh"))
        .env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()));
    judge.envs([("NORMATIVE", "."), ("BACKEND", "mine"), ("BASELINE", ""), ("ARGS", args)]);
    for name in ["RUNNER_TEMP", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
        judge.env(name, path(name));
    }
    let output = judge.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let (_, more) = said.split_once("/normative.md\n").unwrap();
    assert_eq!(more.lines().collect::<Vec<_>>(), due);
}
