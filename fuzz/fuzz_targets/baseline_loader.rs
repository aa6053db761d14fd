//! Any text is a baseline or typed errors, and one that is says the same when it is written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use normative_fuzz_checks::baseline_loader;

fuzz_target!(|text: &str| baseline_loader(text));
