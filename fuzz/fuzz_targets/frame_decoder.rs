//! Any bytes are frames or a typed error, any body is a message or a typed error, and what is decoded
//! encodes back to the same bytes, unless it holds a text that is long enough to be cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use normative_fuzz_checks::frame_decoder;

fuzz_target!(|bytes: &[u8]| frame_decoder(bytes));
