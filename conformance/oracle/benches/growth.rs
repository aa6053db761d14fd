//! Measures how time grows with the number of elements: a table, and a plot of it.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use normative_oracle::expect;
use normative_reference::{Dtype, Norm, Operator, with_array};

use crate::Failure;
use crate::data;
use crate::measure::{Contender, Effort, fastest};
use crate::plot::{self, Series};
use crate::rivals;

/// Measures, prints, and plots if a file is named.
pub(crate) fn print(quick: bool, svg: Option<&Path>) -> Result<(), Failure> {
    println!("\none output of n elements, ns an element");
    println!("                 f32 L1              f32 L2              f64 L1              f64 L2");
    println!("        n  expect plain ratio  expect plain ratio  expect plain ratio  expect plain ratio");
    let decades = if quick { 3..=6 } else { 3..=8 };
    let effort = Effort { budget: Duration::from_millis(if quick { 50 } else { 300 }), rounds: 5 };
    let mut series: Vec<Series> = Vec::new();
    for n in decades.map(|decade| 10_usize.pow(decade)) {
        print!("{n:>9}");
        let mut at = 0;
        for dtype in [Dtype::F32, Dtype::F64] {
            let mut call = data::call(Norm::L1, data::even(dtype, &[n])?, 0);
            for norm in [Norm::L1, Norm::L2] {
                call.operator = Operator::OpenVino { norm, keep_dims: None };
                let outcome = data::outcome(&call)?;
                let mut contenders: [Contender<'_>; 2] = [
                    Box::new(|| drop(black_box(expect(black_box(&call), &outcome)))),
                    Box::new(|| {
                        with_array!(&call.data, array => {
                            let elements = black_box(array.as_slice().unwrap_or_default());
                            black_box(rivals::plain(elements, norm));
                        });
                    }),
                ];
                let seconds = fastest(effort, &mut contenders);
                print!(
                    "  {:>6.3} {:>5.3} {:>5.2}",
                    seconds[0] * 1e9 / n as f64,
                    seconds[1] * 1e9 / n as f64,
                    seconds[0] / seconds[1]
                );
                for (name, seconds) in ["expect", "plain loop"].into_iter().zip(seconds) {
                    if series.len() == at {
                        let name = format!("{name}, {dtype} {norm:?}");
                        series.push(Series { name, dashed: at % 2 == 1, colour: at / 2, points: Vec::new() });
                    }
                    series[at].points.push((n as f64, seconds * 1e9 / n as f64));
                    at += 1;
                }
            }
        }
        println!();
    }
    if let Some(path) = svg {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, plot::svg(&series))?;
        println!("plot: {}", path.display());
    }
    Ok(())
}
