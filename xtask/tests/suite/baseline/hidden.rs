//! Failures that could hide behind a known one: each part of a run must name the new ones.

use std::fs;

use rstest::rstest;

use super::mock::Setting;

/// The parts of a run that users ask. The last is the whole run.
const PARTS: [&[&str]; 7] = [
    &["--property", "16", "--spec", "openvino"],
    &["--property", "200", "--seed", "2"],
    &["--property", "200", "--case", "all-of-a-vector"],
    &["--property", "0"],
    &["--property", "40"],
    &["--property", "0", "--case", "openvino-l1-all-of-a-vector/ReduceL1-4/f32"],
    &["--property", "200"],
];

/// With a baseline of `before`, every part of a run of `after` must fail.
#[rstest]
#[case::all_results_become_a_constant("f32=drifts", "f32=constant")]
#[case::all_elements_are_wrong_where_one_was("f32=drifts-at-first", "f32=constant")]
#[case::all_calls_are_refused_where_half_were("f32=refuses-some f64=refuses", "f32=refuses f64=refuses")]
fn a_failure_hides_behind_a_known_one_in_no_part_of_a_run(#[case] before: &str, #[case] after: &str) {
    let setting = Setting::new();
    let path = setting.baseline();
    let baseline = ["--baseline", path.to_str().unwrap()];
    setting
        .judge(before, &[&["--property", "200", "--baseline-update"], &baseline[..]].concat())
        .exits_with(0);
    let hidden: Vec<_> = PARTS
        .into_iter()
        .filter(|part| setting.judge(after, &[part, &baseline[..]].concat()).code != Some(1))
        .collect();
    assert_eq!(hidden, [[""; 0]; 0], "{}", fs::read_to_string(&path).unwrap());
    // Each part still passes with the same failures; only another seed has calls that the baseline lacks.
    for part in PARTS.into_iter().filter(|part| !part.contains(&"--seed")) {
        setting.judge(before, &[part, &baseline[..]].concat()).exits_with(0);
    }
}
