//! The operators and element types that a backend lists as its own.
//!
//! This is no promise to follow a text, which is a [claim](crate::Claim), and no verdict depends on it. Calls of other
//! operators and types are not sent, and count as unsupported, so that generated calls are spent on what exists.

use normative_reference::{Call, Dtype, Norm, Spec};

/// The operators and the element types of data that an implementation has. An empty list of types says nothing, and one
/// of operators stands for those of [`Norm::BY_DEFAULT`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The operators.
    pub specs: Vec<Spec>,
    /// The element types of data.
    pub dtypes: Vec<Dtype>,
}

impl Declared {
    /// Returns true if nothing is listed.
    pub const fn is_empty(&self) -> bool {
        self.specs.is_empty() && self.dtypes.is_empty()
    }

    /// Returns true if the operator is listed, or none is and it is one by default.
    pub fn has_spec(&self, spec: Spec) -> bool {
        let by_default = self.specs.is_empty() && Norm::BY_DEFAULT.contains(&spec.norm());
        by_default || self.specs.contains(&spec)
    }

    /// Returns true if the element type is listed, or none is.
    pub fn has_dtype(&self, dtype: Dtype) -> bool {
        self.dtypes.is_empty() || self.dtypes.contains(&dtype)
    }

    /// Returns the reason why a call is not sent, in the words of an answer that says *unsupported*; `None` if its
    /// operator and its type are listed.
    pub fn lacks(&self, call: &Call) -> Option<String> {
        let (spec, dtype) = (call.spec(), call.data.dtype());
        if !self.has_spec(spec) {
            return Some(format!("not declared: the operator {spec}"));
        }
        (!self.has_dtype(dtype)).then(|| format!("not declared: the element type {dtype}"))
    }

    /// Returns the operators among these that are listed and have a listed type by their texts. Only of these can
    /// calls be drawn.
    pub fn drawn<'a>(&self, specs: &'a [Spec]) -> impl Iterator<Item = Spec> + use<'a, '_> {
        let has_type = |spec: &Spec| spec.rules().dtypes.iter().any(|&dtype| self.has_dtype(dtype));
        specs.iter().copied().filter(move |&spec| self.has_spec(spec)).filter(has_type)
    }
}
