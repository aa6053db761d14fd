//! The plainest call of a type, for specs that leave the types to the implementation.
//!
//! OpenVINO's T is "any supported numeric type" and its `T_IND` "any supported integer type", so a type that an
//! implementation refuses everywhere is unsupported, not a failure. If it answers the plainest call, the type
//! is supported, and every other refusal of a valid call stays a failure. ONNX and BNNS state their types.

use normative_reference::{Axes, AxesTensor, Call, Dtype, Norm, Operator, Tensor};

use crate::generate::whole;
use crate::observed::Observed;

/// The data and axes types that stay fixed while the other type is tried.
const USUAL: (Dtype, Dtype) = (Dtype::F32, Dtype::I64);

/// The types of a call whose spec leaves them to the implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types {
    norm: Norm,
    data: Dtype,
    axes: Dtype,
}

impl Types {
    /// Returns the types of a call; `None` if its spec states the types.
    pub(super) fn of(call: &Call) -> Option<Self> {
        let Operator::OpenVino { norm, .. } = call.operator else { return None };
        let axes = match &call.axes {
            Axes::Given(axes) => axes.dtype,
            Axes::Absent | Axes::Null | Axes::OtherForm(_) => USUAL.1,
        };
        Some(Self { norm, data: call.data.dtype(), axes })
    }

    /// Returns the calls that show if these types are supported: one of the data's type. For unusual axes also one
    /// with usual and one with such axes; the former shows that nothing else is the cause.
    pub(super) fn calls(self) -> Vec<Call> {
        let (data, axes) = USUAL;
        let mut calls = vec![self.plainest(self.data, axes)];
        if self.axes != axes {
            calls.extend([self.plainest(data, axes), self.plainest(data, self.axes)]);
        }
        calls
    }

    /// Returns why these types are unsupported, if they are, from the answers to [those calls](Self::calls).
    pub(super) fn unsupported(self, answers: &[Option<&Observed>]) -> Option<String> {
        // A crash does not show that the type is unsupported.
        let refused = |at: usize| match answers.get(at) {
            Some(Some(Observed::Rejected(why) | Observed::Unsupported(why))) => Some(why),
            _ => None,
        };
        let Self { data, axes, .. } = self;
        if let Some(why) = refused(0) {
            let what = format!("refuses the plainest call of {data} too; T is any supported numeric type");
            return Some(format!("{what}: {why}"));
        }
        let why = refused(2).filter(|_| refused(1).is_none())?;
        let what =
            format!("refuses the plainest call with {axes} axes too; T_IND is any supported integer type");
        Some(format!("{what}: {why}"))
    }

    /// Returns a call over two ones, reduced over their only axis.
    fn plainest(self, data: Dtype, axes: Dtype) -> Call {
        let one = whole(data, 1);
        let ones = Tensor::from_bits(data, &[2], &[one, one]);
        // The fallback is never taken: two elements fill a shape of two.
        let data = ones.unwrap_or_else(|_| ndarray::arr1(&[1.0_f32, 1.0]).into_dyn().into());
        let axes = Axes::Given(AxesTensor { dtype: axes, shape: vec![1], values: vec![0] });
        Call::new(Operator::OpenVino { norm: self.norm, keep_dims: None }, data, axes)
    }
}
