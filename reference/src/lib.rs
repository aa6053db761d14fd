//! The rules of the norm-reduction specifications, and the exact answer to every call.
//!
//! A [`Call`] is one use of an operator. [`rule`] applies its spec and returns a [`Ruling`]: one alternative
//! where the text decides, several where the text is open. [`expect`] returns the answer that one alternative
//! demands: a refusal, one tensor bit for bit (integers), or exact reals with the steps that may round
//! (floats). `normative-conformance` (`judge::accuracy`) derives which floats those steps allow. [`textbook`]
//! is a second opinion in ten lines of f64.
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
//! This crate uses no cases, backends, files or reports, and does no input or output. Some of its names and
//! texts exist for the crates that do.
//!
//! Read it in this order: `dtype`, the public items of `tensor`, `question`, `meaning`, `newest`, `spec`,
//! `call`, `reduction`, `reader`, `ruling`, `unnamed`, `arithmetic`, `integer`, `axes`, `exact`, `real`,
//! `expected`.

pub mod arithmetic;
mod axes;
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
pub use expected::{Converted, Expected, Near, expect, expect_each};
pub use question::{Choice, Question, Reading};
pub use real::{Real, Value};
pub use reduction::{Dims, Elements, Reduction};
pub use ruling::{Alternative, Outcome, Ruling, rule};
pub use spec::{Clause, Family, Finish, Norm, Opset, Spec, Stance, Term};
pub use tensor::{Element, MAX_ELEMENTS, Tensor, TensorError};
