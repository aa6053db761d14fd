//! Any bytes are frames or a typed error, any body is a message or a typed error, and what is decoded
//! encodes back to the same bytes, unless it holds a text that is long enough to be cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use normative_backend::{Answer, frame, wire};

fuzz_target!(|bytes: &[u8]| {
    let mut stream = bytes;
    while let Ok(Some(frame)) = frame::read(&mut stream, frame::MAX_BODY) {
        decode(&frame.body);
        let mut again = Vec::new();
        frame::write(&mut again, frame.tag, &frame.body).expect("what was read can be written");
        let end = bytes.len() - stream.len();
        assert_eq!(again, bytes[end - again.len()..end]);
    }
    // Without a frame around it, so that not every byte has to match a length.
    decode(bytes);
});

fn decode(body: &[u8]) {
    let lines = body.iter().filter(|&&byte| byte == b'\n').count();
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
    if let Ok((number, answer)) = wire::decode_answer(body) {
        let is_text = !matches!(answer, Answer::Tensor(_));
        let cut = is_text && (cuts_texts || cuts_lines);
        assert!(cut || wire::encode_answer(number, &answer) == body);
    }
}
