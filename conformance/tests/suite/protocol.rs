//! Tests the protocol's documentation of the judge's end.

use normative_backend::frame::MAX_BODY;
use normative_conformance::drive::Limits;

const PROTOCOL: &str = include_str!("../../backend/PROTOCOL.md");

#[test]
fn the_documented_deadlines_are_those_kept() {
    let states = |text: &str| assert!(PROTOCOL.contains(text), "PROTOCOL.md does not say {text:?}");
    let limits = Limits::default();
    states(&format!("| hello | {} s ", limits.hello.as_secs()));
    states(&format!("| answer | {} s ", limits.answer.as_secs()));
    assert_eq!((limits.max_frame, limits.memory), (MAX_BODY, None));
}
