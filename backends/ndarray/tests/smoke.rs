//! Tests smoke on a real adapter that supports everything.

#![allow(clippy::unwrap_used, reason = "a test may")]

use normative_backend_ndarray::backend;
use normative_conformance::drive::smoke::{self, Found};

#[test]
fn smoke_finds_nothing_wrong_and_nothing_unsupported() {
    let lines = smoke::backend(&mut backend(), |_| {}).unwrap();
    assert!(lines.iter().all(|line| line.found == Found::Right), "{lines:#?}");
}
