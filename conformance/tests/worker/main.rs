//! Tests that a worker survives any failure of its process, blames the call that fails again alone, and
//! answers the next call from a fresh process. `xtask/tests/hostile` has more ways to misbehave.
//!
//! The process is this test binary, in a role that [`mock`] or [`members`] plays.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops where it fails")]

mod ends;
mod late;
mod members;
mod mock;
#[path = "../suite/reference_backend.rs"]
#[allow(dead_code, reason = "the suite asks more of it")]
mod reference_backend;
mod team;

use std::time::{Duration, Instant};

use ndarray::{arr1, arr2};
use normative_conformance::drive::{Limits, MAX_FAULTS, Program, SECOND_LIMIT, StartError};
use normative_conformance::shrink::{FailureClass, shrink};
use normative_conformance::{Death, Demands, Driver, Observed, Sheet, Worker, judge};
use normative_reference::{Axes, Call, Dtype, Norm, Operator};
use rstest::rstest;

/// The child process runs this. Without a role it does nothing.
#[test]
fn the_child_plays_the_role_it_was_given() {
    let Ok(role) = std::env::var(mock::ROLE) else { return };
    if !members::play(&role) {
        mock::play(&role);
    }
}

fn program(role: &str) -> Program {
    let mut program = Program::new(std::env::current_exe().unwrap());
    program.args = ["--exact", "the_child_plays_the_role_it_was_given", "--nocapture"].map(Into::into).into();
    program.env = vec![(mock::ROLE.into(), role.into())];
    program
}

fn limits() -> Limits {
    Limits { answer: Duration::from_secs(20), hello: Duration::from_secs(20), ..Limits::default() }
}

fn start(role: &str, limits: Limits) -> Worker {
    Worker::start(program(role), limits).unwrap()
}

/// Returns a call that the mock answers with its data.
fn good(value: f32) -> Call {
    let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: None };
    Call::new(operator, arr1(&[value]).into_dyn().into(), Axes::Absent)
}

/// Returns a call for which the mock misbehaves.
fn bad() -> Call {
    Call { axes: Axes::Null, ..good(13.0) }
}

/// Returns a call for which the mock exits in any role.
fn leave() -> Call {
    Call { axes: Axes::list(&[]), ..good(1.0) }
}

fn echo(value: f32) -> Observed {
    Observed::Tensor(good(value).data)
}

fn unrepeated(worker: &Worker) -> usize {
    worker.conduct().flakes.len()
}

fn answers(worker: &mut Worker, calls: &[Call]) -> Vec<Observed> {
    worker.ask_all(&calls.iter().collect::<Vec<_>>())
}

fn crash(answer: Observed) -> String {
    match answer {
        Observed::Died(Death::Crashed(how)) => how,
        other => panic!("expected a crash, got {other:?}"),
    }
}

#[rstest]
#[case::panics("panic", "panicked: as told; stderr: ")]
#[case::panics_with_a_value("panic-any", "panicked")]
#[case::aborts("abort", "SIGABRT")]
#[case::exits("exit", "ended with exit status: 3; stderr: leaving | for good")]
#[case::exits_after_many_lines(
    "exit-after-lines",
    "stderr: Error: the cause | at frame 1 | at frame 2 | … | at frame 96 | at frame 97 | at frame 98 | at frame 99 | at frame 100"
)]
#[case::overflows_its_stack("stack-overflow", "has overflowed its stack")]
#[case::writes_garbage("garbage", "broke the protocol: ")]
#[case::cuts_its_answer("cut", "ended with exit status: 3")]
#[case::lies_about_a_length(
    "lying-length",
    "broke the protocol: expected a frame of at most 1073741824 bytes, got 4294967295"
)]
#[case::tags_wrongly("wrong-tag", "broke the protocol: expected frame tag 3, got 1")]
#[case::answers_another_call(
    "wrong-number",
    "broke the protocol: expected the answer to the first open call, got that to another"
)]
#[case::says_it_died("says-it-died", "of its own accord")]
fn a_death_is_put_down_to_its_call_and_the_next_is_answered(#[case] role: &str, #[case] expected: &str) {
    let mut worker = start(role, limits());
    assert_eq!(worker.ask(&good(1.0)), echo(1.0));
    let how = crash(worker.ask(&bad()));
    assert!(how.contains(expected), "{how}");
    assert_eq!(worker.ask(&good(2.0)), echo(2.0));
    assert_eq!((worker.restarts(), unrepeated(&worker)), (2, 0));
}

#[test]
fn an_answer_to_a_call_to_come_is_believed_of_no_call() {
    let mut worker = start("forges", limits());
    for value in [1.0, 2.0, 3.0] {
        assert_eq!(worker.ask(&bad()), echo(13.0));
        // The extra message comes with the answer, or a moment later.
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(worker.ask(&good(value)), echo(value));
    }
    // The next call is asked alone, and that process then gets no more calls.
    assert_eq!((worker.restarts(), unrepeated(&worker)), (5, 3));
    let got = answers(&mut worker, &[good(1.0), bad(), good(2.0)]);
    assert_eq!(crash(got[1].clone()), "broke the protocol: expected one answer to a call, got more");
    assert_eq!([&got[0], &got[2]], [&echo(1.0), &echo(2.0)]);
}

#[test]
fn bytes_before_a_question_are_a_fault_of_no_call() {
    let mut worker = start("twice", limits());
    assert_eq!(worker.ask(&bad()), echo(13.0));
    std::thread::sleep(Duration::from_millis(50));
    // That process gets no calls, so it loses none.
    assert_eq!(answers(&mut worker, &[good(1.0), good(2.0)]), [echo(1.0), echo(2.0)]);
    assert_eq!((worker.restarts(), unrepeated(&worker)), (2, 1));
}

#[rstest]
#[case::loops("loop")]
#[case::dribbles_a_byte_at_a_time("dribble")]
#[case::waits_after_half_an_answer("stall")]
#[case::never_reads_a_large_call("deaf")]
fn the_deadline_covers_the_whole_answer(#[case] role: &str) {
    let answer = Duration::from_millis(600);
    let mut worker = start(role, Limits { answer, ..limits() });
    let large = Call { data: ndarray::Array1::<f32>::zeros(1 << 20).into_dyn().into(), ..bad() };
    let started = Instant::now();
    assert_eq!(worker.ask(&large), Observed::Died(Death::TimedOut(answer * SECOND_LIMIT)));
    let took = started.elapsed();
    // One attempt, and a second one alone, with more time.
    assert!(took >= answer * (1 + SECOND_LIMIT) && took < answer * 12, "{took:?}");
    assert_eq!(worker.ask(&good(2.0)), echo(2.0));
    assert_eq!(worker.restarts(), 2);
}

#[rstest]
#[case::panics("panic")]
#[case::exits("exit")]
#[case::overflows_its_stack("stack-overflow")]
fn two_runs_describe_a_death_in_the_same_words(#[case] role: &str) {
    let once = || crash(start(role, limits()).ask(&bad()));
    assert_eq!(once(), once());
}

#[test]
fn a_second_answer_is_not_held_against_the_next_call() {
    let mut worker = start("twice", limits());
    assert_eq!(worker.ask(&bad()), echo(13.0));
    assert_eq!(worker.restarts(), 0);
    assert_eq!(worker.ask(&good(2.0)), echo(2.0));
    assert_eq!((worker.restarts(), unrepeated(&worker)), (1, 1));
}

#[test]
fn a_process_that_ended_between_calls_is_not_held_against_the_next() {
    let mut worker = start("leaves", limits());
    assert_eq!(worker.ask(&bad()), echo(13.0));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(worker.ask(&good(2.0)), echo(2.0));
    assert_eq!(worker.restarts(), 1);
}

/// Returns the most bytes that the judge held while `act` ran.
fn held<T>(act: impl FnOnce() -> T) -> (T, u64) {
    let mut result = None;
    let held = allocation_counter::measure(|| result = Some(act())).bytes_max;
    (result.unwrap(), held)
}

#[rstest]
#[case::a_long_refusal("says-much", Observed::Rejected(format!("{}words … (cut; 62914560 bytes in all)", "words\n".repeat(19))))]
#[case::a_large_result("large-result", Observed::Oversized { dtype: Dtype::U8, shape: vec![40 << 20] })]
fn what_a_worker_sends_does_not_decide_the_memory_of_its_judge(
    #[case] role: &str,
    #[case] expected: Observed,
) {
    let mut worker = start(role, limits());
    let (answer, held) = held(|| worker.ask(&bad()));
    assert_eq!(answer, expected);
    assert!(held < 1 << 19, "{held} bytes");
    assert_eq!(worker.ask(&good(2.0)), echo(2.0));
    assert_eq!((worker.restarts(), unrepeated(&worker)), (0, 0));
}

#[test]
fn a_result_that_is_too_large_has_the_wrong_shape() {
    let call = Call { axes: Axes::list(&[0]), ..good(1.0) };
    let verdict = |answer| judge(&Sheet::of(&call).unwrap(), &answer, &Demands::default()).reason();
    let oversized = |dtype| verdict(Observed::Oversized { dtype, shape: vec![40 << 20] });
    assert_eq!(oversized(Dtype::F32), "expected output shape [], got [41943040]");
    assert_eq!(oversized(Dtype::U8), "expected output type f32, got u8");
    // A result whose elements were not kept cannot be right.
    let as_due = Observed::Oversized { dtype: Dtype::F32, shape: vec![] };
    assert!(judge(&Sheet::of(&call).unwrap(), &as_due, &Demands::default()).is_failure());
}

#[test]
fn a_flood_on_standard_output_and_error_neither_blocks_nor_harms() {
    let mut worker = start("flood", limits());
    assert_eq!(worker.ask(&bad()), echo(13.0));
    assert_eq!(worker.ask(&good(2.0)), echo(2.0));
    assert_eq!(worker.restarts(), 0);
}

/// Returns calls of which every twentieth has a planted fault, of all kinds in turn.
fn calls_with_faults(count: usize) -> (Vec<Call>, Vec<Option<usize>>) {
    let fault = |at: usize| (at % 20 == 13).then_some(at / 20 % mock::FAULTS.len());
    let call = |at: usize| match fault(at) {
        Some(fault) => mock::planted(fault, good(at as f32)),
        None => good(at as f32),
    };
    ((0..count).map(call).collect(), (0..count).map(fault).collect())
}

#[test]
fn of_many_calls_sent_together_each_faulty_one_is_blamed_and_no_other() {
    let answer = Duration::from_millis(400);
    let mut worker = start(mock::PLANTED, Limits { answer, ..limits() });
    let (calls, faults) = calls_with_faults(600);
    let answers = answers(&mut worker, &calls);
    assert_eq!(answers.len(), calls.len());
    for (at, (answer, fault)) in answers.iter().zip(&faults).enumerate() {
        match fault.map(|fault| mock::FAULTS[fault]) {
            None => assert_eq!(*answer, echo(at as f32), "call {at}"),
            Some("loop" | "dribble") => {
                assert!(matches!(answer, Observed::Died(Death::TimedOut(_))), "call {at}");
            }
            Some(_) => assert!(matches!(answer, Observed::Died(Death::Crashed(_))), "call {at}: {answer:?}"),
        }
    }
    assert_eq!(unrepeated(&worker), 0);
}

#[rstest]
#[case::dies("dies-unless-first", Duration::from_secs(20))]
#[case::is_late("late-unless-first", Duration::from_millis(500))]
fn a_call_that_fails_only_among_others_is_not_blamed(#[case] role: &str, #[case] answer: Duration) {
    let mut worker = start(role, Limits { answer, ..limits() });
    let got = answers(&mut worker, &[good(1.0), bad(), good(2.0)]);
    assert_eq!(got, [echo(1.0), echo(13.0), echo(2.0)]);
    assert_eq!(unrepeated(&worker), 1);
}

#[rstest]
#[case::second_answer("twice", "broke the protocol: expected one answer to a call, got more")]
#[case::endless_answers("flood-of-answers", "broke the protocol: expected one answer to a call, got more")]
#[case::bytes_that_are_no_frame(
    "garbage-after",
    "broke the protocol: expected a frame of at most 1073741824 bytes, got 4294967295"
)]
fn what_comes_after_an_answer_is_put_down_to_its_call(#[case] role: &str, #[case] expected: &str) {
    let mut worker = start(role, limits());
    let got = answers(&mut worker, &[good(1.0), bad(), good(2.0), good(3.0)]);
    let how = crash(got[1].clone());
    assert!(how.starts_with(expected), "{how}");
    assert_eq!([&got[0], &got[2], &got[3]], [&echo(1.0), &echo(2.0), &echo(3.0)]);
    assert_eq!(unrepeated(&worker), 0);
}

#[test]
fn answers_out_of_order_are_put_down_to_the_call_that_is_not_answered_alone() {
    let answer = Duration::from_millis(700);
    let mut worker = start("out-of-order", Limits { answer, ..limits() });
    let got = answers(&mut worker, &[good(1.0), bad(), good(2.0), good(3.0)]);
    assert_eq!(got[1], Observed::Died(Death::TimedOut(answer * SECOND_LIMIT)));
    assert_eq!([&got[0], &got[2], &got[3]], [&echo(1.0), &echo(2.0), &echo(3.0)]);
    assert_eq!(unrepeated(&worker), 0);
}

#[test]
fn a_worker_that_takes_one_call_at_a_time_gets_them_so() {
    let mut worker = start("one-at-a-time", Limits { answer: Duration::from_millis(700), ..limits() });
    for round in 0..6 {
        let calls: Vec<Call> = (0..40).map(|at| good((round * 40 + at) as f32)).collect();
        let expected: Vec<Observed> = calls.iter().map(|call| Observed::Tensor(call.data.clone())).collect();
        assert_eq!(answers(&mut worker, &calls), expected);
    }
    assert!((1..=3).contains(&unrepeated(&worker)), "{:?}", worker.conduct());
}

#[test]
fn calls_too_large_to_be_sent_together_are_all_answered() {
    let mut worker = start("well", limits());
    let large = |value| Call {
        data: ndarray::Array1::<f32>::from_elem(1 << 18, value).into_dyn().into(),
        ..good(0.0)
    };
    let calls: Vec<Call> = (0..20).map(|at| large(at as f32)).collect();
    let expected: Vec<Observed> = calls.iter().map(|call| Observed::Tensor(call.data.clone())).collect();
    assert_eq!(answers(&mut worker, &calls), expected);
    assert_eq!(worker.restarts(), 0);
}

#[test]
fn a_worker_may_say_that_its_runtime_changed_the_data() {
    let mut worker = start("changes-data", limits());
    let got = answers(&mut worker, &[good(1.0), bad(), good(2.0)]);
    assert_eq!(got, [echo(1.0), Observed::ChangedData("as told".into()), echo(2.0)]);
    assert_eq!(worker.restarts(), 0);
}

#[test]
fn what_was_printed_over_an_earlier_call_is_not_shown_with_a_crash() {
    let mut worker = start("flood", limits());
    assert_eq!(worker.ask(&bad()), echo(13.0));
    std::thread::sleep(Duration::from_millis(100));
    let how = crash(worker.ask(&leave()));
    assert_eq!(how, "ended with exit status: 3");
}

#[test]
#[cfg(target_os = "linux")]
fn a_memory_hog_dies_at_its_limit() {
    let memory = Some(1 << 30);
    let mut worker = start("hog", Limits { memory, ..limits() });
    assert_eq!(worker.ask(&good(1.0)), echo(1.0));
    let how = crash(worker.ask(&bad()));
    assert!(how.contains("SIGABRT") && how.contains("memory allocation of"), "{how}");
    assert_eq!(worker.ask(&good(2.0)), echo(2.0));
    assert_eq!(worker.restarts(), 2);
}

#[test]
fn an_answer_longer_than_the_limit_breaks_the_protocol() {
    let mut worker = start("well", Limits { max_frame: 200, ..limits() });
    let long = Call { data: ndarray::Array1::<f32>::zeros(100).into_dyn().into(), ..good(0.0) };
    let how = crash(worker.ask(&long));
    assert_eq!(how, "broke the protocol: expected a frame of at most 200 bytes, got 422");
    assert_eq!(worker.ask(&good(2.0)), echo(2.0));
}

#[rstest]
#[case::silent("no-hello", "no hello within 0.5 s")]
#[case::panics("hello-panic", "panicked at")]
#[case::unavailable_and_then_some(
    "unavailable-and-more",
    "byte 4: expected the end of the message, got 1 more bytes"
)]
fn a_program_without_a_hello_does_not_start(#[case] role: &str, #[case] expected: &str) {
    let limits =
        Limits { hello: Duration::from_millis(if role == "no-hello" { 500 } else { 20_000 }), ..limits() };
    match Worker::start(program(role), limits).err() {
        Some(StartError::NoHello { why, .. }) => assert!(why.contains(expected), "{why}"),
        other => panic!("expected no hello, got {other:?}"),
    }
}

#[test]
fn a_program_with_nobody_to_judge_says_why() {
    let error = Worker::start(program("unavailable"), limits()).err().unwrap();
    assert_eq!(error.to_string(), "unavailable: libmöck.so is not there");
    assert!(matches!(error, StartError::Unavailable(_)));
}

#[rstest]
#[case::alone(None)]
#[case::under_a_memory_limit(Some(1 << 30))]
fn a_program_that_is_not_there_does_not_start(#[case] memory: Option<u64>) {
    let error = Worker::start(Program::new("/no/such/program"), Limits { memory, ..limits() }).err().unwrap();
    assert!(error.to_string().contains("/no/such/program"), "{error}");
}

#[test]
fn a_worker_that_only_ever_dies_is_given_up() {
    let mut worker = start("exit", limits());
    for _ in 0..MAX_FAULTS {
        assert!(crash(worker.ask(&bad())).starts_with("ended with exit status: 3"));
    }
    let before = worker.restarts();
    assert_eq!(
        crash(worker.ask(&good(1.0))),
        "not asked after 200 faults in a row, such as ended with exit status: 3"
    );
    assert_eq!(worker.restarts(), before);
}

#[test]
fn an_answer_between_faults_keeps_a_worker_usable() {
    let mut worker = start("exit", limits());
    for _ in 0..MAX_FAULTS - 1 {
        let _ = crash(worker.ask(&bad()));
    }
    assert_eq!(worker.ask(&good(1.0)), echo(1.0));
    let _ = crash(worker.ask(&bad()));
    assert_eq!(worker.ask(&good(1.0)), echo(1.0));
}

#[test]
fn identity_and_capabilities_are_the_backends_own() {
    let worker = start("well", limits());
    assert_eq!(worker.identity(), mock::Mock::new("well").identity());
    assert_eq!(worker.capabilities(), mock::Mock::new("well").capabilities());
}

#[rstest]
#[case::crash("abort", FailureClass::plain(judge::fault::Fault::Crashed))]
#[case::hang("loop", FailureClass::plain(judge::fault::Fault::TimedOut))]
fn a_call_that_a_process_dies_of_shrinks_through_the_worker(#[case] role: &str, #[case] class: FailureClass) {
    let mut worker = start(role, Limits { answer: Duration::from_millis(200), ..limits() });
    let (mut attempts, operator) = (0, Operator::OpenVino { norm: Norm::L2, keep_dims: Some(true) });
    let call = Call::new(operator, arr2(&[[1.5_f64, -2.0, 0.1]]).into_dyn().into(), Axes::Null);
    let shrunk = shrink(&call, 60, |call| {
        attempts += 1;
        let verdict = judge(&Sheet::of(call).unwrap(), &worker.ask(call), &Demands::default());
        FailureClass::of(&verdict) == Some(class)
    });
    assert!(attempts < 60, "{attempts} attempts");
    let operator = Operator::OpenVino { norm: Norm::L2, keep_dims: None };
    assert_eq!(shrunk, Call::new(operator, arr1(&[0.0_f32]).into_dyn().into(), Axes::Null));
}
