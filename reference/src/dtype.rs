//! Element types: their names, their widths, and the one fact that arithmetic needs of each: the format of a
//! float, or the range of an integer.
//!
//! Bits travel as `u64` with the element in the low bits (two's complement for signed integers),
//! so that one piece of code serves all twelve types. Nothing here rounds; see [`crate::real`].

use strum::{Display, EnumCount, EnumString, IntoStaticStr, VariantArray};

/// An element type a tensor may have.
#[derive(Display, EnumCount, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dtype {
    /// IEEE 754 binary16.
    F16,
    /// The upper half of binary32.
    Bf16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
}

/// The numbers that an element type holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A binary floating-point format.
    Float(FloatFormat),
    /// A range of integers.
    Integer(IntegerRange),
}

impl Dtype {
    /// Every element type, floats first, in declaration order.
    pub const ALL: [Self; Self::COUNT] = match Self::VARIANTS.first_chunk() {
        Some(all) => *all,
        None => unreachable!(),
    };

    /// Returns the name used in case files, reports and on the wire.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the element type of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Returns the size of one element in bytes.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::F16 | Self::Bf16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// Returns the float format or the integer range.
    pub const fn kind(self) -> Kind {
        match self {
            Self::F16 => Kind::Float(FloatFormat::F16),
            Self::Bf16 => Kind::Float(FloatFormat::BF16),
            Self::F32 => Kind::Float(FloatFormat::F32),
            Self::F64 => Kind::Float(FloatFormat::F64),
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => {
                Kind::Integer(IntegerRange::of_width(8 * self.size() as u32, true))
            }
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => {
                Kind::Integer(IntegerRange::of_width(8 * self.size() as u32, false))
            }
        }
    }

    /// Returns true if this is an integer type.
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Integer(_))
    }

    /// Returns the absolute value of the element with these bits.
    pub fn magnitude(self, bits: u64) -> Magnitude {
        match self.kind() {
            Kind::Float(format) => format.magnitude(bits),
            Kind::Integer(range) => Magnitude::Finite {
                // |MIN| of a 64-bit type is 2^63, which u64 holds.
                significand: range.decode(bits).unsigned_abs() as u64,
                exponent: 0,
            },
        }
    }
}

/// The absolute value of one element: exactly `significand · 2^exponent`, or one of the two values that are
/// not real numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Magnitude {
    /// `significand · 2^exponent`.
    Finite {
        /// At most 64 bits; zero only for a zero.
        significand: u64,
        /// Zero for integers.
        exponent: i32,
    },
    /// An infinity of either sign.
    Infinite,
    /// Any NaN.
    Nan,
}

/// A binary interchange format: sign bit, biased exponent, fraction (IEEE 754-2019, 3.4).
///
/// Any format of that layout works: the tests use an 8-bit float, all of whose values they can try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    /// Significand bits, the hidden one counted.
    pub precision: u32,
    /// The smallest normal number is `2^min_exponent`.
    pub min_exponent: i32,
    /// Every finite number is below `2^(max_exponent + 1)`.
    pub max_exponent: i32,
}

impl FloatFormat {
    /// binary16.
    pub const F16: Self = Self { precision: 11, min_exponent: -14, max_exponent: 15 };
    /// bfloat16.
    pub const BF16: Self = Self { precision: 8, min_exponent: -126, max_exponent: 127 };
    /// binary32.
    pub const F32: Self = Self { precision: 24, min_exponent: -126, max_exponent: 127 };
    /// binary64.
    pub const F64: Self = Self { precision: 53, min_exponent: -1022, max_exponent: 1023 };

    /// Returns the exponent of the smallest subnormal `2^quantum`, of which every finite number is a multiple.
    pub const fn quantum(self) -> i32 {
        self.min_exponent - self.fraction_bits() as i32
    }

    /// Returns the bits of +infinity; any greater magnitude is a NaN.
    pub const fn infinity(self) -> u64 {
        ((self.max_exponent - self.min_exponent + 2) as u64) << self.fraction_bits()
    }

    /// Returns the bits of the quiet NaN this crate writes.
    pub const fn nan(self) -> u64 {
        self.infinity() | 1 << (self.fraction_bits() - 1)
    }

    /// Returns the sign bit alone, which is also -0.
    pub const fn sign(self) -> u64 {
        self.infinity() + (1 << self.fraction_bits())
    }

    /// Returns the absolute value of the float with these bits.
    pub fn magnitude(self, bits: u64) -> Magnitude {
        let bits = bits & (self.sign() - 1);
        if bits >= self.infinity() {
            return if bits == self.infinity() { Magnitude::Infinite } else { Magnitude::Nan };
        }
        let fraction = bits & ((1 << self.fraction_bits()) - 1);
        // The exponent field is at most 11 bits wide.
        let field = (bits >> self.fraction_bits()) as i32;
        match field {
            0 => Magnitude::Finite { significand: fraction, exponent: self.quantum() },
            _ => Magnitude::Finite {
                significand: fraction | 1 << self.fraction_bits(),
                exponent: self.quantum() + field - 1,
            },
        }
    }

    /// Returns true if these bits are a nonzero number below the smallest normal one.
    pub const fn is_subnormal(self, bits: u64) -> bool {
        let bits = bits & (self.sign() - 1);
        bits != 0 && bits < 1 << self.fraction_bits()
    }

    pub(crate) const fn fraction_bits(self) -> u32 {
        self.precision - 1
    }
}

/// The integers a type holds, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerRange {
    /// Smallest value.
    pub min: i128,
    /// Greatest value.
    pub max: i128,
}

impl IntegerRange {
    /// Returns the range of the type of `width` bits, at most 64.
    pub const fn of_width(width: u32, signed: bool) -> Self {
        let all = 1_i128 << width;
        if signed { Self { min: -(all / 2), max: all / 2 - 1 } } else { Self { min: 0, max: all - 1 } }
    }

    /// Returns the number of bits of the type.
    pub const fn width(self) -> u32 {
        (self.max - self.min + 1).ilog2()
    }

    /// Returns the result of x86 where it converts a NaN to the type: the least value of a signed type, and
    /// 2^63 of u64. A narrower unsigned type takes the low bits of that, which are 0.
    pub const fn indefinite(self) -> i128 {
        if self.is_signed() {
            self.min
        } else if self.width() == 64 {
            1 << 63
        } else {
            0
        }
    }

    /// Returns true if the type is signed.
    pub const fn is_signed(self) -> bool {
        self.min < 0
    }

    /// Returns the value with these bits; bits beyond the type's width are ignored.
    pub const fn decode(self, bits: u64) -> i128 {
        self.wrap(bits as i128)
    }

    /// Returns the value of this type congruent to `value` modulo `2^width`.
    pub const fn wrap(self, value: i128) -> i128 {
        // The mask avoids a 128-bit division, which was the slowest step of a default run.
        let low = value & (self.max - self.min);
        // A set sign bit counts `min` in place of `-min`. No branch: the signs of elements are anything.
        (low ^ -self.min) + self.min
    }

    /// Returns the bits of `value`, which must be in range: other values are cut to the width.
    pub const fn encode(self, value: i128) -> u64 {
        (value & (self.max - self.min)) as u64
    }
}
