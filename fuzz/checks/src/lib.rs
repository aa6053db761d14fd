//! What must hold of any bytes that somebody else wrote: one function a reader, each of which panics where it does not.
//!
//! The targets in `fuzz/fuzz_targets` hand them what libFuzzer makes, the tests here what it once made and was worth keeping. They
//! are a crate of their own because libFuzzer needs a C++ compiler, and `cargo test --workspace` must not.

pub mod growth;

use std::path::Path;

use normative_backend::reference::rule;
use normative_backend::wire::Reply;
use normative_backend::{Answer, frame, wire};
use normative_conformance::corpus::{load_ledger_text, load_text};
use normative_conformance::report::baseline::Baseline;
use normative_conformance::report::record::{Record, read_all, write};
use normative_conformance::run::prepare;
use normative_onnx::read;

/// Loading cases is cheap however large the data are; evaluating them is not, and nothing new to see.
const MAX_ELEMENTS: usize = 10_000;

/// What errors name, where there is no file.
const PATH: &str = "fuzz.yaml";

/// Any bytes are frames or a typed error, any body is a message or a typed error, and what is decoded encodes back to the
/// same bytes, unless it holds a text that is long enough to be cut.
///
/// # Panics
/// Where that does not hold.
pub fn frame_decoder(bytes: &[u8]) {
    let mut stream = bytes;
    while let Ok(Some(frame)) = frame::read(&mut stream, frame::MAX_BODY) {
        decode(&frame.body);
        let mut again = Vec::new();
        assert!(frame::write(&mut again, frame.tag, &frame.body).is_ok(), "what was read can be written");
        let end = bytes.len() - stream.len();
        assert_eq!(again, bytes[end - again.len()..end]);
    }
    // Without a frame around it, so that not every byte has to match a length.
    decode(bytes);
}

fn decode(body: &[u8]) {
    let lines = body.split(|&byte| byte == b'\n').count() - 1;
    let (cuts_names, cuts_texts) = (body.len() > wire::MAX_NAME, body.len() > wire::MAX_TEXT);
    let cuts_lines = lines >= wire::MAX_LINES;
    if let Ok(hello) = wire::decode_hello(body) {
        // A 0 for a worker that is not slow may be left out, and then is.
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

/// The bytes that a worker sends to say this.
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
        // Only a bound makes one, and there is none here: no bytes are these.
        Reply::Oversized { .. } => {}
    }
    body
}

/// Any text is a case file or a typed error, and so is what the reference makes of its cases: never a panic, a hang, or more
/// memory than is documented.
///
/// # Panics
/// Where that does not hold.
pub fn case_loader(text: &str) {
    let _ = load_ledger_text(Path::new(PATH), text);
    if let Ok(cases) = load_text(Path::new(PATH), text) {
        let elements: usize = cases.iter().map(|case| case.call.data.len()).sum();
        if elements <= MAX_ELEMENTS {
            let _ = prepare(&cases);
        }
    }
}

/// Any bytes are the records of runs or a typed error, and what was read says the same when it is written again.
///
/// # Panics
/// Where that does not hold.
pub fn record_reader(bytes: &[u8]) {
    for record in read_all(bytes).into_iter().flatten() {
        let _ = record.header.demands();
        let again = read_all(&written(&record)[..]);
        assert!(again.is_ok(), "what was read can be written and read: {again:?}");
        let again: Vec<Record> = again.into_iter().flatten().collect();
        assert_eq!(again.len(), 1);
        // Not the answers: a NaN is no NaN.
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

/// Any text is a baseline or typed errors, and one that is says the same when it is written again.
///
/// # Panics
/// Where that does not hold.
pub fn baseline_loader(text: &str) {
    let path = Path::new(PATH);
    let Ok(baseline) = Baseline::load_text(path, text) else { return };
    // One that a person wrote may be too large, or hold characters that no file of ours has, once it is written out.
    if let Ok(text) = baseline.to_text(path) {
        assert_eq!(Baseline::load_text(path, &text).as_ref(), Ok(&baseline));
    }
}

/// Any bytes are an ONNX model of a norm reduction, or a tensor, or a typed error; what was read can be ruled on.
pub fn onnx_reader(bytes: &[u8]) {
    let _ = read::norm(bytes);
    let fed: Vec<_> = read::tensor(bytes).into_iter().map(|(_, tensor)| tensor).collect();
    for inputs in [&[], &fed[..]] {
        if let Ok(call) = read::call(bytes, inputs) {
            let _ = rule(&call);
        }
    }
    // A model and the tensor that it is fed, one behind the other.
    if let Some((&at, rest)) = bytes.split_first() {
        let (model, tensor) = rest.split_at(usize::from(at).min(rest.len()));
        if let Ok((_, data)) = read::tensor(tensor)
            && let Ok(call) = read::call(model, &[data])
        {
            let _ = rule(&call);
        }
    }
}
