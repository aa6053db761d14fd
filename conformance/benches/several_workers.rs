//! Measures how much faster several workers are than one: `cargo bench -p normative-conformance --bench several_workers`.
//!
//! Whole runs of generated calls, with one job and with two in turn, so that whatever else the machine does falls on both; the
//! ratio is that of the medians. A worker that waits takes no processor, so it shows what the judge makes of two workers on a
//! machine that has no processor to spare; one that computes needs two processors to be faster. `-- PROGRAM ARGS` measures a
//! worker of your own as well, such as `python3 backends/python/numpy_backend.py` by its whole path.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a benchmark may")]

mod plain;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use normative_backend::serve;
use normative_conformance::drive::{Limits, Program, Team};
use normative_conformance::parallel::each_on;
use normative_conformance::reference::{Call, Spec};
use normative_conformance::session::{Calls, Job};
use normative_conformance::{Answer, Stub, Worker};

/// The environment variable by which this program is a worker: what it does over a call.
const ROLE: &str = "NORMATIVE_BENCH_ROLE";

/// The time that a worker waits, or computes, for one call.
const COST: Duration = Duration::from_millis(1);

/// Runs with each number of jobs.
const ROUNDS: usize = 7;

/// Backends of the matrix.
const BACKENDS: usize = 4;

fn answer(call: &Call, waits: bool) -> Answer {
    let started = Instant::now();
    if waits {
        std::thread::sleep(COST);
    }
    while !waits && started.elapsed() < COST {
        std::hint::spin_loop();
    }
    plain::answer(call)
}

fn main() -> ExitCode {
    if let Ok(role) = std::env::var(ROLE) {
        return serve(Stub::new("slow", |call| answer(call, role == "waits")));
    }
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    // A run that is only to show that this builds.
    let (calls, rounds) = if is_bench { (2000, ROUNDS) } else { (40, 1) };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    println!("{processors} processors; load {}", load());
    let own = |role: &str| {
        let mut program = Program::new(std::env::current_exe().unwrap());
        program.env = vec![(ROLE.into(), role.into())];
        program
    };
    let mut programs = vec![("waits 1 ms a call", own("waits")), ("computes 1 ms a call", own("computes"))];
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    if let Some(path) = words.next() {
        programs.push(("given", Program { args: words.map(Into::into).collect(), ..Program::new(path) }));
    }
    for (name, program) in &programs {
        report(&format!("{name}, by 2 workers"), rounds, |jobs| run(program, jobs, calls));
        report(&format!("{name}, {BACKENDS} backends, 2 at once"), rounds, |jobs| {
            each_on(jobs, &[(); BACKENDS], |()| run(program, 1, calls / BACKENDS));
        });
    }
    println!("load {}", load());
    ExitCode::SUCCESS
}

/// A whole run of a backend by so many workers.
fn run(program: &Program, workers: usize, calls: usize) {
    let mut team = Team::of(Worker::start(program.clone(), Limits::default()).unwrap());
    team.grow(workers).unwrap();
    let calls = Calls::Row { seed: 1, calls: Some(calls), specs: vec![Spec::ALL[0]] };
    let job = Job { calls, repeat: 0, shrink: 0, ..Job::of(0, &[]) };
    job.judge(&mut team, None, &mut ()).unwrap();
}

/// Times one job and two in turn.
fn report(what: &str, rounds: usize, run: impl Fn(usize)) {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for (jobs, times) in (1..).zip(&mut times) {
            let started = Instant::now();
            run(jobs);
            times.push(started.elapsed());
        }
    }
    let [one, two] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64()
    });
    println!("{what:<48} 1 job {one:>6.2} s  2 jobs {two:>6.2} s  {:>5.2} times as fast", one / two);
}

/// The machine's load over the last minute, where it is known.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}
