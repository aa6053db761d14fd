//! Any bytes are the records of runs or a typed error, and what was read says the same when it is written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use normative_conformance::report::record::{Record, read_all, write};

fuzz_target!(|bytes: &[u8]| {
    let Ok(records) = read_all(bytes) else { return };
    for record in records {
        let _ = record.header.demands();
        let again = read_all(&written(&record)[..]).expect("what was read can be written and read");
        assert_eq!(again.len(), 1);
        // Not the answers: a NaN is no NaN.
        assert_eq!(again[0].header, record.header);
        assert_eq!(again[0].cases.len(), record.cases.len());
        assert_eq!((&again[0].flakes, &again[0].end), (&record.flakes, &record.end));
        assert_eq!(written(&again[0]), written(&record));
    }
});

fn written(record: &Record) -> Vec<u8> {
    let mut text = Vec::new();
    record.clone().lines().for_each(|line| write(&mut text, &line).expect("a Vec takes it"));
    text
}
