//! A fuzzer's input: the calls of the corpus can be spelled, and what is spelled is read back.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::Path;

use normative_conformance::cases;
use normative_conformance::generate::input::{bytes_of, call};
use normative_conformance::property::row;
use normative_conformance::reference::{Call, Spec};
use proptest::prelude::*;

/// Bit for bit.
fn same(a: &Call, b: &Call) -> bool {
    let bits = |call: &Call| (call.data.dtype(), call.data.shape().to_vec(), call.data.bits());
    a.operator == b.operator && a.axes == b.axes && bits(a) == bits(b)
}

#[test]
fn most_calls_of_the_corpus_can_be_spelled() {
    let corpus = cases::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases")).unwrap();
    let mut spelled = 0;
    for case in &corpus.cases {
        if let Some(bytes) = bytes_of(&case.call) {
            assert!(same(&call(&bytes), &case.call), "{}", case.name);
            spelled += 1;
        } else if std::env::var_os("SHOW").is_some() {
            println!("MISS {} {}", case.name, normative_conformance::display::call(&case.call));
        }
    }
    println!("{spelled} of {} calls", corpus.cases.len());
    assert!(spelled * 4 > corpus.cases.len() * 3, "{spelled} of {} calls", corpus.cases.len());
}
