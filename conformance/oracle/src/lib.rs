//! Computes the expectations of [`normative_reference`], at about the speed of a plain f64 loop.
//!
//! [`exact`](normative_reference::exact) is the definition, made to be read; [`evaluate`] gives the same
//! values, and tests hold it to that, bit for bit. This crate knows no spec and rules on no call.
//!
//! `walk` reads the elements, a block at a time; only a tensor that is not row-major is copied first.
//! `kernels` has the loop that adds a block, `floats` and `integers` the arithmetic and its proof, and `sum`
//! the exact total; `few` needs none of these. Beyond the tensor this takes less than a megabyte, for any
//! size.

mod axes;
mod evaluate;
mod expected;
mod few;
mod floats;
mod integers;
mod kernels;
mod sum;
mod term;
mod walk;

pub use self::evaluate::evaluate;
pub use self::expected::{expect, expect_each};
