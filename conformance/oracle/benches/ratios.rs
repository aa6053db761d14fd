//! Compares exact expectations with the plain loop, the rivals and their own definition; the outer axis with
//! the inner one; and calls so small that overhead dominates.

use std::hint::black_box;
use std::time::Duration;

use normative_oracle::expect;
use normative_reference::exact::{self, Variant};
use normative_reference::{Call, Dtype, Expected, FloatFormat, Norm, Outcome, Tensor, rule, with_array};

use crate::Failure;
use crate::data;
use crate::measure::{Contender, Effort, fastest};
use crate::rivals::{self, Number, Rival};

const DTYPES: [Dtype; 6] = [Dtype::F16, Dtype::Bf16, Dtype::F32, Dtype::F64, Dtype::I32, Dtype::I64];
const LENGTHS: [usize; 5] = [8, 64, 4096, 1_000_000, 10_000_000];
/// An output of at least this many elements is called alone; shorter ones together, this many elements a call.
const ALONE: usize = 4096;

/// Returns lengths and effort of a full or a quick run.
fn plan(quick: bool) -> (&'static [usize], Effort) {
    if quick {
        (&LENGTHS[..3], Effort { budget: Duration::from_millis(50), rounds: 5 })
    } else {
        (&LENGTHS, Effort { budget: Duration::from_millis(400), rounds: 5 })
    }
}

/// Measures the innermost axis, against every rival.
pub(crate) fn inner(quick: bool) -> Result<(), Failure> {
    println!("\nn elements an output, innermost axis; evenly spread data, or any finite numbers (wide)");
    println!("                       ns an element     time of expect  time of the other / time of expect");
    println!(
        "dtype  norm         n  expect     plain  / time of plain  bigint    xsum  accurate  definition"
    );
    println!("(! where a rival's sum, which should be exact, is wrong; – where it has no answer)");
    let (lengths, effort) = plan(quick);
    for dtype in DTYPES {
        for norm in [Norm::L1, Norm::L2] {
            for &n in lengths {
                let shape = [(ALONE / n).max(1), n];
                inner_row(dtype.name(), &data::call(norm, data::even(dtype, &shape)?, -1), effort)?;
            }
            if matches!(dtype, Dtype::F32 | Dtype::F64) {
                let call = data::call(norm, data::wide(dtype, &[1, ALONE])?, -1);
                inner_row(&format!("{dtype} wide"), &call, effort)?;
            }
        }
    }
    Ok(())
}

fn inner_row(name: &str, call: &Call, effort: Effort) -> Result<(), Failure> {
    with_array!(&call.data, array => {
        let elements = array.as_slice().ok_or("not row-major")?;
        inner_row_of(name, call, elements, effort)
    })
}

fn inner_row_of<T: Number>(name: &str, call: &Call, elements: &[T], effort: Effort) -> Result<(), Failure> {
    let Outcome::Reduce(reduction, _) = &data::outcome(call)? else { return Err("not a reduction".into()) };
    let outcome = data::outcome(call)?;
    let (norm, n) = (reduction.norm, reduction.terms(call.data.shape()));
    let others: [Option<Rival<T>>; 3] = [
        Some(rivals::big_integer),
        rivals::xsum_has(T::DTYPE, norm).then_some(rivals::xsum),
        rivals::accurate_has(T::DTYPE).then_some(rivals::accurate),
    ];
    let exact = exact::evaluate(&call.data, reduction, Variant::default());
    let exact = exact.first().ok_or("no output")?.round(FloatFormat::F64);
    let mut contenders: Vec<Contender<'_>> = vec![
        Box::new(|| drop(black_box(expect(black_box(call), &outcome)))),
        Box::new(|| each(elements, n, norm, rivals::plain)),
        Box::new(|| drop(black_box(exact::evaluate(black_box(&call.data), reduction, Variant::default())))),
    ];
    // Roots of f64-rounded sums may be off by one, so only sums are checked against the definition.
    let wrong = others.map(|rival| {
        rival.is_some_and(|rival| norm == Norm::L1 && rival(&elements[..n], norm).to_bits() != exact)
    });
    for rival in others.into_iter().flatten() {
        contenders.push(Box::new(move || each(elements, n, norm, rival)));
    }
    let seconds = fastest(effort, &mut contenders);
    let (expect, plain, definition) = (seconds[0], seconds[1], seconds[2]);
    let mut rest = seconds[3..].iter();
    let mut columns = others.iter().zip(wrong).map(|(rival, wrong)| {
        let seconds = rival.and_then(|_| rest.next());
        let ratio = seconds.map_or("–".to_owned(), |seconds| format!("{:.2}", seconds / expect));
        ratio + if wrong { "!" } else { "" }
    });
    let mut column = || columns.next().unwrap_or_default();
    let per_element = 1e9 / elements.len() as f64;
    println!(
        "{name:<9} {norm:?}  {n:>8}  {:>6.3}    {:>6.3}  {:>15.2}  {:>6}  {:>6}  {:>8}  {:>10.2}",
        expect * per_element,
        plain * per_element,
        expect / plain,
        column(),
        column(),
        column(),
        definition / expect,
    );
    Ok(())
}

fn each<T>(elements: &[T], n: usize, norm: Norm, rival: impl Fn(&[T], Norm) -> f64) {
    for run in elements.chunks_exact(n) {
        black_box(rival(black_box(run), norm));
    }
}

/// Measures the outermost axis, against the innermost one of as many elements, and against the plain loop.
pub(crate) fn outer(quick: bool) -> Result<(), Failure> {
    println!("\nthe same elements as [n, outputs] over axis 0, and as [outputs, n] over axis 1");
    println!("                               ns an element      outer    ns an element  outer");
    println!("dtype  norm         n  outputs  outer     inner  / inner  plain row loop  / plain");
    let (lengths, effort) = plan(quick);
    for dtype in DTYPES {
        for norm in [Norm::L1, Norm::L2] {
            for &n in lengths {
                // Neighbouring outputs fill a cache line, even if memory limits their number.
                let outputs = if n > 4096 { 16_000_000 / n } else { 64 }.max(8);
                outer_row(dtype, norm, n, outputs, effort)?;
            }
        }
    }
    for (n, outputs) in [(4096, 100), (4096, 4096)] {
        for norm in [Norm::L1, Norm::L2] {
            outer_row(Dtype::F32, norm, n, outputs, effort)?;
        }
    }
    Ok(())
}

fn outer_row(dtype: Dtype, norm: Norm, n: usize, outputs: usize, effort: Effort) -> Result<(), Failure> {
    let outer = data::call(norm, data::even(dtype, &[n, outputs])?, 0);
    let inner = data::call(norm, data::even(dtype, &[outputs, n])?, 1);
    let (over_outer, over_inner) = (data::outcome(&outer)?, data::outcome(&inner)?);
    let mut contenders: [Contender<'_>; 3] = [
        Box::new(|| drop(black_box(expect(black_box(&outer), &over_outer)))),
        Box::new(|| drop(black_box(expect(black_box(&inner), &over_inner)))),
        Box::new(|| {
            with_array!(&outer.data, array => {
                let elements = black_box(array.as_slice().unwrap_or_default());
                black_box(rivals::plain_outer(elements, norm, outputs));
            });
        }),
    ];
    let seconds = fastest(effort, &mut contenders);
    let per_element = 1e9 / (n * outputs) as f64;
    println!(
        "{dtype:<5}  {norm:?}  {n:>10}  {outputs:>7}  {:>5.3}    {:>6.3}  {:>7.2}  {:>14.3}  {:>7.2}",
        seconds[0] * per_element,
        seconds[1] * per_element,
        seconds[0] / seconds[1],
        seconds[2] * per_element,
        seconds[0] / seconds[2],
    );
    Ok(())
}

/// Measures calls of eight elements.
pub(crate) fn small(quick: bool) -> Result<(), Failure> {
    println!("\ncalls of 8 elements, one output; million calls a second on one core");
    println!("dtype  norm  expect  rule and expect  expect and round");
    let (_, effort) = plan(quick);
    for dtype in DTYPES {
        for norm in [Norm::L1, Norm::L2] {
            let call = data::call(norm, data::even(dtype, &[8])?, 0);
            let outcome = data::outcome(&call)?;
            let mut contenders: [Contender<'_>; 3] = [
                Box::new(|| drop(black_box(expect(black_box(&call), &outcome)))),
                Box::new(|| {
                    for alternative in rule(black_box(&call)).alternatives {
                        drop(black_box(expect(&call, &alternative.outcome)));
                    }
                }),
                Box::new(|| drop(black_box(rounded(&call, &outcome)))),
            ];
            let rates = fastest(effort, &mut contenders).into_iter().map(|seconds| 1e-6 / seconds);
            let rates: Vec<f64> = rates.collect();
            println!("{dtype:<5}  {norm:?}    {:>6.2}  {:>15.2}  {:>16.2}", rates[0], rates[1], rates[2]);
        }
    }
    Ok(())
}

/// Returns the answer in which every element is the correctly rounded one.
fn rounded(call: &Call, outcome: &Outcome) -> Option<Tensor> {
    match expect(black_box(call), outcome).ok()? {
        Expected::Near(near) => near.rounded().ok(),
        Expected::Exactly(tensor) => Some(tensor),
        Expected::Converted(_) | Expected::Rejection(_) | Expected::Anything(_) => None,
    }
}
