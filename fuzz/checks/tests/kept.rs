//! Runs the inputs in `fuzz/kept`, kept from fuzzing campaigns because they reach code that no seed reaches.
//! `cargo xtask fuzz TARGET --keep` rewrites such a file.

use std::path::Path;

use normative_fuzz_checks::kept::inputs;
use normative_fuzz_checks::{baseline_loader, case_loader, frame_decoder, onnx_reader, record_reader};
use rstest::rstest;

fn as_text(check: fn(&str), bytes: &[u8]) {
    let text = std::str::from_utf8(bytes);
    assert!(text.is_ok(), "this reader takes text: {}", bytes.escape_ascii());
    if let Ok(text) = text {
        check(text);
    }
}

#[rstest]
#[case::frames("frame_decoder", frame_decoder)]
#[case::cases("case_loader", |bytes: &[u8]| as_text(case_loader, bytes))]
#[case::records("record_reader", record_reader)]
#[case::baselines("baseline_loader", |bytes: &[u8]| as_text(baseline_loader, bytes))]
#[case::models("onnx_reader", onnx_reader)]
fn inputs_that_were_kept_break_no_reader(#[case] target: &str, #[case] check: fn(&[u8])) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kept").join(target).with_extension("txt");
    let kept = inputs(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert!(kept.len() > 50, "{}", path.display());
    for input in &kept {
        check(input);
    }
}

#[test]
fn a_line_gives_every_byte_back() {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    for input in [&b""[..], b"\n", b"\\x", &all] {
        assert_eq!(inputs(&format!("{}\n", input.escape_ascii())), Ok(vec![input.to_vec()]));
    }
    for broken in ["\\", "\\x1", "\\xgg", "\\q", "\\x\u{e9}"] {
        assert_eq!(inputs(broken), Err(broken.to_owned()));
    }
}
