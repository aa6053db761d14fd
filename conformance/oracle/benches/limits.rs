//! Checks the speed of exact expectations against docs/quality.md. It is an error to take more than twice the
//! stated time, or more than half the time of another exact method.
//!
//! Both sides of a ratio run in turns, and their least times count. A ratio beyond its limit is measured
//! again: a busy machine slows one side once, a lost optimisation slows it each time.

use std::hint::black_box;
use std::time::Duration;

use normative_oracle::expect;
use normative_reference::{Call, Dtype, Norm, Operator, with_array};

use crate::Failure;
use crate::data;
use crate::measure::{Contender, Effort, fastest};
use crate::rivals::{self, Number, Rival};

/// The time of 1e6 elements, relative to a plain f64 loop, as docs/quality.md states it: L1, then L2.
const STATED: [(Dtype, [f64; 2]); 4] =
    [(Dtype::F16, [0.1, 0.1]), (Dtype::Bf16, [0.3, 0.3]), (Dtype::F32, [0.4, 0.4]), (Dtype::F64, [0.4, 0.6])];

/// The limit beside any rival: half of its time. Measured ratios are a quarter and less.
const BESIDE_RIVALS: f64 = 0.5;

/// Elements of the outputs that rivals are measured on: within the fastest cache, and beyond it.
const LENGTHS: [usize; 2] = [4096, 1_000_000];

const EFFORT: Effort = Effort { budget: Duration::from_millis(100), rounds: 5 };

/// The most measurements of a ratio beyond its limit.
const ATTEMPTS: usize = 4;

/// Checks every float type against twice its stated time.
pub(crate) fn plain() -> Result<(), Failure> {
    println!("one output of 1e6 elements, time of expect / time of a plain f64 loop");
    let mut broken = 0;
    for (dtype, stated) in STATED {
        let mut call = data::call(Norm::L1, data::even(dtype, &[1_000_000])?, 0);
        for (norm, stated) in [Norm::L1, Norm::L2].into_iter().zip(stated) {
            call.operator = Operator::OpenVino { norm, keep_dims: None };
            let ratio = with_array!(&call.data, array => {
                let elements = array.as_slice().ok_or("not row-major")?;
                least(2.0 * stated, &call, || _ = black_box(rivals::plain(black_box(elements), norm)))?
            });
            broken += report(&format!("{dtype:<5} {norm:?}"), ratio, 2.0 * stated);
        }
    }
    ended(broken)
}

/// Checks every type against half the time of every rival.
pub(crate) fn rivals() -> Result<(), Failure> {
    println!("one output, innermost axis, time of expect / time of a rival");
    let mut broken = 0;
    for dtype in [Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64, Dtype::I32, Dtype::I64] {
        for n in LENGTHS {
            let mut call = data::call(Norm::L1, data::even(dtype, &[n])?, 0);
            for norm in [Norm::L1, Norm::L2] {
                call.operator = Operator::OpenVino { norm, keep_dims: None };
                broken += with_array!(&call.data, array => {
                    beside_rivals(&call, norm, array.as_slice().ok_or("not row-major")?)?
                });
            }
        }
    }
    ended(broken)
}

/// Returns the number of rivals that are too fast.
fn beside_rivals<T: Number>(call: &Call, norm: Norm, elements: &[T]) -> Result<u32, Failure> {
    let mut named: Vec<(&str, Rival<T>)> = vec![("bigint", rivals::big_integer)];
    if rivals::xsum_has(T::DTYPE, norm) {
        named.push(("xsum", rivals::xsum));
    }
    if rivals::accurate_has(T::DTYPE) {
        named.push(("accurate", rivals::accurate));
    }
    let mut broken = 0;
    for (name, rival) in named {
        let ratio = least(BESIDE_RIVALS, call, || _ = black_box(rival(black_box(elements), norm)))?;
        broken += report(
            &format!("{:<5} {norm:?}  {:>7}  {name:<8}", T::DTYPE, elements.len()),
            ratio,
            BESIDE_RIVALS,
        );
    }
    Ok(broken)
}

/// Returns the least ratio of the expectation's time to the other's, measured again while beyond the limit.
fn least(limit: f64, call: &Call, mut other: impl FnMut()) -> Result<f64, Failure> {
    let outcome = data::outcome(call)?;
    let mut least = f64::INFINITY;
    for _ in 0..ATTEMPTS {
        let mut contenders: [Contender<'_>; 2] =
            [Box::new(|| drop(black_box(expect(black_box(call), &outcome)))), Box::new(&mut other)];
        let seconds = fastest(EFFORT, &mut contenders);
        least = least.min(seconds[0] / seconds[1]);
        if least <= limit {
            break;
        }
    }
    Ok(least)
}

/// Prints a ratio, and returns 1 if it is beyond its limit.
fn report(name: &str, ratio: f64, limit: f64) -> u32 {
    let is_broken = ratio > limit;
    println!("{name}  {ratio:>5.2}, at most {limit:.1}{}", if is_broken { "  BROKEN" } else { "" });
    u32::from(is_broken)
}

fn ended(broken: u32) -> Result<(), Failure> {
    if broken == 0 { Ok(()) } else { Err(format!("{broken} ratios are beyond their limits").into()) }
}
