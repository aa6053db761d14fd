//! Any text is a baseline or typed errors, and one that is says the same when it is written again.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use normative_conformance::report::baseline::Baseline;

fuzz_target!(|text: &str| {
    let path = Path::new("fuzz.yaml");
    let Ok(baseline) = Baseline::load_text(path, text) else { return };
    // One that a person wrote may be too large, or hold characters that no file of ours has, once it is written out.
    if let Ok(text) = baseline.to_text(path) {
        assert_eq!(Baseline::load_text(path, &text).as_ref(), Ok(&baseline));
    }
});
