//! Any text is a case file or a typed error, and so is what the reference makes of its cases: never a
//! panic, a hang, or more memory than is documented.
#![no_main]

use libfuzzer_sys::fuzz_target;
use normative_fuzz_checks::case_loader;

fuzz_target!(|text: &str| case_loader(text));
