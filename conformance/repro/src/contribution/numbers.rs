//! Elements as literals of C++ and of JavaScript, which give the same bits.

use normative_conformance::display;
use normative_reference::{Dtype, Kind, Magnitude};

/// An element as C++ writes it in a test of ONNX Runtime. Half-precision floats are written as bits.
pub(super) fn cpp(dtype: Dtype, bits: u64) -> String {
    let text = display::element(dtype, bits);
    match (dtype, dtype.kind()) {
        (Dtype::F16, _) => format!("MLFloat16::FromBits({})", display::bits(dtype, bits)),
        (Dtype::Bf16, _) => format!("BFloat16::FromBits({})", display::bits(dtype, bits)),
        (_, Kind::Float(format)) => {
            let limits = format!("std::numeric_limits<{}>::", cpp_type(dtype));
            let sign = if bits & format.sign() == 0 { "" } else { "-" };
            let suffix = if dtype == Dtype::F32 { "f" } else { "" };
            let dot = if text.contains(['.', 'e']) { "" } else { ".0" };
            match format.magnitude(bits) {
                Magnitude::Nan => format!("{limits}quiet_NaN()"),
                Magnitude::Infinite => format!("{sign}{limits}infinity()"),
                Magnitude::Finite { .. } => format!("{text}{dot}{suffix}"),
            }
        }
        // The least integer is no literal: its sign is an operator.
        (Dtype::I64, _) if text == i64::MIN.to_string() => "std::numeric_limits<int64_t>::min()".into(),
        (Dtype::I32, _) if text == i32::MIN.to_string() => "std::numeric_limits<int32_t>::min()".into(),
        (Dtype::I64, _) => format!("{text}LL"),
        (Dtype::U64, _) => format!("{text}ULL"),
        (Dtype::U32, _) => format!("{text}U"),
        _ => text,
    }
}

/// What C++ calls an element type there.
pub(super) const fn cpp_type(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F16 => "MLFloat16",
        Dtype::Bf16 => "BFloat16",
        Dtype::F32 => "float",
        Dtype::F64 => "double",
        Dtype::I8 => "int8_t",
        Dtype::I16 => "int16_t",
        Dtype::I32 => "int32_t",
        Dtype::I64 => "int64_t",
        Dtype::U8 => "uint8_t",
        Dtype::U16 => "uint16_t",
        Dtype::U32 => "uint32_t",
        Dtype::U64 => "uint64_t",
    }
}

/// An element as JavaScript writes it: a `BigInt` where the type has 64 bits, otherwise a number.
pub(super) fn javascript(dtype: Dtype, bits: u64) -> String {
    match dtype.kind() {
        Kind::Integer(_) if dtype.size() == 8 => format!("{}n", display::element(dtype, bits)),
        Kind::Float(format) if format.magnitude(bits) == Magnitude::Infinite => {
            if bits == format.infinity() {
                "Infinity".into()
            } else {
                "-Infinity".into()
            }
        }
        _ => display::element(dtype, bits),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::whole(Dtype::F32, u64::from(3.0_f32.to_bits()), "3.0f", "3")]
    #[case::fraction(Dtype::F64, 0.1_f64.to_bits(), "0.1", "0.1")]
    #[case::small(Dtype::F32, 1, "1e-45f", "1e-45")]
    #[case::minus_zero(Dtype::F64, 1 << 63, "-0.0", "-0")]
    #[case::minus_infinity(Dtype::F32, 0xff80_0000, "-std::numeric_limits<float>::infinity()", "-Infinity")]
    #[case::nan(Dtype::F64, 0x7ff8 << 48, "std::numeric_limits<double>::quiet_NaN()", "NaN")]
    #[case::half(Dtype::F16, 0x3c00, "MLFloat16::FromBits(0x3c00)", "1")]
    #[case::least(Dtype::I64, 1 << 63, "std::numeric_limits<int64_t>::min()", "-9223372036854775808n")]
    #[case::greatest(Dtype::U64, u64::MAX, "18446744073709551615ULL", "18446744073709551615n")]
    #[case::negative(Dtype::I32, 0xffff_ffff, "-1", "-1")]
    fn a_literal_names_its_element(
        #[case] dtype: Dtype,
        #[case] bits: u64,
        #[case] in_cpp: &str,
        #[case] in_javascript: &str,
    ) {
        assert_eq!((cpp(dtype, bits).as_str(), javascript(dtype, bits).as_str()), (in_cpp, in_javascript));
    }
}
