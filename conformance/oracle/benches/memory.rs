//! Measures the memory that an expectation takes beyond its data: the peak resident size of this process,
//! which therefore does nothing else.

use normative_oracle::expect;
use normative_reference::{Dtype, MAX_ELEMENTS, Norm, Operator, rule};

use crate::Failure;
use crate::data;

/// Measures one reduction of the largest tensor.
pub(crate) fn print(quick: bool) -> Result<(), Failure> {
    let n = if quick { MAX_ELEMENTS / 10 } else { MAX_ELEMENTS };
    println!("\none output of {n} f32, resident size in MiB");
    if status("VmRSS").is_none() {
        println!("not measured: only Linux tells (/proc/self/status)");
        return Ok(());
    }
    let mut call = data::call(Norm::L1, data::even(Dtype::F32, &[n])?, 0);
    let before = status("VmRSS").ok_or("no VmRSS")?;
    println!("data               {before:>8.1}");
    let peak = |after: &str| -> Result<(), Failure> {
        let peak = status("VmHWM").ok_or("no VmHWM")?;
        println!("peak after {after:<6}  {peak:>8.1}   extra {:>6.1}", peak - before);
        Ok(())
    };
    for norm in [Norm::L1, Norm::L2] {
        call.operator = Operator::OpenVino { norm, keep_dims: None };
        let ruling = rule(&call);
        peak("rule")?;
        for alternative in &ruling.alternatives {
            expect(&call, &alternative.outcome)?;
        }
        peak("expect")?;
    }
    Ok(())
}

/// Returns a figure that the kernel keeps of this process, in MiB.
fn status(key: &str) -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}
