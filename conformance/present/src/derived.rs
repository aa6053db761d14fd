//! Adds the arithmetic of a bound to the evidence against an answer, so that a reader can check it.
//!
//! Formats that have room for it share this. The bound itself comes from `judge::accuracy`.

use normative_reference::{Call, Expected, Kind, Value};

use normative_backend::Capabilities;
use normative_conformance::judge::accuracy;
use normative_conformance::judge::compare::{ElementMismatch, Mismatch, declared_accumulation};
use normative_conformance::judge::verdict::{Miss, Sheet, Verdict};
use normative_conformance::report::derivation;
use normative_conformance::report::finding::Line;
use normative_conformance::report::label;

/// Inserts the arithmetic of the bound after the line of the error that exceeds it, for the nearest reading.
pub(crate) fn derive(lines: &mut Vec<Line>, call: &Call, verdict: &Verdict, capabilities: &Capabilities) {
    let Verdict::Fails(misses) = verdict else { return };
    let Some(miss) = misses.first() else { return };
    let Mismatch::Element(element) = &miss.mismatch else { return };
    // The judge has already evaluated the same call, so this does not fail.
    let Some(sheet) = element.error.and_then(|_| Sheet::of(call).ok()) else { return };
    if let Some(at) = lines.iter().position(|line| line.label == label::ERROR) {
        let after = lines.split_off(at + 1);
        lines.extend(arithmetic(&sheet, miss, element, capabilities));
        lines.extend(after);
    }
}

fn arithmetic(
    sheet: &Sheet,
    miss: &Miss,
    ElementMismatch { dtype, exact, got, .. }: &ElementMismatch,
    capabilities: &Capabilities,
) -> Vec<Line> {
    let entry = sheet
        .entries
        .iter()
        .find(|entry| entry.choices.first().map_or(&[][..], Vec::as_slice) == miss.readings.as_slice());
    let Some(Expected::Near(near)) = entry.map(|entry| &entry.expected) else {
        return Vec::new();
    };
    let (Some(Value::Finite(exact)), Kind::Float(format)) = (exact, dtype.kind()) else {
        return Vec::new();
    };
    let declared = declared_accumulation(*dtype, capabilities);
    let above = accuracy::measure(exact, *got, format, near, declared).above;
    derivation::lines(exact, format, near, declared, &[above])
}
