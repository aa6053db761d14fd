use super::*;

#[test]
fn the_norm_is_of_everything_and_of_nothing_else() {
    normative_trial::of_everything(&mut backend());
}

#[test]
fn the_version_is_the_one_the_lock_file_pins() {
    assert!(normative_trial::pins(include_str!("../../Cargo.lock"), "faer", VERSION));
}
