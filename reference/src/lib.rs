//! What the norm-reduction specifications say, and the exact answer to every call.
//!
//! A [`Call`] is what a user of an operator hands over. [`rule`] says what its spec makes of it: a
//! [`Ruling`], which is one outcome where the text decides and several where it is open. [`expect`]
//! turns an outcome into what an answer has to be, by exact integer arithmetic. [`textbook`] is a
//! second opinion in ten lines of f64.
//!
//! ```
//! use ndarray::array;
//! use normative_reference::{Axes, Call, Expected, Norm, Operator, expect, rule};
//!
//! let call = Call {
//!     operator: Operator::OpenVino { norm: Norm::L2, keep_dims: None },
//!     data: array![[3.0_f32, -4.0], [5.0, 12.0]].into_dyn().into(),
//!     axes: Axes::list(&[-1]),
//! };
//! let ruling = rule(&call);
//! let Expected::Near(near) = expect(&call, &ruling.alternatives[0].outcome)? else { panic!() };
//! assert_eq!(near.rounded()?, array![5.0_f32, 13.0].into_dyn().into());
//! # Ok::<(), normative_reference::TensorError>(())
//! ```
//!
//! This crate knows nothing of cases, backends, files or reports, and does no input or output.
//! It is meant to be read, in this order: `spec`, `call`, `question`, `reader`, `ruling`, `arithmetic`, `reduction`, `exact`,
//! `real`, `expected`. The judges ask `normative-oracle`, which computes what [`exact`]
//! defines without its detours; tests hold the two equal.

pub mod arithmetic;
pub mod call;
pub mod dtype;
pub mod exact;
pub mod expected;
pub mod question;
mod reader;
pub mod real;
pub mod reduction;
pub mod ruling;
pub mod spec;
pub mod tensor;
pub mod textbook;

pub use call::{Axes, AxesTensor, Call, Operator};
pub use dtype::{Dtype, FloatFormat, Kind, Magnitude};
pub use expected::{Expected, Near, expect};
pub use question::{Choice, Question, Reading};
pub use real::{Real, Value};
pub use reduction::{Dims, Elements, Reduction};
pub use ruling::{Alternative, Outcome, Ruling, rule};
pub use spec::{Clause, Family, Norm, Opset, Spec};
pub use tensor::{Element, MAX_ELEMENTS, Tensor, TensorError};
