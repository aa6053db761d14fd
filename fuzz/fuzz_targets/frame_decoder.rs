//! Any bytes are a frame body or a typed error, and what decodes encodes back to the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use normative_conformance::worker::wire;

fuzz_target!(|body: &[u8]| {
    let _ = wire::decode_hello(body);
    if let Ok((number, call)) = wire::decode_call(body) {
        assert_eq!(wire::encode_call(number, &call), body);
    }
    if let Ok((number, answer)) = wire::decode_answer(body) {
        assert_eq!(wire::encode_answer(number, &answer), body);
    }
});
