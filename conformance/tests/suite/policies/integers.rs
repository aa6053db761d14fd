//! Norms of integers as C and array libraries compute them, on machine words.

use normative_conformance::reference::{Dtype, Finish, Norm, Term};

use crate::example::Draw;

/// The type of squares and sums.
#[derive(Clone, Copy, Debug)]
enum Sums {
    /// A type that holds all sums.
    Exact,
    /// A type of so many bits; the sum, or each square, wraps or saturates.
    Wrap(u32),
    Stop(u32),
    SquaresWrap(u32),
    /// f32 or f64, for elements and squares too.
    Single,
    Double,
}

/// The type of the root.
#[derive(Clone, Copy, Debug)]
enum Root {
    Exact,
    Single,
    Double,
}

/// The treatment of a result beyond the type.
#[derive(Clone, Copy, Debug)]
enum Beyond {
    Wrap,
    Stop,
    Refuse,
    /// As in x86's conversion of a float.
    TopBit,
}

/// A way to compute the norms of integers.
#[allow(clippy::struct_excessive_bools, reason = "each is drawn by itself")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Integers {
    width: u32,
    signed: bool,
    sums: Sums,
    sums_signed: bool,
    root: Root,
    nearest: bool,
    least_below_zero: bool,
    beyond: Beyond,
}

impl Integers {
    /// Draws a way for a type.
    pub(super) fn draw(dtype: Dtype, draw: &mut Draw) -> Self {
        let width = 8 * dtype.size() as u32;
        let signed = matches!(dtype, Dtype::I8 | Dtype::I16 | Dtype::I32 | Dtype::I64);
        let held: Vec<u32> = [width, 2 * width].into_iter().filter(|&width| width <= 64).collect();
        let held = draw.one_of(&held);
        let sums = [
            Sums::Exact,
            Sums::Wrap(held),
            Sums::Stop(held),
            Sums::SquaresWrap(held),
            Sums::Single,
            Sums::Double,
        ];
        let sums = draw.one_of(&sums);
        let own = held == width && (!signed || matches!(sums, Sums::Stop(_)));
        let sums_signed = if own { signed } else { draw.one_of(&[false, true]) };
        Self {
            width,
            signed,
            sums,
            sums_signed,
            root: draw.one_of(&[Root::Exact, Root::Single, Root::Double]),
            nearest: draw.one_of(&[false, true]),
            least_below_zero: draw.one_of(&[false, true]),
            beyond: draw.one_of(&[Beyond::Wrap, Beyond::Stop, Beyond::Refuse, Beyond::TopBit]),
        }
    }

    /// Returns the bits of the norm of some elements, or a refusal.
    pub(super) fn norm(&self, norm: Norm, x: &[i128]) -> Result<u64, String> {
        let squares = x.iter().map(|x| x.unsigned_abs() * x.unsigned_abs());
        // The sums here fit into 128 bits, except a few of u64, which saturate in every reading.
        let stopped = squares.clone().fold(0_u128, u128::saturating_add);
        let wrapped = squares.clone().fold(0_u128, u128::wrapping_add);
        match (norm.term(), norm.finish()) {
            (Term::Magnitude, Finish::Nothing) => {
                let sum = x.iter().map(|x| x.unsigned_abs()).sum();
                return self.fit(sum, sum);
            }
            (Term::Square, Finish::Nothing) => return self.fit(stopped, wrapped),
            (Term::Element, _) => return self.fit_signed(x.iter().sum()),
            (Term::Magnitude | Term::Square, Finish::Root) => {}
        }
        match self.sums {
            Sums::Single => {
                let sum = x.iter().map(|&x| x as f32).fold(0.0, |sum, x| sum + x * x);
                return self.convert(f64::from(sum.sqrt()));
            }
            Sums::Double => {
                let sum = x.iter().map(|&x| x as f64).fold(0.0, |sum, x| sum + x * x);
                return self.convert(sum.sqrt());
            }
            Sums::Exact | Sums::Wrap(_) | Sums::Stop(_) | Sums::SquaresWrap(_) => {}
        }
        let sum = match self.sums {
            Sums::Wrap(width) => self.cut(wrapped, width),
            Sums::Stop(width) => stopped.min((1_u128 << (width - u32::from(self.sums_signed))) - 1) as i128,
            Sums::SquaresWrap(width) => squares.map(|square| self.cut(square, width)).sum(),
            Sums::Exact | Sums::Single | Sums::Double => return self.rooted(stopped),
        };
        if sum < 0 {
            let least = match (self.least_below_zero, self.signed, self.width) {
                (true, true, width) => 1_u64 << (width - 1),
                (true, false, 64) => 1 << 63,
                _ => 0,
            };
            return Ok(least);
        }
        self.rooted(sum as u128)
    }

    /// Returns the low bits of a number, as a value of the type of sums.
    fn cut(&self, x: u128, width: u32) -> i128 {
        let left = (x & ((1 << width) - 1)) as i128;
        if self.sums_signed && left >> (width - 1) == 1 { left - (1 << width) } else { left }
    }

    fn rooted(&self, sum: u128) -> Result<u64, String> {
        match self.root {
            Root::Exact => {
                let root = sum.isqrt();
                let root = root + u128::from(self.nearest && sum - root * root > root);
                self.fit(root, root)
            }
            Root::Single => self.convert(f64::from((sum as f32).sqrt())),
            Root::Double => self.convert((sum as f64).sqrt()),
        }
    }

    fn convert(&self, root: f64) -> Result<u64, String> {
        let root = if self.nearest { root.round() } else { root.trunc() };
        // Infinity has no congruent integer, so wrapping gives 0.
        if root.is_infinite() {
            return match self.beyond {
                Beyond::Wrap => Ok(0),
                Beyond::Stop | Beyond::Refuse | Beyond::TopBit => self.fit(u128::MAX, u128::MAX),
            };
        }
        self.fit(root as u128, root as u128)
    }

    /// Returns a sum as the type holds it.
    fn fit_signed(&self, sum: i128) -> Result<u64, String> {
        match u128::try_from(sum) {
            Ok(sum) => self.fit(sum, sum),
            Err(_) if sum >= -(1_i128 << (self.width - 1)) => Ok((sum & ((1 << self.width) - 1)) as u64),
            Err(_) => match self.beyond {
                Beyond::Stop => Ok(1 << (self.width - 1)),
                Beyond::Refuse => Err(format!("{sum} is beyond {} bits", self.width)),
                Beyond::TopBit if self.width >= 32 => Ok(1 << (self.width - 1)),
                Beyond::Wrap | Beyond::TopBit => Ok((sum & ((1 << self.width) - 1)) as u64),
            },
        }
    }

    /// Returns a norm as the type holds it. `low` has its low 128 bits, where `norm` stops at the greatest number.
    fn fit(&self, norm: u128, low: u128) -> Result<u64, String> {
        let most = (1_u128 << (self.width - u32::from(self.signed))) - 1;
        let wrapped = (low & ((1 << self.width) - 1)) as u64;
        if norm <= most {
            return Ok(wrapped);
        }
        match self.beyond {
            Beyond::Stop => Ok(most as u64),
            Beyond::Refuse => Err(format!("{norm} is beyond {} bits", self.width)),
            // C cuts narrower types out of an int, and u32 out of a long.
            Beyond::TopBit if self.width == 64 || self.width == 32 && self.signed => {
                Ok(1 << (self.width - 1))
            }
            Beyond::Wrap | Beyond::TopBit => Ok(wrapped),
        }
    }
}
