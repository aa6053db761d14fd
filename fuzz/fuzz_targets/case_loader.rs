//! Any text is a case file or a typed error: never a panic, a hang, or more memory than it says.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use normative_conformance::cases::load_text;

fuzz_target!(|text: &str| {
    let _ = load_text(Path::new("fuzz.yaml"), text);
});
