//! Formats values and calls for people: exact decimals, hex floats, bits, one line a call.
//!
//! The text is only for reports; it is not parsed or judged.

mod foreign;
pub mod shell;

use normative_reference::textbook::to_f64;
use normative_reference::{Axes, Call, Dtype, Kind, Layout, Magnitude, Real, Setting, Spec, Tensor, Value};
use num_bigint::BigUint;

pub use self::foreign::{cut, inert, is_unseen, name, plain, said, short, who};
use crate::observed::Observed;

/// The digits of an exact value shown before it is cut with an ellipsis.
const DIGITS: i64 = 25;

/// Returns the texts of some things, with commas between them.
pub fn joined(all: impl IntoIterator<Item = impl ToString>) -> String {
    all.into_iter().map(|one| one.to_string()).collect::<Vec<_>>().join(", ")
}

/// Returns the first half of a spec's name, its publisher, such as `onnx`.
pub fn family(spec: Spec) -> &'static str {
    spec.family().into()
}

/// Returns the second half: the operator and its version, such as `ReduceL1-13`.
pub fn version(spec: Spec) -> &'static str {
    // Every name has two halves.
    spec.name().split_once('/').unwrap_or_default().1
}

/// Returns the name without the version, such as `onnx/ReduceL1`.
pub fn operator(spec: Spec) -> &'static str {
    let name = spec.name();
    name.rsplit_once('-').map_or(name, |(operator, _)| operator)
}

/// Returns [the second half](version), behind the first and a hyphen where several publishers have an operator of one
/// name and version: `ReduceL1-13`, but `onnx-ReduceSum-1`.
pub fn unique_version(spec: Spec) -> String {
    let own = version(spec);
    let is_shared = Spec::ALL.iter().any(|&other| other != spec && version(other) == own);
    if is_shared { format!("{}-{own}", family(spec)) } else { own.to_owned() }
}

/// Formats an exact value in decimal: complete if it ends within 25 digits, cut with `…` otherwise. Roots of
/// integers also show the integer.
pub fn exact(value: &Value) -> String {
    let real = match value {
        Value::Infinite => return "inf".into(),
        Value::NegativeInfinite => return "-inf".into(),
        Value::Nan => return "NaN".into(),
        Value::Finite(real) => real,
    };
    let decimal = format!("{}{}", if real.negative { "-" } else { "" }, decimal_of(real));
    match integer_under_root(real) {
        Some(square) if decimal.ends_with('…') => format!("√{square} = {decimal}"),
        _ => decimal,
    }
}

/// Returns the number under the root, if it is an integer short enough to read.
fn integer_under_root(real: &Real) -> Option<BigUint> {
    let zeros = real.significand.trailing_zeros()? as i64;
    let shift = i64::from(real.exponent);
    let readable = real.root && shift >= -zeros && shift < 64;
    let square = readable.then(|| match real.exponent {
        up @ 0.. => &real.significand << up,
        down => &real.significand >> down.unsigned_abs(),
    });
    square.filter(|square| square.bits() < 100)
}

fn decimal_of(real: &Real) -> String {
    let Some(log2) = real.floor_log2() else { return "0".into() };
    // floor(log10) is this or one more; an extra digit is harmless.
    let log10 = (log2 as f64 * std::f64::consts::LOG10_2).floor() as i64;
    let places = DIGITS - 1 - log10;
    let (digits, complete) = scaled(real, places);
    let mut text = digits.to_string();
    let point = text.len() as i64 - places;
    if complete {
        text.truncate(text.trim_end_matches('0').len());
    }
    let mark = if complete { "" } else { "…" };
    let shown = text.len() as i64;
    match point {
        _ if !(-5..=DIGITS).contains(&point) => {
            let (first, rest) = text.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            format!("{first}{dot}{rest}{mark}e{}", point - 1)
        }
        _ if point <= 0 => format!("0.{}{text}{mark}", "0".repeat(point.unsigned_abs() as usize)),
        _ if shown <= point => format!("{text}{}{mark}", "0".repeat((point - shown) as usize)),
        _ => {
            let (whole, fraction) = text.split_at(point as usize);
            format!("{whole}.{fraction}{mark}")
        }
    }
}

/// Returns the integer part of `real · 10^places`, and true if nothing was cut off.
fn scaled(real: &Real, places: i64) -> (BigUint, bool) {
    // A root is scaled inside: √S · 10^k = √(S · 10^2k).
    let places = if real.root { 2 * places } else { places };
    let ten = BigUint::from(10_u8).pow(places.unsigned_abs() as u32);
    let two = BigUint::from(2_u8).pow(real.exponent.unsigned_abs());
    let one = BigUint::from(1_u8);
    let (up, down) = if places >= 0 { (ten, one.clone()) } else { (one.clone(), ten) };
    let (up, down) = if real.exponent >= 0 { (up * two, down) } else { (up, down * two) };
    let numerator = &real.significand * up;
    let quotient = &numerator / &down;
    let complete = &quotient * down == numerator;
    if !real.root {
        return (quotient, complete);
    }
    let root = quotient.sqrt();
    let complete = complete && &root * &root == quotient;
    (root, complete)
}

/// Formats an element in decimal, with the shortest unique text: for f32 among f32 values, for every other
/// float among f64 values (so that f16's greatest is 65504, not 65500).
pub fn element(dtype: Dtype, bits: u64) -> String {
    if let Kind::Integer(range) = dtype.kind() {
        return range.decode(bits).to_string();
    }
    // Every float format embeds in f64, whose shortest text the standard library gives.
    let wide = to_f64(dtype, bits);
    let plain = wide == 0.0 || (1e-5..1e17).contains(&wide.abs());
    match (dtype, plain) {
        (Dtype::F32, true) => (wide as f32).to_string(),
        (Dtype::F32, false) => format!("{:e}", wide as f32),
        (_, true) => wide.to_string(),
        (_, false) => format!("{wide:e}"),
    }
}

/// Formats an element in decimal, in hexadecimal floating point if it is a float, and as bits.
pub fn in_full(dtype: Dtype, pattern: u64) -> String {
    let shown = [element(dtype, pattern), hex_float(dtype, pattern), bits(dtype, pattern)];
    shown.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("  ")
}

/// Formats an element in hexadecimal floating point (C99 `%a`), which shows every bit; empty for integers.
pub fn hex_float(dtype: Dtype, bits: u64) -> String {
    let Kind::Float(format) = dtype.kind() else { return String::new() };
    let sign = if bits & format.sign() == 0 { "" } else { "-" };
    match format.magnitude(bits) {
        Magnitude::Nan | Magnitude::Infinite => element(dtype, bits),
        Magnitude::Finite { significand: 0, .. } => format!("{sign}0x0p+0"),
        Magnitude::Finite { significand, exponent } => {
            let top = significand.ilog2();
            // The fraction, left-aligned to whole hexadecimal digits.
            let width = top.div_ceil(4);
            let fraction = (significand ^ 1 << top) << (4 * width - top);
            let digits = format!("{fraction:0width$x}", width = width as usize);
            let digits = digits.trim_end_matches('0');
            let dot = if digits.is_empty() || width == 0 { "" } else { "." };
            let digits = if width == 0 { "" } else { digits };
            format!("{sign}0x1{dot}{digits}p{:+}", exponent + top as i32)
        }
    }
}

/// Formats the bits of an element, with as many hexadecimal digits as its type is wide.
pub fn bits(dtype: Dtype, bits: u64) -> String {
    format!("0x{bits:0width$x}", width = 2 * dtype.size())
}

/// Formats a call in one line: spec, data type, shape and layout, axes, attributes as written.
pub fn call(call: &Call) -> String {
    let layout = match call.layout {
        Layout::RowMajor => String::new(),
        other => format!(" {other} in memory"),
    };
    let data = format!("{} data {}{:?}{layout}", call.spec(), call.data.dtype(), call.data.shape());
    let axes = match &call.axes {
        Axes::Absent => "no axes".into(),
        Axes::Null => "axes null".into(),
        Axes::Given(given) | Axes::OtherForm(given) => {
            let other =
                if matches!(call.axes, Axes::OtherForm(_)) { " in the form of another opset" } else { "" };
            match given.shape.len() {
                0 => format!("axes{other} {} scalar {:?}", given.dtype, given.values),
                1 => format!("axes{other} {} {:?}", given.dtype, given.values),
                _ => format!("axes{other} {}{:?} {:?}", given.dtype, given.shape, given.values),
            }
        }
    };
    let attributes = call.operator.attributes().into_iter().filter_map(|(name, set)| {
        Some(match set? {
            Setting::Boolean(value) => format!("{name} {value}"),
            Setting::Integer(value) => format!("{name} {value}"),
            Setting::Dims(dims) => format!("{} {dims:?}, fastest axis first", name.replace('_', " ")),
        })
    });
    let parts: Vec<String> = [data, axes].into_iter().chain(attributes).collect();
    parts.join(", ")
}

/// Formats an answer in one line.
pub fn answer(answer: &Observed) -> String {
    match answer {
        Observed::Tensor(tensor) => format!("{}{:?} {}", tensor.dtype(), tensor.shape(), data(tensor)),
        Observed::Oversized { dtype, shape } => format!("{dtype}{shape:?}, too large to keep"),
        Observed::Rejected(why) => format!("refused: {why}"),
        Observed::Unsupported(why) => format!("unsupported: {why}"),
        Observed::ChangedData(how) => format!("changed the data: {how}"),
        Observed::Died(death) => death.to_string(),
    }
}

/// The most data elements shown.
const ELEMENTS: usize = 64;

/// Formats the elements of a tensor, row-major, cut after 64.
pub fn data(tensor: &Tensor) -> String {
    some(tensor, ELEMENTS)
}

/// Formats the elements of a tensor, row-major, cut after `most`.
pub fn some(tensor: &Tensor, most: usize) -> String {
    let bits = tensor.bits();
    let shown: Vec<String> = bits.iter().take(most).map(|&bits| element(tensor.dtype(), bits)).collect();
    let more = if bits.len() > most { format!(", … ({} in all)", bits.len()) } else { String::new() };
    format!("[{}{more}]", shown.join(", "))
}

/// Formats a count with thousands separators.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count and the thing counted.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// Formats an error in ulp, with about three significant digits.
pub fn ulps(error: f64) -> String {
    match error {
        _ if error == 0.0 => "0".into(),
        _ if (0.01..1000.0).contains(&error) => format!("{error:.3}"),
        _ => format!("{error:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::integer(12, 0, false, "12")]
    #[case::perfect_root(144, 0, true, "12")]
    #[case::fraction(3, -1, false, "1.5")]
    #[case::small_fraction(1, -10, false, "0.0009765625")]
    #[case::root_of_two(2, 0, true, "√2 = 1.414213562373095048801688…")]
    #[case::root_with_fraction(1, -2, true, "0.5")]
    #[case::large(1, 200, false, "1.606938044258990275541962…e60")]
    #[case::tiny(1, -149, false, "1.401298464324817070923729…e-45")]
    fn exact_values_are_decimals_cut_only_where_they_do_not_end(
        #[case] significand: u32,
        #[case] exponent: i32,
        #[case] root: bool,
        #[case] text: &str,
    ) {
        let value = Value::Finite(Real { significand: significand.into(), exponent, root, negative: false });
        assert_eq!(exact(&value), text);
    }

    #[rstest]
    #[case::one(Dtype::F32, 0x3f80_0000, "1", "0x1p+0")]
    #[case::third(Dtype::F32, 0x3eaa_aaab, "0.33333334", "0x1.555556p-2")]
    #[case::minus_zero(Dtype::F64, 1 << 63, "-0", "-0x0p+0")]
    #[case::smallest_subnormal(Dtype::F16, 1, "5.960464477539063e-8", "0x1p-24")]
    #[case::greatest_half(Dtype::F16, 0x7bff, "65504", "0x1.ffcp+15")]
    #[case::nan(Dtype::Bf16, 0x7fc0, "NaN", "NaN")]
    #[case::minus_infinity(Dtype::F32, 0xff80_0000, "-inf", "-inf")]
    #[case::negative_integer(Dtype::I8, 0x80, "-128", "")]
    fn elements_are_shown_short_and_in_full(
        #[case] dtype: Dtype,
        #[case] pattern: u64,
        #[case] decimal: &str,
        #[case] hex: &str,
    ) {
        assert_eq!((element(dtype, pattern).as_str(), hex_float(dtype, pattern).as_str()), (decimal, hex));
    }
}
