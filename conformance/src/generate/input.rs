//! Converts a fuzzer's input: any bytes to a call, and most calls to bytes.
//!
//! The first byte chooses the spec, the second the [`Profile`]; the others spell the call as
//! [`generate::call`](super::call) reads them. It is total in the same way: any bytes give a call.
//!
//! [`bytes_of`] is the inverse. It writes the choices of the generator, and returns them only if the generator
//! makes exactly this call of them. A gap here costs the fuzzer a seed, but never gives a wrong one. It handles
//! neither calls of more than 48 elements (those are drawn, not spelled) nor signalling NaNs (none is
//! generated).

use arbitrary::Unstructured;
use normative_reference::{Call, Spec};

use super::data::{SPELLED, small};
use super::undo::{Undone, undo};
use super::written::{Plain, Written, place};
use super::{Limits, Profile, twist};

/// Small limits, because a fuzzer learns from many calls. One in fifty may still be larger. Most elements are
/// spelled, so that the fuzzer can change one at a time.
const LIMITS: Limits = Limits { max_elements: 64, spelled: 192 };

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

/// Returns bytes that stand for this call, if any are found.
pub fn bytes_of(call: &Call) -> Option<Vec<u8>> {
    let wanted = Plain::of(call);
    let spell = |profile, twist: Option<u8>, Undone { plain, listed, tail }: Undone| {
        let mut written = Written::default();
        written.bytes(&[place(&Spec::ALL, &wanted.spec)?, place(&Profile::ALL, &profile)?]);
        written.bytes(twist.as_slice());
        plain.write(&mut written, listed)?;
        written.bytes(&tail);
        write_elements(&mut written, call)?;
        let bytes = written.finish();
        same(&self::call(&bytes), call).then_some(bytes)
    };
    let valid = Undone { plain: wanted.clone(), listed: false, tail: Vec::new() };
    if let Some(bytes) = spell(Profile::Valid, None, valid) {
        return Some(bytes);
    }
    for profile in [Profile::Open, Profile::Invalid] {
        for (at, &twist) in twist::of(wanted.spec, profile).iter().enumerate() {
            let mut ways = undo(twist, &wanted).into_iter();
            // The index fits into a byte: a spec has at most a dozen twists.
            if let Some(bytes) = ways.find_map(|undone| spell(profile, Some(at as u8), undone)) {
                return Some(bytes);
            }
        }
    }
    None
}

/// Compares bit for bit: different NaNs are different here.
fn same(a: &Call, b: &Call) -> bool {
    let bits = |call: &Call| (call.data.dtype(), call.data.shape().to_vec(), call.data.bits());
    a.operator == b.operator && a.axes == b.axes && bits(a) == bits(b)
}

/// Writes every element by bytes of its own: small integers by one, all others by nine.
fn write_elements(out: &mut Written, call: &Call) -> Option<()> {
    let (dtype, bits) = (call.data.dtype(), call.data.bits());
    if bits.len() > SPELLED {
        return None;
    }
    out.bytes(&[0]);
    for bits in bits {
        if let Some(choice) = (0..19).find(|&choice| small(dtype, choice) == bits) {
            out.bytes(&[choice as u8]);
        } else {
            out.bytes(&[u8::MAX]);
            out.bytes(&bits.to_le_bytes());
        }
    }
    Some(())
}
