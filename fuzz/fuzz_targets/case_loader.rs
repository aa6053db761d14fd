//! Any text is a case file or a typed error, and so is what the reference makes of its cases: never a
//! panic, a hang, or more memory than is documented.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use normative_conformance::corpus::{load_ledger_text, load_text};
use normative_conformance::run::prepare;

/// Loading is cheap however large the data are; evaluating them is not, and nothing new to see.
const MAX_ELEMENTS: usize = 10_000;

fuzz_target!(|text: &str| {
    let _ = load_ledger_text(Path::new("fuzz.yaml"), text);
    if let Ok(cases) = load_text(Path::new("fuzz.yaml"), text) {
        let elements: usize = cases.iter().map(|case| case.call.data.len()).sum();
        if elements <= MAX_ELEMENTS {
            let _ = prepare(&cases);
        }
    }
});
