//! Measures the speed of exact expectations beside plain loops and other ways to be exact: `cargo bench -p normative-bench`.
//!
//! The ways of a row take turns in one run, and the least time of each counts. Times vary between machines and
//! hours; compare the ratios.

mod data;
mod measure;
mod rivals;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

use normative_reference::{Call, Dtype, Norm, expect, with_array};

use measure::{Contender, Effort, fastest};
use rivals::{Number, Rival};

/// Any error.
type Failure = Box<dyn std::error::Error>;

/// The seconds of an expectation, and of other ways by their names.
type Times = (f64, Vec<(&'static str, f64)>);

const NORMS: [Norm; 2] = [Norm::L1, Norm::L2];

/// The element types, with the time for 1e6 elements in plain f64 loops as docs/quality.md states it: L1, then L2.
const FLOATS: [(Dtype, [f64; 2]); 4] =
    [(Dtype::F16, [0.8, 0.9]), (Dtype::Bf16, [0.8, 0.9]), (Dtype::F32, [1.6, 1.9]), (Dtype::F64, [1.7, 2.2])];
const INTEGERS: [Dtype; 2] = [Dtype::I32, Dtype::I64];

/// The tensors of the table, with the axis to reduce. Where outputs have few elements, there are more of them.
const SHAPES: [(&[usize], i64); 5] =
    [(&[512, 8], 1), (&[64, 64], 1), (&[4096], 0), (&[4096, 64], 0), (&[1_000_000], 0)];

const EFFORT: Effort = Effort { budget: Duration::from_millis(100), rounds: 5 };

/// The most measurements of a ratio beyond its limit: a busy machine slows one side once, a lost optimisation
/// slows it each time.
const ATTEMPTS: usize = 4;

fn main() -> ExitCode {
    // An argument that `cargo bench` passes to every bench.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let ended = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => table(),
        ["--check", "plain"] => check_plain(),
        ["--check", "rivals"] => check_rivals(),
        _ => Err("expected nothing, --check plain or --check rivals".into()),
    };
    ended.map_or_else(
        |failure| {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

/// Prints the time of every type, norm and shape.
fn table() -> Result<(), Failure> {
    println!(
        "time of expect, and in times of others (beyond 1: slower than the other), which read columns as rows"
    );
    for dtype in FLOATS.map(|(dtype, _)| dtype).into_iter().chain(INTEGERS) {
        for (norm, (shape, axis)) in NORMS.into_iter().flat_map(|norm| SHAPES.map(|shape| (norm, shape))) {
            let call = data::call(norm, data::even(dtype, shape)?, axis);
            let (expect, others) = measured(&call, |_| true)?;
            let row = format!("{dtype} {norm:?} {shape:?} over {axis}");
            print!("{row:<28}{:>7.2} ns an element", expect * 1e9 / call.data.len() as f64);
            for (name, seconds) in others {
                print!("  {name} {:>5.2}", expect / seconds);
            }
            println!();
        }
    }
    Ok(())
}

/// Checks every float type against one and a half times its stated time.
fn check_plain() -> Result<(), Failure> {
    let mut broken = 0;
    for (dtype, stated) in FLOATS {
        for (norm, stated) in NORMS.into_iter().zip(stated) {
            let call = data::call(norm, data::even(dtype, &[1_000_000])?, 0);
            broken += broken_limits(&call, |name| name == "plain", 1.5 * stated)?;
        }
    }
    ended(broken)
}

/// Checks that no other exact way is faster along the innermost axis. Columns would be no fair race: the others read
/// them as rows.
fn check_rivals() -> Result<(), Failure> {
    let mut broken = 0;
    for dtype in FLOATS.map(|(dtype, _)| dtype).into_iter().chain(INTEGERS) {
        for (norm, (shape, axis)) in NORMS.into_iter().flat_map(|norm| SHAPES.map(|shape| (norm, shape))) {
            if axis as usize + 1 == shape.len() {
                let call = data::call(norm, data::even(dtype, shape)?, axis);
                broken += broken_limits(&call, |name| name != "plain", 1.0)?;
            }
        }
    }
    ended(broken)
}

fn ended(broken: usize) -> Result<(), Failure> {
    if broken == 0 { Ok(()) } else { Err(format!("{broken} ratios are beyond their limits").into()) }
}

/// Prints the least ratios to these others, and returns how many of them are beyond the limit.
fn broken_limits(call: &Call, wanted: impl Fn(&str) -> bool, limit: f64) -> Result<usize, Failure> {
    let mut least: BTreeMap<&str, f64> = BTreeMap::new();
    for _ in 0..ATTEMPTS {
        let (expect, others) = measured(call, &wanted)?;
        for (name, seconds) in others {
            let ratio = least.entry(name).or_insert(f64::INFINITY);
            *ratio = ratio.min(expect / seconds);
        }
        if least.values().all(|&ratio| ratio <= limit) {
            break;
        }
    }
    for (name, ratio) in &least {
        let (dtype, norm, shape) = (call.data.dtype(), call.spec().norm(), call.data.shape());
        let verdict = if *ratio > limit { "  BROKEN" } else { "" };
        println!("{dtype} {norm:?} {shape:?}, time / {name}: {ratio:.2}, at most {limit:.2}{verdict}");
    }
    Ok(least.values().filter(|&&ratio| ratio > limit).count())
}

/// Measures the expectation, and each other way that has an answer and is wanted.
fn measured(call: &Call, wanted: impl Fn(&str) -> bool) -> Result<Times, Failure> {
    with_array!(&call.data, array => {
        measured_of(call, array.as_slice().ok_or("not row-major")?, wanted)
    })
}

fn measured_of<T: Number>(
    call: &Call,
    elements: &[T],
    wanted: impl Fn(&str) -> bool,
) -> Result<Times, Failure> {
    let (outcome, norm) = (data::outcome(call)?, call.spec().norm());
    let terms = data::terms(&outcome, call);
    let ways: [(&str, Rival<T>, bool); 4] = [
        ("plain", rivals::plain, true),
        ("bigint", rivals::big_integer, true),
        ("xsum", rivals::xsum, rivals::xsum_has(T::DTYPE, norm)),
        ("accurate", rivals::accurate, rivals::accurate_has(T::DTYPE)),
    ];
    let ways: Vec<_> = ways.into_iter().filter(|&(name, _, answers)| answers && wanted(name)).collect();
    let mut contenders: Vec<Contender<'_>> =
        vec![Box::new(|| drop(black_box(expect(black_box(call), &outcome))))];
    for &(_, way, _) in &ways {
        contenders.push(Box::new(move || {
            for run in elements.chunks_exact(terms) {
                black_box(way(black_box(run), norm));
            }
        }));
    }
    let seconds = fastest(EFFORT, &mut contenders);
    Ok((seconds[0], ways.iter().zip(&seconds[1..]).map(|(way, &seconds)| (way.0, seconds)).collect()))
}
