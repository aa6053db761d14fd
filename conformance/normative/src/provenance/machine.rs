//! The kind of this machine: its system, its processor, and its float environment.
//!
//! It has only data that several machines can share: no name, address or serial number.

#[cfg(any(target_os = "linux", target_os = "macos"))]
use normative_conformance::outside;
use normative_conformance::report::record::Machine;

use super::floats;

/// The version of the compiler that built this program.
const COMPILER: &str = env!("NORMATIVE_COMPILER");

/// Describes this machine.
pub(crate) fn here() -> Machine {
    Machine {
        system: system(),
        processor: processor(),
        features: features(),
        compiler: (!COMPILER.is_empty()).then(|| COMPILER.to_owned()),
        rounding: Some(floats::rounding().to_owned()),
        subnormals: Some(floats::subnormals()),
        ..Machine::here()
    }
}

/// Reads a file of the system.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn text(path: &str) -> std::io::Result<String> {
    outside::text(std::path::Path::new(path), outside::WRITTEN)
}

/// Returns the value of the first line `KEY=VALUE`, or `KEY : VALUE`, of a text.
fn value(text: &str, key: &str, between: char) -> Option<String> {
    let pairs = text.lines().filter_map(|line| line.split_once(between));
    let mut values = pairs.filter(|(name, _)| name.trim() == key).map(|(_, value)| value.trim());
    values.next().map(|value| value.trim_matches('"').to_owned()).filter(|value| !value.is_empty())
}

#[cfg(target_os = "linux")]
fn system() -> Option<String> {
    value(&text("/etc/os-release").ok()?, "PRETTY_NAME", '=')
}

#[cfg(target_os = "linux")]
fn processor() -> Option<String> {
    let text = text("/proc/cpuinfo").ok()?;
    // For Arm processors, the kernel has only numbers.
    value(&text, "model name", ':').or_else(|| {
        let (by, part) = (value(&text, "CPU implementer", ':')?, value(&text, "CPU part", ':')?);
        Some(format!("implementer {by}, part {part}"))
    })
}

#[cfg(target_os = "macos")]
fn system() -> Option<String> {
    let text = text("/System/Library/CoreServices/SystemVersion.plist").ok()?;
    let after = text.split_once("<key>ProductVersion</key>")?.1;
    let version = after.split_once("<string>")?.1.split_once("</string>")?.0;
    Some(format!("macOS {version}"))
}

#[cfg(target_os = "macos")]
fn processor() -> Option<String> {
    use normative_conformance::drive::{Bounds, errand};

    let mut command = std::process::Command::new("/usr/sbin/sysctl");
    command.args(["-n", "machdep.cpu.brand_string"]);
    let bounds = Bounds { within: std::time::Duration::from_secs(10), memory: None, kept: 1000 };
    let output = errand(&command, bounds).ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn system() -> Option<String> {
    std::env::var("OS").ok()
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn processor() -> Option<String> {
    std::env::var("PROCESSOR_IDENTIFIER").ok()
}

/// Lists the extensions of this processor that libraries check before they choose float kernels.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn features() -> Vec<String> {
    use std::arch::is_x86_feature_detected as has;
    let known = [
        ("sse2", has!("sse2")),
        ("sse4.1", has!("sse4.1")),
        ("avx", has!("avx")),
        ("avx2", has!("avx2")),
        ("fma", has!("fma")),
        ("f16c", has!("f16c")),
        ("avx512f", has!("avx512f")),
        ("avx512vl", has!("avx512vl")),
        ("avx512bw", has!("avx512bw")),
        ("avx512dq", has!("avx512dq")),
        ("avx512vnni", has!("avx512vnni")),
        ("avx512bf16", has!("avx512bf16")),
        ("avx512fp16", has!("avx512fp16")),
    ];
    there(&known)
}

/// Lists the same for Arm.
#[cfg(target_arch = "aarch64")]
fn features() -> Vec<String> {
    use std::arch::is_aarch64_feature_detected as has;
    let known = [
        ("neon", has!("neon")),
        ("fp16", has!("fp16")),
        ("fhm", has!("fhm")),
        ("bf16", has!("bf16")),
        ("dotprod", has!("dotprod")),
        ("i8mm", has!("i8mm")),
        ("sve", has!("sve")),
        ("sve2", has!("sve2")),
    ];
    there(&known)
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<String> {
    Vec::new()
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64"))]
fn there(known: &[(&str, bool)]) -> Vec<String> {
    known.iter().filter(|(_, has)| *has).map(|(name, _)| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::quoted("NAME=\"A\"\nPRETTY_NAME=\"A System 12\"\n", "PRETTY_NAME", '=', Some("A System 12"))]
    #[case::spaced("processor\t: 0\nmodel name\t: A CPU @ 2 GHz\n", "model name", ':', Some("A CPU @ 2 GHz"))]
    #[case::the_first("a: 1\na: 2\n", "a", ':', Some("1"))]
    #[case::empty("a:\n", "a", ':', None)]
    #[case::absent("ab: 1\n", "a", ':', None)]
    fn a_value_is_found_by_its_key(
        #[case] text: &str,
        #[case] key: &str,
        #[case] between: char,
        #[case] due: Option<&str>,
    ) {
        assert_eq!(value(text, key, between).as_deref(), due);
    }
}
