//! Converts a fuzzer's input, any bytes, to a call.
//!
//! The first byte chooses the spec, the second the [`Profile`]; the others spell the call as
//! [`generate::call`](super::call) reads them. It is total in the same way: any bytes give a call.

use arbitrary::Unstructured;
use normative_reference::{Call, Spec};

use super::{CallLimits, Profile};

/// Small limits, because a fuzzer learns from many calls. One in fifty may still be larger. Most elements are
/// spelled, so that the fuzzer can change one at a time.
const LIMITS: CallLimits = CallLimits { max_elements: 64, spelled: 192 };

/// Returns the call that these bytes stand for.
pub fn call(bytes: &[u8]) -> Call {
    let (spec, rest) = choice(bytes, Spec::ALL.len());
    let (profile, rest) = choice(rest, Profile::ALL.len());
    // Both indices are remainders by the lengths of these arrays.
    let (spec, profile) = (Spec::ALL[spec], Profile::ALL[profile]);
    super::call(&mut Unstructured::new(rest), spec, profile, LIMITS)
}

/// Returns a number below `count` from the first byte, and the bytes after it.
fn choice(bytes: &[u8], count: usize) -> (usize, &[u8]) {
    match bytes {
        [first, rest @ ..] => (usize::from(*first) % count, rest),
        [] => (0, bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_cut_are_a_call_all_the_same() {
        let bytes: Vec<u8> = (0..=255).collect();
        let cut: Vec<Call> = (0..bytes.len()).map(|length| call(&bytes[..length])).collect();
        assert_eq!((cut[0].spec(), cut[0].data.shape()), (Spec::ALL[0], [1].as_slice()));
        assert!(cut.iter().any(|other| other.operator != cut[0].operator));
    }
}
