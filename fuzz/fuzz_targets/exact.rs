//! Any bytes are a call, and of it the reference's evaluators say the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use normative_conformance::generate::input;
use normative_fuzz_checks::second_opinion;

fuzz_target!(|bytes: &[u8]| {
    if let Err(contradiction) = second_opinion::hold(&input::call(bytes)) {
        panic!("{contradiction}");
    }
});
