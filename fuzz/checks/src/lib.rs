//! Checks that hold for any foreign bytes: one function per reader, which panics on a violation.
//!
//! The targets in `fuzz/fuzz_targets` run them on libFuzzer's inputs, and the tests here on kept inputs. They
//! are a separate crate because libFuzzer needs a C++ compiler, and `cargo test --workspace` must not.

pub mod growth;
pub mod kept;
pub mod second_opinion;

use std::path::Path;

use normative_backend::wire::Reply;
use normative_backend::{Answer, frame, wire};
use normative_conformance::corpus::{load_ledger_text, load_text};
use normative_conformance::report::baseline::Baseline;
use normative_conformance::report::record::{Record, read_all, write};
use normative_conformance::run::prepare;
use normative_onnx::outline::outline;
use normative_onnx::{nodes, read};

/// The most elements to evaluate. Loading is cheap for any size; evaluating more is slow and reaches no new code.
const MAX_ELEMENTS: usize = 10_000;

/// The file name in errors.
const PATH: &str = "fuzz.yaml";

/// Checks that any bytes are frames or a typed error, and any body a message or a typed error. Decoded
/// messages encode to the same bytes, unless they hold a text long enough to be cut.
///
/// # Panics
/// If that does not hold.
pub fn frame_decoder(bytes: &[u8]) {
    let mut stream = bytes;
    while let Ok(Some(frame)) = frame::read(&mut stream, frame::MAX_BODY) {
        decode(&frame.body);
        let mut again = Vec::new();
        assert!(frame::write(&mut again, frame.tag, &frame.body).is_ok(), "what was read can be written");
        let end = bytes.len() - stream.len();
        assert_eq!(again, bytes[end - again.len()..end]);
    }
    // Decode the bytes as a body too, so that not every input needs a matching length.
    decode(bytes);
}

fn decode(body: &[u8]) {
    let lines = body.split(|&byte| byte == b'\n').count() - 1;
    let (cuts_names, cuts_texts) = (body.len() > wire::MAX_NAME, body.len() > wire::MAX_TEXT);
    let cuts_lines = lines >= wire::MAX_LINES;
    if let Ok(hello) = wire::decode_hello(body) {
        // A trailing 0 ("not slow") may be left out, and the encoder does so.
        let again = wire::encode_hello(&hello);
        assert!(cuts_names || cuts_lines || again == body || [&again[..], &[0]].concat() == body);
    }
    if let Ok(unavailable) = wire::decode_unavailable(body) {
        assert!(cuts_texts || cuts_lines || wire::encode_unavailable(&unavailable) == body);
    }
    if let Ok((number, call)) = wire::decode_call(body) {
        assert_eq!(wire::encode_call(number, &call), body);
    }
    if let Ok((number, reply)) = wire::decode_answer(body) {
        let is_text = !matches!(reply, Reply::Answer(Answer::Tensor(_)) | Reply::TimedOut(_));
        let cut = is_text && (cuts_texts || cuts_lines);
        assert!(cut || encoded(number, &reply) == body);
    }
}

/// Returns the bytes of a worker's message for this reply.
fn encoded(number: u64, reply: &Reply) -> Vec<u8> {
    let mut body = Vec::new();
    match reply {
        Reply::Answer(answer) => wire::put_answer(&mut body, number, answer),
        Reply::ChangedData(how) => wire::put_changed_data(&mut body, number, how),
        Reply::TimedOut(after) => {
            body.extend(number.to_le_bytes());
            body.push(5);
            body.extend(u64::try_from(after.as_nanos()).unwrap_or(u64::MAX).to_le_bytes());
        }
        // Only a bound makes this reply, and these checks use none.
        Reply::Oversized { .. } => {}
    }
    body
}

/// Checks that any text is a case file or a typed error, and so is the reference's work on its cases: never a
/// panic, a hang, or more memory than documented.
///
/// # Panics
/// If that does not hold.
pub fn case_loader(text: &str) {
    let _ = load_ledger_text(Path::new(PATH), text);
    if let Ok(cases) = load_text(Path::new(PATH), text) {
        let elements: usize = cases.iter().map(|case| case.call.data.len()).sum();
        if elements <= MAX_ELEMENTS {
            let _ = prepare(&cases);
        }
    }
}

/// Checks that any bytes are records of runs or a typed error, and that a record reads back as written.
///
/// # Panics
/// If that does not hold.
pub fn record_reader(bytes: &[u8]) {
    for record in read_all(bytes).into_iter().flatten() {
        let _ = record.header.demands();
        let again = read_all(&written(&record)[..]);
        assert!(again.is_ok(), "what was read can be written and read: {again:?}");
        let again: Vec<Record> = again.into_iter().flatten().collect();
        assert_eq!(again.len(), 1);
        // Answers are left out, because a NaN is not equal to itself.
        assert_eq!(again[0].header, record.header);
        assert_eq!(again[0].cases.len(), record.cases.len());
        assert_eq!((&again[0].flakes, &again[0].end), (&record.flakes, &record.end));
        assert_eq!(written(&again[0]), written(&record));
    }
}

fn written(record: &Record) -> Vec<u8> {
    let mut text = Vec::new();
    for line in record.clone().lines() {
        assert!(write(&mut text, &line).is_ok(), "a Vec takes it");
    }
    text
}

/// Checks that any text is a baseline or typed errors, and that a baseline reads back as written.
///
/// # Panics
/// If that does not hold.
pub fn baseline_loader(text: &str) {
    let path = Path::new(PATH);
    let Ok(baseline) = Baseline::load_text(path, text) else { return };
    // A person's baseline may become too large when written again, or hold characters that our files never have.
    if let Ok(text) = baseline.to_text(path) {
        assert_eq!(Baseline::load_text(path, &text).as_ref(), Ok(&baseline));
    }
}

/// Checks that any bytes are an ONNX model, or a tensor, or a typed error.
///
/// # Panics
/// If a model has other nodes without its weights.
pub fn onnx_reader(bytes: &[u8]) {
    // Without its weights, a model has the same nodes.
    if let (Ok(found), Ok(outlined)) = (nodes::find(bytes), outline(std::io::Cursor::new(bytes)))
        && let Ok(again) = nodes::find(&outlined)
    {
        assert_eq!(found.len(), again.len());
    }
    let _ = read::tensor(bytes);
}
