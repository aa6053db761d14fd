//! Tests a fuzzer's input: bytes exist for the corpus's calls, and decode to the same call.

use std::path::Path;

use normative_conformance::corpus;
use normative_conformance::generate::input::{bytes_of, call};
use normative_conformance::reference::{Call, Spec};
use normative_conformance::run::property::{Id, row};

/// The most elements that are spelled out rather than drawn.
const SPELLED: usize = 48;

/// Compares two calls bit for bit.
fn same(a: &Call, b: &Call) -> bool {
    let bits = |call: &Call| (call.data.dtype(), call.data.shape().to_vec(), call.data.bits());
    a.operator == b.operator && a.axes == b.axes && bits(a) == bits(b)
}

/// Returns the percentage of calls with bytes; all of these decode to the same call.
fn percent_spelled(calls: impl Iterator<Item = Call>) -> usize {
    let (mut spelled, mut all) = (0, 0);
    for wanted in calls {
        all += 1;
        if let Some(bytes) = bytes_of(&wanted) {
            assert!(same(&call(&bytes), &wanted), "{wanted:?}");
            spelled += 1;
        }
    }
    100 * spelled / all
}

#[test]
fn most_calls_of_the_corpus_can_be_spelled() {
    let corpus = corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases")).unwrap();
    let calls = || corpus.cases.iter().map(|case| case.call.clone());
    // Most of the missing calls are of kernels, and longer than the limit.
    assert_eq!(percent_spelled(calls()), 59);
    // The missing calls have signalling NaNs, ranks from 7 on, long dims beside an empty one, or axis numbers
    // of WebNN that the generator does not use.
    assert_eq!(percent_spelled(calls().filter(|call| call.data.len() <= SPELLED)), 95);
}

#[test]
fn what_the_generator_makes_of_few_elements_can_be_spelled() {
    let small = row(11, &Spec::ALL).map(Id::call).filter(|call| call.data.len() <= SPELLED);
    let percent = percent_spelled(small.take(4000));
    assert!(percent >= 95, "{percent} of 100");
}

#[test]
fn bytes_that_are_cut_are_a_call_all_the_same() {
    let bytes: Vec<u8> = (0..=255).collect();
    let cut: Vec<Call> = (0..bytes.len()).map(|length| call(&bytes[..length])).collect();
    assert_eq!((cut[0].spec(), cut[0].data.shape()), (Spec::ALL[0], [1].as_slice()));
    assert!(cut.iter().any(|other| !same(other, &cut[0])));
}
