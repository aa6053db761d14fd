//! The plainest call of a type, where a spec leaves the types to the implementation.
//!
//! OpenVINO's T is "any supported numeric type" and its `T_IND` "any supported integer type", so a type that an
//! implementation refuses everywhere is not supported, and no failure. A type of which the plainest call is answered
//! is supported: every other refusal of a valid call stays a failure. Of ONNX and BNNS the types are stated.

use normative_reference::{Axes, AxesTensor, Call, Dtype, Norm, Operator, Tensor};

use crate::generate::whole;
use crate::observed::Observed;

/// The types of a call that is asked to try another type.
const USUAL: (Dtype, Dtype) = (Dtype::F32, Dtype::I64);

/// The types of a call whose spec leaves them to the implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types {
    norm: Norm,
    data: Dtype,
    axes: Dtype,
}

impl Types {
    /// The types of a call; nothing where its spec states which there are.
    pub(super) fn of(call: &Call) -> Option<Self> {
        let Operator::OpenVino { norm, .. } = call.operator else { return None };
        let axes = match &call.axes {
            Axes::Given(axes) => axes.dtype,
            Axes::Absent | Axes::Null | Axes::OtherForm(_) => USUAL.1,
        };
        Some(Self { norm, data: call.data.dtype(), axes })
    }

    /// The calls that show whether these types are supported: one of the data's type, and where the axes have an
    /// unusual type, one with such axes, and one without, which shows that nothing else is the cause.
    pub(super) fn calls(self) -> Vec<Call> {
        let (data, axes) = USUAL;
        let mut calls = vec![self.plainest(self.data, axes)];
        if self.axes != axes {
            calls.extend([self.plainest(data, axes), self.plainest(data, self.axes)]);
        }
        calls
    }

    /// Why calls of these types are unsupported, if they are, from what was answered to [those](Self::calls).
    pub(super) fn unsupported(self, answers: &[Option<&Observed>]) -> Option<String> {
        // That a call brings the backend down does not say that its type is unsupported.
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

    /// Two ones, reduced over their only axis.
    fn plainest(self, data: Dtype, axes: Dtype) -> Call {
        let one = whole(data, 1);
        let ones = Tensor::from_bits(data, &[2], &[one, one]);
        // Two elements fill a shape of two.
        let data = ones.unwrap_or_else(|_| ndarray::arr1(&[1.0_f32, 1.0]).into_dyn().into());
        let axes = Axes::Given(AxesTensor { dtype: axes, shape: vec![1], values: vec![0] });
        Call::new(Operator::OpenVino { norm: self.norm, keep_dims: None }, data, axes)
    }
}
