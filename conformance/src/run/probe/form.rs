//! The plainest call of a form, for backends that claim the values of a family and nothing else.
//!
//! Such a library chooses its types and forms of a call. The plainest call has the operator, the attributes and the
//! axes of the call, and plain data of its type and rank. A library that refuses that one too refuses the type or the
//! form, which it never promised. If it answers the plainest call, the refusal comes from dims or elements, and stays
//! a failure. In the same way, an integer norm of another type than the data is the library's choice, unless the
//! plainest call gives the right one: sums are often wider than their terms, and roots are floats.

use normative_reference::{Call, Dtype};

use super::twin;
use crate::judge::compare::Mismatch;
use crate::judge::verdict::Verdict;
use crate::observed::Observed;

/// A valid call that was refused, or whose integers came back in another type.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// The plainest call of its form.
    pub(super) plainest: Box<Call>,
    /// The type of the answer; `None` if the call was refused.
    given: Option<Dtype>,
}

impl Form {
    /// Returns the form of a call whose failure may come from its form.
    pub(super) fn of(call: &Call, verdict: &Verdict) -> Option<Self> {
        let given = given(verdict)?;
        Some(Self { plainest: Box::new(twin::plainest(call)?), given })
    }

    /// Returns the reason why this form is unsupported, if it is, from the answer to the plainest call.
    pub(super) fn unsupported(&self, answer: Option<&Observed>) -> Option<String> {
        match (self.given, answer?) {
            // A crash does not show that the form is unsupported.
            (None, Observed::Rejected(why) | Observed::Unsupported(why)) => {
                Some(format!("refuses the plainest call of this form too: {why}"))
            }
            (Some(given), Observed::Tensor(tensor)) if tensor.dtype() == given => {
                let data = self.plainest.data.dtype();
                Some(format!("the norm of {data} is a {given}, in the plainest call too"))
            }
            _ => None,
        }
    }
}

/// Returns true if a failure may come from the form of its call.
pub(super) fn is_of_form(verdict: &Verdict) -> bool {
    given(verdict).is_some()
}

/// Returns the type given in place of an integer type, or `Some(None)` for a refusal; `None` for other failures.
#[allow(clippy::option_option, reason = "a refusal, and no matter of the form, are two things")]
fn given(verdict: &Verdict) -> Option<Option<Dtype>> {
    match *verdict.mismatch()? {
        Mismatch::Rejected { .. } => Some(None),
        Mismatch::Dtype { expected, got } if expected.is_integer() => Some(Some(got)),
        _ => None,
    }
}
