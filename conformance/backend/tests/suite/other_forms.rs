//! What a hello says of axes in the form of another opset.

use normative_backend::wire::{Hello, decode_hello, encode_hello};
use normative_backend::{Capabilities, Identity};

#[test]
fn a_hello_that_takes_forms_of_another_opset_says_so_last() {
    let identity = Identity { name: "n".into(), version: "v".into(), report_bugs_to: "r".into() };
    let usual = encode_hello(&Hello { identity: identity.clone(), capabilities: Capabilities::default() });
    let hello =
        Hello { identity, capabilities: Capabilities { other_forms: true, ..Capabilities::default() } };
    let body = encode_hello(&hello);
    assert_eq!(body, [&usual[..], &[0, 3, 0, 0, 0, 1, 2, 3, 1]].concat());
    assert_eq!(decode_hello(&body), Ok(hello));
}
