//! Measures how many small calls pass through a worker in a second: `cargo bench -p normative-conformance --bench worker_calls`.
//!
//! Four rates of one run: calls asked one at a time, many at once, many at once with one planted fault in
//! every hundred (twelve kinds in turn, none put down to another call), and generated calls that are
//! evaluated and compared as well. The worker is this program again: it gives back the data it got, or, for
//! the last, answers by a plain loop.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a benchmark may")]

#[path = "../tests/worker/mock.rs"]
mod mock;
mod plain;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use normative_backend::serve;
use normative_conformance::drive::{Limits, Program};
use normative_conformance::reference::{Axes, Call, Dtype, Norm, Operator, Spec};
use normative_conformance::run::Run;
use normative_conformance::run::property::{Made, row};
use normative_conformance::{Demands, Driver, Observed, Stub, Worker};

/// The role of the worker that answers by a plain loop.
const PLAIN: &str = "plain";

fn main() -> ExitCode {
    match std::env::var(mock::ROLE).as_deref() {
        Ok(PLAIN) => return serve(Stub::new("plain", plain::answer)),
        Ok(role) => {
            mock::play(role);
            return ExitCode::SUCCESS;
        }
        Err(_) => {}
    }
    // A run that is only to show that this builds.
    let scale = if std::env::args().any(|argument| argument == "--bench") { 1 } else { 100 };
    let alone = rate(100_000 / scale, |calls| {
        let mut worker = start("well", Duration::from_secs(10));
        let calls = calls_of(calls);
        let started = Instant::now();
        let answered = calls.iter().filter(|call| is_echo(&worker.ask(call), call)).count();
        (answered, started.elapsed())
    });
    report("one at a time", alone, alone);
    let together = rate(1_000_000 / scale, |calls| {
        let mut worker = start("well", Duration::from_secs(10));
        answered_together(&mut worker, &calls_of(calls))
    });
    report("many at once", together, alone);
    let faulty = rate(50_000 / scale, |calls| {
        // Late is what takes longer than this: no call that is to be answered does.
        let mut worker = start(mock::PLANTED, Duration::from_millis(10));
        let plant = |(at, call)| if at % 100 == 99 { mock::planted(at / 100 % 12, call) } else { call };
        let calls: Vec<Call> = calls_of(calls).into_iter().enumerate().map(plant).collect();
        let (answered, took) = answered_together(&mut worker, &calls);
        assert_eq!(answered, calls.len() - calls.len() / 100, "a fault was put down to another call");
        // On a busy machine an honest call may be late once; asked again, it is not.
        match worker.conduct().flakes.len() {
            0 => {}
            late => println!("{late} faults were put down to no call: is this machine busy?"),
        }
        (calls.len(), took)
    });
    report("with faults", faulty, alone);
    let judged = rate(500_000 / scale, |calls| {
        let mut worker = start(PLAIN, Duration::from_secs(10));
        let small = row(1, &Spec::ALL).map(|id| Made::of(id).unwrap());
        let small = small.filter(|made| made.call.data.dtype() == Dtype::F32 && made.call.data.len() <= 64);
        let ids: Vec<_> = small.take(1000).map(|made| made.id).collect();
        let started = Instant::now();
        let made = ids.iter().cycle().take(calls).map(|&id| Made::of(id).unwrap());
        (Run::over(made, &mut worker, &Demands::default()).count(), started.elapsed())
    });
    report("generated and judged", judged, alone);
    ExitCode::SUCCESS
}

fn rate(calls: usize, run: impl Fn(usize) -> (usize, Duration)) -> f64 {
    let (done, took) = run(calls);
    done as f64 / took.as_secs_f64()
}

fn report(what: &str, rate: f64, base: f64) {
    println!("{what:<22} {rate:>10.0} calls/s  {:>6.2}", rate / base);
}

fn start(role: &str, answer: Duration) -> Worker {
    let mut program = Program::new(std::env::current_exe().unwrap());
    program.env = vec![(mock::ROLE.into(), role.into())];
    Worker::start(program, Limits { answer, ..Limits::default() }).unwrap()
}

fn calls_of(count: usize) -> Vec<Call> {
    let operator = Operator::OpenVino { norm: Norm::L1, keep_dims: None };
    let data = |at: usize| ndarray::Array1::from_elem(4, at as f32).into_dyn().into();
    (0..count).map(|at| Call::new(operator.clone(), data(at), Axes::Absent)).collect()
}

fn answered_together(worker: &mut Worker, calls: &[Call]) -> (usize, Duration) {
    let calls: Vec<&Call> = calls.iter().collect();
    let started = Instant::now();
    let answers = worker.ask_all(&calls);
    let took = started.elapsed();
    (answers.iter().zip(calls).filter(|(answer, call)| is_echo(answer, call)).count(), took)
}

fn is_echo(answer: &Observed, call: &Call) -> bool {
    matches!(answer, Observed::Tensor(tensor) if *tensor == call.data)
}
