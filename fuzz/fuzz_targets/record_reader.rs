//! Any bytes are the records of runs or a typed error, and what was read says the same when it is written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use normative_fuzz_checks::record_reader;

fuzz_target!(|bytes: &[u8]| record_reader(bytes));
