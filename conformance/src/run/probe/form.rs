//! The plainest call of a form, where a backend claims the values of a family and nothing else.
//!
//! Such a library chooses which types and forms of a call it has. The plainest call has the operator, the attributes and
//! the axes of the call, and plain data of its type and rank. A library that refuses that one too refuses the type or the
//! form, which it never promised. Where the plainest call is answered, the refusal comes of dims or elements, and stays a
//! failure. In the same way an integer norm of another type than the data is the library's own type, unless the plainest
//! call has the right one: sums are often wider than their terms, and roots are floats.

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
    /// The type that came; nothing where the call was refused.
    given: Option<Dtype>,
}

impl Form {
    /// The form of a call of which the verdict may come of its form.
    pub(super) fn of(call: &Call, verdict: &Verdict) -> Option<Self> {
        let given = given(verdict)?;
        Some(Self { plainest: Box::new(twin::plainest(call)?), given })
    }

    /// Why calls of this form are unsupported, if they are, from what was answered to the plainest.
    pub(super) fn unsupported(&self, answer: Option<&Observed>) -> Option<String> {
        match (self.given, answer?) {
            // That a call brings the backend down does not say that its form is unsupported.
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

/// Whether a failure may come of the form of its call.
pub(super) fn is_of_form(verdict: &Verdict) -> bool {
    given(verdict).is_some()
}

/// The type that came in place of an integer type, or that nothing did; `None` where the failure is another.
#[allow(clippy::option_option, reason = "a refusal, and no matter of the form, are two things")]
fn given(verdict: &Verdict) -> Option<Option<Dtype>> {
    let Verdict::Fails(misses) = verdict else { return None };
    match misses.first()?.mismatch {
        Mismatch::Rejected { .. } => Some(None),
        Mismatch::Dtype { expected, got } if expected.is_integer() => Some(Some(got)),
        _ => None,
    }
}
