//! Tests workers with a hand-written judge: every byte of a conversation, and the answers to a judge's mistakes.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use normative_backend::{frame, wire};
use normative_conformance::drive::Program;
use normative_conformance::{Answer, Unavailable};
use rstest::rstest;

use super::documented::documented;
use super::languages::Language;
use super::{bad, good, sum};

/// A worker that a test drives by hand.
struct ByHand {
    child: Child,
    line: UnixStream,
}

impl ByHand {
    fn start(language: Language, role: &str) -> Option<Self> {
        let Program { path, args, env, .. } = language.sums(role)?;
        let (line, theirs) = UnixStream::pair().unwrap();
        line.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut command = Command::new(path);
        command
            .args(args)
            .envs(env)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        Some(Self { child: command.spawn().unwrap(), line })
    }

    fn reads(&mut self, expected: &[u8]) {
        let mut got = vec![0; expected.len()];
        self.line.read_exact(&mut got).unwrap();
        assert_eq!(got, expected);
    }

    /// Closes the sending side, and returns the exit status and the printed text.
    fn ends(mut self) -> (Option<i32>, String) {
        self.line.shutdown(std::net::Shutdown::Write).unwrap();
        let mut rest = Vec::new();
        self.line.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"", "nothing follows the answers");
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }
}

fn framed(tag: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write(&mut bytes, tag, body).unwrap();
    bytes
}

#[rstest]
fn the_documented_conversation_is_held_byte_for_byte(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(mut worker) = ByHand::start(language, "echoes") else { return };
    let [hello, call, answer] = documented();
    worker.reads(&hello);
    worker.line.write_all(&call).unwrap();
    worker.reads(&answer);
    assert_eq!(worker.ends(), (Some(0), String::new()));
}

#[rstest]
fn calls_sent_ahead_are_answered_in_order_and_before_it_waits(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(mut worker) = ByHand::start(language, "echoes") else { return };
    worker.reads(&documented()[0]);
    let calls = |numbers: std::ops::Range<u64>| -> (Vec<u8>, Vec<u8>) {
        let call = |n: u64| framed(wire::CALL, &wire::encode_call(n, &good(&[n as f32, -1.0])));
        let answer = |n: u64| framed(wire::ANSWER, &wire::encode_answer(n, &sum(n as f32 + 1.0)));
        (numbers.clone().flat_map(call).collect(), numbers.flat_map(answer).collect())
    };
    let (asked, answered) = calls(0..500);
    worker.line.write_all(&asked).unwrap();
    worker.reads(&answered);
    // Send in pieces, one of which ends inside a frame: the finished answers must not wait for the rest.
    let ((asked, answered), (next, its_answer)) = (calls(500..502), calls(502..503));
    worker.line.write_all(&[&asked[..], &next[..9]].concat()).unwrap();
    worker.reads(&answered);
    worker.line.write_all(&next[9..]).unwrap();
    worker.reads(&its_answer);
    assert_eq!(worker.ends(), (Some(0), String::new()));
}

#[rstest]
fn data_that_were_changed_are_told_instead_of_the_result(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(mut worker) = ByHand::start(language, "changes") else { return };
    worker.reads(&documented()[0]);
    let mut told = Vec::new();
    wire::put_changed_data(&mut told, 9, "element 1 of its input is another after the call");
    worker.line.write_all(&framed(wire::CALL, &wire::encode_call(9, &bad()))).unwrap();
    worker.reads(&framed(wire::ANSWER, &told));
    worker.line.write_all(&framed(wire::CALL, &wire::encode_call(10, &good(&[2.0])))).unwrap();
    worker.reads(&framed(wire::ANSWER, &wire::encode_answer(10, &sum(2.0))));
    assert_eq!(worker.ends(), (Some(0), String::new()));
}

#[rstest]
#[case::cut_header(b"\x01\0".to_vec(), "the stream ended inside a frame")]
#[case::cut_body(b"\x02\0\0\0\x02a".to_vec(), "the stream ended inside a frame")]
#[case::too_long(b"\xff\xff\xff\xff\x02".to_vec(), "expected at most 1073741824 bytes in a frame, got 4294967295")]
#[case::another_tag(b"\0\0\0\0\x03".to_vec(), "expected frame tag 2, got 3: the worker takes calls")]
#[case::a_model(b"\0\0\0\0\x05".to_vec(), "expected frame tag 2, got 5: the worker takes calls")]
#[case::no_operator(framed(2, &[0, 0, 0, 0, 0, 0, 0, 0, 9]), "byte 8: 9 means nothing here")]
#[case::a_short_call(framed(2, &[0; 7]), "byte 0: expected 8 bytes, got 7")]
#[case::more_elements_than_came(
    framed(2, b"\0\0\0\0\0\0\0\0\x01\x01\0\x02\x01\0\0\0\0\0\0\0\0\0\0\x10"),
    "bytes, got 0"
)]
#[case::a_long_call(framed(2, &[wire::encode_call(1, &good(&[1.0])), vec![1, 0, 0]].concat()), " bytes follow the call")]
fn a_judge_at_fault_is_told_and_left(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
    #[case] sent: Vec<u8>,
    #[case] why: &str,
) {
    let Some(mut worker) = ByHand::start(language, "echoes") else { return };
    worker.reads(&documented()[0]);
    worker.line.write_all(&sent).unwrap();
    let (status, printed) = worker.ends();
    assert_eq!(status, Some(2));
    assert!(printed.starts_with("worker: ") && printed.contains(why), "{printed}");
}

#[rstest]
fn pipes_do_where_descriptor_0_is_no_socket(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(Program { path, args, env, .. }) = language.sums("prints") else { return };
    let mut command = Command::new(path);
    command.args(args).envs(env).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let printed = child.stderr.take().unwrap();
    let drained = std::thread::spawn(move || std::io::read_to_string(printed).unwrap());
    let mut to = child.stdin.take().unwrap();
    to.write_all(&framed(wire::CALL, &wire::encode_call(1, &bad()))).unwrap();
    drop(to);
    let output = child.wait_with_output().unwrap();
    let answer = framed(wire::ANSWER, &wire::encode_answer(1, &Answer::Tensor(bad().data)));
    assert_eq!(output.stdout, [&documented()[0][..], &answer].concat());
    assert_eq!(output.status.code(), Some(0));
    let printed = drained.join().unwrap();
    // Node cannot duplicate a descriptor, so its adapter has to avoid direct writes to descriptor 1.
    let descriptor = if language == Language::JavaScript { "" } else { "to the descriptor\n" };
    assert!(["print\n", descriptor, "from a process\n"].iter().all(|text| printed.contains(text)));
}

#[rstest]
fn what_is_unavailable_ends_well_and_answers_nothing(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(mut worker) = ByHand::start(language, "unavailable") else { return };
    let why = Unavailable("sums: No module named 'möck'".into());
    worker.reads(&framed(wire::UNAVAILABLE, &wire::encode_unavailable(&why)));
    assert_eq!(worker.ends(), (Some(0), String::new()));
}

#[rstest]
fn after_a_crash_it_ends_with_a_status_that_says_so(
    #[values(Language::Python, Language::JavaScript, Language::C)] language: Language,
) {
    let Some(mut worker) = ByHand::start(language, "raises") else { return };
    worker.reads(&documented()[0]);
    let how = Answer::Crashed(language.raised().into());
    let calls = [wire::encode_call(1, &bad()), wire::encode_call(2, &good(&[1.0]))];
    worker.line.write_all(&calls.map(|call| framed(wire::CALL, &call)).concat()).unwrap();
    worker.reads(&framed(wire::ANSWER, &wire::encode_answer(1, &how)));
    let (status, printed) = worker.ends();
    assert_eq!(status, Some(1));
    let begins = match language {
        Language::Python => "Traceback ",
        Language::JavaScript => language.raised(),
        // The adapter in C prints it, not the library.
        Language::C => "",
    };
    assert!(printed.starts_with(begins), "{printed}");
}
