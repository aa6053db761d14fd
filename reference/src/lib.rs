//! What the norm-reduction specifications say, and the exact answer to every call.
//!
//! A [`Call`] is what a user of an operator hands over. [`rule`] says what its spec makes of it: a
//! [`Ruling`] of one alternative where the text decides, and of several where the text is open. [`expect`] says what an answer
//! has to be under one of them: a refusal, one tensor bit for bit (integers), or exact reals with the steps that may round
//! (floats). Which floats those steps allow is derived in `normative-conformance` (`judge::accuracy`). [`textbook`] is a second
//! opinion in ten lines of f64.
//!
//! ```
//! use ndarray::array;
//! use normative_reference::{Axes, Call, Expected, Norm, Operator, expect, rule};
//!
//! let operator = Operator::OpenVino { norm: Norm::L2, keep_dims: None };
//! let data = array![[3.0_f32, -4.0], [5.0, 12.0]].into_dyn().into();
//! let call = Call::new(operator, data, Axes::list(&[-1]));
//! let ruling = rule(&call);
//! let Expected::Near(near) = expect(&call, &ruling.alternatives[0].outcome)? else { panic!() };
//! assert_eq!(near.rounded()?, array![5.0_f32, 13.0].into_dyn().into());
//! # Ok::<(), normative_reference::TensorError>(())
//! ```
//!
//! This crate uses no cases, backends, files or reports, and does no input or output. Some of its names and texts are made
//! for those that do.
//!
//! It is meant to be read, in this order: `dtype`, the public items of `tensor`, `question`, `meaning`, `newest`, `spec`, `call`,
//! `reduction`, `reader`, `ruling`, `unnamed`, `arithmetic`, `integer`, `exact`, `real`, `expected`.
//! A judge asks `normative-oracle`, a faster evaluator: tests hold its values equal to those of [`exact`].

pub mod arithmetic;
pub mod call;
pub mod dtype;
pub mod exact;
pub mod expected;
mod integer;
mod meaning;
pub mod newest;
pub mod question;
mod reader;
pub mod real;
pub mod reduction;
pub mod ruling;
pub mod spec;
pub mod tensor;
pub mod textbook;
mod unnamed;

pub use call::{Axes, AxesTensor, Call, Layout, Operator, Setting};
pub use dtype::{Dtype, FloatFormat, Kind, Magnitude};
pub use expected::{Converted, Expected, Near, expect};
pub use question::{Choice, Question, Reading};
pub use real::{Real, Value};
pub use reduction::{Dims, Elements, Reduction};
pub use ruling::{Alternative, Outcome, Ruling, rule};
pub use spec::{Clause, Family, Norm, Opset, Spec, Stance};
pub use tensor::{Element, MAX_ELEMENTS, Tensor, TensorError};
