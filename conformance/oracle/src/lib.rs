//! What [`normative_reference`] expects of an answer, at about the speed of a plain f64 loop.
//!
//! [`exact`](normative_reference::exact) is the definition, made to be read; [`evaluate`] gives the same values,
//! and tests hold it to that, bit for bit. It rules on nothing and knows no spec.
//!
//! `walk` reads the elements, a block at a time; only a tensor that is not row-major is copied first. `kernels` has the
//! loop that adds a block up, `floats` and `integers` what it adds with and why that is exact, `sum` holds what is
//! exact of it; `few` does without all that. Beyond the tensor this takes less than a megabyte, however large the
//! tensor is.

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
