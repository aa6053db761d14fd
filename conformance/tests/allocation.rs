//! Tests that no input, whatever size it states, takes more memory than its size times a stated constant.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use std::path::Path;

use allocation_counter::measure;
use normative_backend::bytes::BytesError;
use normative_backend::{frame, wire};
use normative_conformance::corpus::{self, load_ledger_text, load_text};
use normative_conformance::reference::{Axes, AxesTensor, Call, Dtype, Operator, Spec, Tensor, TensorError};
use normative_conformance::run::property::row;
use normative_conformance::{Answer, Capabilities, Identity};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// Returns the most bytes held at a time.
fn held(act: impl FnOnce()) -> usize {
    usize::try_from(measure(act).bytes_max).unwrap()
}

#[track_caller]
fn decodes_within_bounds(body: &[u8]) {
    let bound = wire::EXPANSION * body.len() + wire::SPARE;
    let hello = held(|| drop(wire::decode_hello(body)));
    let call = held(|| drop(wire::decode_call(body)));
    let answer = held(|| drop(wire::decode_answer(body)));
    let unavailable = held(|| drop(wire::decode_unavailable(body)));
    let most = hello.max(call).max(answer).max(unavailable);
    assert!(most <= bound, "{most} bytes for a body of {}", body.len());
}

#[track_caller]
fn loads_within_bounds(text: &str) {
    let bound = corpus::EXPANSION * text.len() + corpus::SPARE;
    let loaded = held(|| drop(load_text(Path::new("a.yaml"), text)));
    let ledger = held(|| drop(load_ledger_text(Path::new("a.yaml"), text)));
    let most = loaded.max(ledger);
    assert!(most <= bound, "{most} bytes for a text of {}", text.len());
}

/// Returns a call with only long parts, and the type whose elements grow most.
fn long_call() -> Call {
    let dtype = Dtype::I8;
    let shape = [vec![50_000], vec![1; 500]].concat();
    let data = Tensor::from_bits(dtype, &shape, &vec![1; 50_000]).unwrap();
    let axes = AxesTensor { dtype, shape: vec![1; 5000], values: vec![1; 5000] };
    Call::new(Operator::Bnns { output_shape: vec![1; 5000] }, data, Axes::Given(axes))
}

#[test]
fn long_messages_decode_within_bounds() {
    decodes_within_bounds(&wire::encode_call(1, &long_call()));
    for dtype in Dtype::ALL {
        let tensor = Tensor::from_bits(dtype, &[100_000], &vec![1; 100_000]).unwrap();
        decodes_within_bounds(&wire::encode_answer(1, &Answer::Tensor(tensor)));
    }
    let words = "w".repeat(100_000);
    decodes_within_bounds(&wire::encode_answer(1, &Answer::Rejected(words.clone())));
    let identity = Identity { name: words.clone(), version: words.clone(), report_bugs_to: words };
    let capabilities =
        Capabilities { accumulation: vec![(Dtype::F16, Dtype::F32); 100_000], ..Capabilities::default() };
    decodes_within_bounds(&wire::encode_hello(&wire::Hello { identity, capabilities }));
    // As many dims as the bytes allow, all of them impossible.
    let dims = [vec![0; 8], vec![1, 2], 10_000_u32.to_le_bytes().to_vec(), vec![0xff; 80_000]].concat();
    let refused = wire::decode_answer(&dims);
    assert!(matches!(
        refused,
        Err(wire::WireError::Tensor { source: BytesError::Tensor(TensorError::TooLarge { .. }), .. })
    ));
    decodes_within_bounds(&dims);
}

/// A judge needs only the start of a long answer, and keeps less of it than the call's result may have.
#[test]
fn an_answer_takes_no_more_than_is_due_to_its_call() {
    let data = Tensor::from_bits(Dtype::F32, &[2], &[0, 0]).unwrap();
    let bound = wire::ResultBound::of(&Call { data, ..long_call() });
    let most = wire::EXPANSION * bound.bytes() + wire::SPARE;
    let million = Tensor::from_bits(Dtype::U8, &[1_000_000], &vec![1; 1_000_000]).unwrap();
    for answer in [Answer::Tensor(million), Answer::Rejected("w\n".repeat(1_000_000))] {
        let body = wire::encode_answer(1, &answer);
        let start = &body[..bound.bytes()];
        let took = held(|| drop(wire::decode_answer_start(start, body.len(), bound).unwrap()));
        assert!(took <= 8192 && took <= most, "{took} bytes");
    }
}

/// Short pieces to repeat: parsers keep the most for these, relative to their length.
const PIECES: [&str; 22] = [
    "a", "a: ", "- ", "[", "[],", "{", "{},", "{a},", "a,", "? ", "a\n", "a:\n", "- a\n", "- -\n", "-\n",
    "'',", "\"\",", "#\n", "a: 1\n", "|\n", "\n", "1,",
];

#[test]
fn texts_that_parsers_make_most_of_load_within_bounds() {
    for piece in PIECES {
        for lead in ["", "[", "cases: [", "cases:\n", "topic: [", "- ", "cases:\n- id: [", "specs: ["] {
            loads_within_bounds(&format!("{lead}{}", piece.repeat(20_000 / piece.len())));
        }
    }
}

#[test]
fn the_files_of_the_corpus_load_within_bounds() {
    let corpus = corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases")).unwrap();
    let mut files: Vec<_> = corpus.cases.into_iter().map(|case| case.file).collect();
    files.dedup();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let most = held(|| drop(load_text(&file, &text)));
        // A tensor that one word asks for costs its number of elements out of the budget.
        let bound = corpus::EXPANSION * text.len() + corpus::SPARE + 20 * corpus::MAX_FILE_ELEMENTS;
        assert!(most <= bound, "{}: {most} bytes for {}", file.display(), text.len());
    }
}

proptest! {
    #[test]
    fn any_body_decodes_within_bounds(bytes in vec(any::<u8>(), 0..300)) {
        decodes_within_bounds(&bytes);
    }

    /// Plain random bytes rarely pass the operator field; in a valid message, one changed byte makes a false length.
    #[test]
    fn a_damaged_message_decodes_within_bounds(
        index in 0..100_000_u64, damage in vec((any::<Index>(), any::<u8>()), 0..4),
    ) {
        let id = row(23, &Spec::ALL).nth(usize::try_from(index).unwrap()).unwrap();
        let mut body = wire::encode_call(1, &id.call());
        for (at, byte) in damage {
            let at = at.index(body.len());
            body[at] = byte;
        }
        decodes_within_bounds(&body);
    }

    #[test]
    fn any_frame_is_read_within_bounds(bytes in vec(any::<u8>(), 0..300), length: u32, tag: u8) {
        for stream in [bytes.clone(), [&length.to_le_bytes(), &[tag][..], &bytes].concat()] {
            let most = held(|| drop(frame::read(&mut &stream[..], frame::MAX_BODY)));
            prop_assert!(most <= wire::EXPANSION * stream.len() + wire::SPARE, "{most}");
        }
    }

    #[test]
    fn any_text_loads_within_bounds(pieces in vec(0..PIECES.len(), 0..400)) {
        loads_within_bounds(&pieces.into_iter().map(|at| PIECES[at]).collect::<String>());
    }
}
