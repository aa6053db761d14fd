//! Known failures from a user's view: expected failures, and every deviation from them.

mod hidden;
mod mock;

use std::fs;

use self::mock::Setting;
use normative_conformance::corpus::load;
use normative_conformance::report::baseline::Key;

/// Returns the entry of a refused case.
fn refused(dtype: &str) -> String {
    fails(dtype, "refused-valid")
}

/// Returns the entry of a case that fails in this way.
fn fails(dtype: &str, way: &str) -> String {
    let name = format!("openvino-l1-all-of-a-vector/ReduceL1-4/{dtype}");
    let corpus = load(Setting::new().cases()).unwrap();
    let key = Key::of_case(corpus.cases.iter().find(|case| case.name == name).unwrap());
    entry(&name, &key.to_string(), way)
}

fn entry(name: &str, key: &str, way: &str) -> String {
    format!("\n- name: {name}\n  fails:\n  - way: {way}\n    calls: '{key}'\n")
}

#[test]
fn an_expected_failure_is_no_failure() {
    let setting = Setting::new();
    setting.write(&refused("i8"));
    let run = setting.check("i8=refuses").exits_with(0).prints("1 known to fail");
    assert!(!run.out.contains("FAIL"), "{}", run.out);
    run.prints("conforms but for what is known: \"mock 0\": 6 conform, 1 fail of 7 cases");
}

#[test]
fn a_failure_that_is_not_known_fails_as_without_a_baseline() {
    let setting = Setting::new();
    setting.write(&refused("i8"));
    let run = setting.check("i8=refuses u8=refuses").exits_with(1);
    assert!(!run.out.contains("ReduceL1-4/i8"), "{}", run.out);
    run.prints("FAIL openvino-l1-all-of-a-vector/ReduceL1-4/u8\n")
        .prints("is not as its baseline says: \"mock 0\": 5 conform");
}

#[test]
fn an_unexpected_pass_fails() {
    let setting = Setting::new();
    setting.write(&format!("{}  issue: https://example.org/7\n", refused("i8")));
    setting
        .check("")
        .exits_with(1)
        .prints("UNEXPECTED PASS openvino-l1-all-of-a-vector/ReduceL1-4/i8\n  known     refused-valid\n")
        .prints("  issue     https://example.org/7\n")
        .prints("--case openvino-l1-all-of-a-vector/ReduceL1-4/i8\n");
}

#[test]
fn a_failure_for_another_reason_than_the_known_one_fails() {
    let setting = Setting::new();
    setting.write(&refused("i8"));
    setting
        .check("i8=keeps")
        .exits_with(1)
        .prints("OTHER REASON openvino-l1-all-of-a-vector/ReduceL1-4/i8\n  known     refused-valid\n")
        .prints("  now       output-shape: rank 1 for 0\n")
        .prints("  result    expected output shape [], got [2]\n");
    setting.check("i8=panics").exits_with(1).prints("  now       crashed\n");
}

#[test]
fn an_entry_that_names_no_call_is_stale_and_fails() {
    let setting = Setting::new();
    for (name, key) in [
        ("openvino-l1-gone/ReduceL1-4/i16", "0123abcd".to_owned()),
        (
            "\"openvino/ReduceL1-4: no-such-question\"",
            Key::of_place("openvino/ReduceL1-4: no-such-question").to_string(),
        ),
    ] {
        setting.write(&entry(name, &key, "crashed"));
        let name = name.trim_matches('"');
        let stale = format!("STALE {name}\n  known     crashed\n  now       no call of this run is it\n");
        setting.check("").exits_with(1).prints(&stale);
        // A run over fewer cases cannot tell, so it passes.
        let path = setting.baseline();
        let less = ["--property", "0", "--case", "one-row", "--baseline", path.to_str().unwrap()];
        setting.judge("", &less).exits_with(0);
    }
}

#[test]
fn a_known_failure_that_is_unsupported_now_is_missing_and_fails() {
    let setting = Setting::new();
    setting.write(&refused("i8"));
    setting
        .check("i8=declines")
        .exits_with(1)
        .prints("MISSING openvino-l1-all-of-a-vector/ReduceL1-4/i8\n  known     refused-valid\n")
        .prints("  now       unsupported: not any more\n");
}

#[test]
fn what_the_users_own_filter_leaves_out_is_not_missing() {
    let setting = Setting::new();
    setting.write(&refused("i8"));
    let path = setting.baseline();
    let filtered = ["--property", "0", "--case", "one-row", "--baseline", path.to_str().unwrap()];
    let run = setting.judge("i8=refuses", &filtered).exits_with(0);
    assert!(!run.out.contains("MISSING") && !run.out.contains("known to fail"), "{}", run.out);
}

#[test]
fn a_result_that_is_another_when_asked_again_is_flaky_and_fails() {
    for (role, says) in [
        ("i8=refuses-at-first", "refused-valid, asked again: does not fail"),
        ("i8=refuses-later", "does not fail, asked again: refused-valid"),
    ] {
        let setting = Setting::new();
        // A known failure is flaky if it passes first; an unknown one, if it fails first.
        setting.write(&if role == "i8=refuses-later" { refused("i8") } else { " []\n".to_owned() });
        setting
            .check(role)
            .exits_with(1)
            .prints("FLAKY openvino-l1-all-of-a-vector/ReduceL1-4/i8\n")
            .prints(&format!("  now       {says}\n"));
    }
}

#[test]
fn one_known_bug_needs_no_run_without_generated_calls_and_another_bug_still_fails() {
    let setting = Setting::new();
    let path = setting.baseline();
    let baseline = ["--property", "400", "--baseline", path.to_str().unwrap()];
    let missing = setting.judge("u8=refuses", &baseline).exits_with(2);
    assert!(missing.err.contains("known.yaml"), "{}", missing.err);
    setting.judge("u8=refuses", &[&baseline[..], &["--baseline-update"]].concat()).exits_with(0);

    let run = setting.judge("u8=refuses", &baseline).exits_with(0);
    assert!(!run.out.contains("FAIL"), "{}", run.out);
    let all = [&baseline[..], &["--all"]].concat();
    setting.judge("u8=refuses i8=refuses", &all).exits_with(1).prints("FAIL generated-1:");
    // Known failures are not part of a defect.
    setting.judge("u8=refuses i8=refuses", &baseline).exits_with(1).prints("\n  types     i8\n");
    let entry = "valid calls refused for u8, as if: Unsigned data are refused";
    setting.judge("", &baseline).exits_with(1).prints(&format!("UNEXPECTED PASS {entry}\n"));
    setting.judge("u8=declines", &baseline).exits_with(1).prints(&format!("MISSING {entry}\n"));
    // The file does not cover another row: its calls are neither stale nor missing, and fail as new.
    let other =
        setting.judge("u8=refuses", &[&baseline[..], &["--seed", "2", "--all"]].concat()).exits_with(1);
    assert!(!other.out.contains("STALE") && !other.out.contains("MISSING"), "{}", other.out);
    other.prints("FAIL generated-2:");
    // Nor does a smaller run miss the calls beyond its number.
    let few = setting.judge("u8=refuses", &[&["--property", "40"], &baseline[2..]].concat()).exits_with(0);
    assert!(!few.out.contains("MISSING") && !few.out.contains("STALE"), "{}", few.out);
}

#[test]
fn a_known_defect_is_one_entry_and_hides_nothing_else() {
    let setting = Setting::new();
    let path = setting.baseline();
    let baseline = ["--property", "400", "--baseline", path.to_str().unwrap()];
    let update = [&baseline[..], &["--baseline-update"]].concat();
    setting.judge("u8=refuses", &update).exits_with(0);
    let text = setting.text();
    let (name, entry) = (
        "valid calls refused for u8, as if: Unsigned data are refused",
        "\n  fails:\n  - way: refused-valid\n    calls: ",
    );
    let entry = format!("runs:\n- seed: 1\n  calls: 400\nknown:\n- name: '{name}'{entry}");
    assert!(text.contains(&entry) && text.matches("\n- name: ").count() == 1, "{text}");
    let number = text.split_whitespace().filter(|word| word.parse::<Key>().is_ok()).count();
    setting.judge("u8=refuses", &baseline).exits_with(0).prints(&format!("{number} known to fail"));
    setting.judge("u8=refuses", &update).exits_with(0);
    assert_eq!(setting.text(), text, "an update that finds nothing new writes the same file");

    // The same failure of another type is new, and so is another failure of a known call.
    let elsewhere = setting.judge("u8=refuses i8=refuses", &baseline).exits_with(1);
    elsewhere.prints("\n  types     i8\n");
    for other in ["u8=keeps", "u8=panics"] {
        let run = setting.judge(other, &baseline).exits_with(1);
        assert!(run.out.contains("OTHER REASON ") && !run.out.contains("known to fail"), "{}", run.out);
    }
    let all = setting.judge("u8=panics", &[&baseline[..], &["--all"]].concat()).exits_with(1);
    all.prints("\nOTHER REASON generated-1:").prints("\n  known     refused-valid\n  now       crashed\n");

    // Once mended, the entry must be removed.
    let mended = setting.judge("", &baseline).exits_with(1);
    mended
        .prints(&format!("UNEXPECTED PASS {name}\n  known     {number} calls fail so: refused-valid\n"))
        .prints(&format!("\n  now       {number} of them do not fail, the first "));
    setting.judge("", &update).exits_with(0);
    assert_eq!(setting.text().split_once('\n').unwrap().1, "runs:\n- seed: 1\n  calls: 400\nknown: []\n");
}

#[test]
fn a_run_over_less_names_defects_and_keeps_what_was_said() {
    let setting = Setting::new();
    let path = setting.baseline();
    let baseline = ["--property", "400", "--baseline", path.to_str().unwrap()];
    let update = [&baseline[..], &["--baseline-update"]].concat();
    // A defect in one family's calls is also one entry.
    setting.judge("u8=refuses", &[&update[..], &["--spec", "openvino"]].concat()).exits_with(0);
    assert_eq!(setting.text().matches("\n- name: ").count(), 1, "{}", setting.text());
    assert!(setting.text().contains("- seed: 1\n  calls: 400\n  part: true\n"), "{}", setting.text());
    fs::remove_file(&path).unwrap();

    setting.judge("u8=refuses", &update).exits_with(0);
    let text = format!("{}  issue: https://example.org/7\n", setting.text());
    fs::write(&path, &text).unwrap();
    setting.judge("u8=refuses", &update).exits_with(0);
    assert_eq!(setting.text(), text);
    let filtered = ["--case", "one-row", "--baseline", path.to_str().unwrap(), "--baseline-update"];
    setting.judge("", &filtered).exits_with(0);
    assert_eq!(setting.text(), text);

    // Another row has other calls, which the baseline lacks. An update adds them, and then both rows are known.
    let second = [&baseline[..], &["--seed", "2"]].concat();
    setting.judge("u8=refuses", &second).exits_with(1);
    setting.judge("u8=refuses", &[&update[..], &["--seed", "2"]].concat()).exits_with(0);
    let both = "runs:\n- seed: 1\n  calls: 400\n- seed: 2\n  calls: 400\nknown:\n";
    assert!(setting.text().contains(both), "{}", setting.text());
    assert!(setting.text().contains("  issue: https://example.org/7\n"), "{}", setting.text());
    setting.judge("u8=refuses", &second).exits_with(0);
    setting.judge("u8=refuses", &baseline).exits_with(0);
}

#[test]
fn a_question_that_is_known_to_be_read_in_two_ways_is_expected_to_be() {
    let setting = Setting::new();
    let path = setting.baseline();
    let baseline = ["--property", "2000", "--baseline", path.to_str().unwrap()];
    let update = [&baseline[..], &["--baseline-update"]].concat();
    setting.judge("f32=other-reading", &update).exits_with(0);
    let text = setting.text();
    assert!(text.contains("way: inconsistent"), "{text}");
    setting.judge("f32=other-reading", &baseline).exits_with(0);
    setting
        .judge("", &baseline)
        .exits_with(1)
        .prints("UNEXPECTED PASS ")
        .prints("  known     inconsistent\n");
    setting.judge("", &[&["--property", "0"], &baseline[2..]].concat()).exits_with(0);
}

#[test]
fn an_update_writes_what_fails_now_sorted_and_keeps_what_was_said_of_it() {
    let setting = Setting::new();
    let before = [
        entry("openvino-l1-gone/ReduceL1-4/i8", "0123abcd", "crashed"),
        fails("u8", "crashed") + "  comment: |-\n    Two\n    lines.",
        refused("i8") + "  issue: https://example.org/7\n",
    ];
    setting.write(&before.concat());
    let path = setting.baseline();
    let update = ["--property", "0", "--baseline", path.to_str().unwrap(), "--baseline-update"];
    setting.judge("i8=refuses u8=keeps f64=panics", &update).exits_with(0);
    let after = [
        fails("f64", "crashed"),
        refused("i8") + "  issue: https://example.org/7\n",
        fails("u8", "'output-shape: rank 1 for 0'") + "  comment: |-\n    Two\n    lines.\n",
    ];
    let head = "# Known failures. `conformance --baseline FILE --baseline-update` writes them anew.";
    let due = format!("{head}\nruns:\n- seed: 1\n  calls: 0\nknown:{}", after.concat());
    assert_eq!(setting.text().replace('\'', ""), due.replace("\n\n", "\n").replace('\'', ""));
    setting.check("i8=refuses u8=keeps f64=panics").exits_with(0).prints("3 known to fail");
    // An update keeps entries that the run does not cover, so the file is unchanged, byte for byte.
    let before = setting.text();
    setting.judge("", &[&update[..], &["--case", "one-row"]].concat()).exits_with(0);
    assert_eq!(setting.text(), before);
}

#[test]
fn a_file_that_is_no_baseline_judges_nobody() {
    let setting = Setting::new();
    setting.write(&fails("i8", "too-slow"));
    setting.check("").refuses(&["known.yaml:", "unknown way `too-slow`", "wrong-value"]);
    fs::remove_file(setting.baseline()).unwrap();
    setting.check("").refuses(&["known.yaml"]);
    setting.judge("", &["--baseline-update"]).refuses(&["--baseline"]);
}
