//! A backend that is a function, for tests of whatever talks to backends. It translates for no runtime.

use normative_reference::Call;

use crate::{Answer, Backend, Capabilities, Identity};

/// A backend that answers each call by a function.
///
/// ```
/// use normative_backend::{Answer, Stub};
///
/// let mut calls = 0;
/// let echo = Stub::new("echo", |call| {
///     calls += 1;
///     Answer::Tensor(call.data.clone())
/// });
/// assert_eq!(echo.identity.name, "echo");
/// ```
#[derive(Clone, Debug)]
pub struct Stub<F> {
    /// Its names.
    pub identity: Identity,
    /// Its claims and limits.
    pub capabilities: Capabilities,
    /// The answer to each call.
    pub answer: F,
}

impl<F: FnMut(&Call) -> Answer> Stub<F> {
    /// Returns a backend of this name that promises the default and answers by this function.
    pub fn new(name: &str, answer: F) -> Self {
        let identity = Identity { name: name.into(), version: "0".into(), report_bugs_to: "its test".into() };
        Self { identity, capabilities: Capabilities::default(), answer }
    }
}

impl<F: FnMut(&Call) -> Answer> Backend for Stub<F> {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    fn answer(&mut self, call: &Call) -> Answer {
        (self.answer)(call)
    }
}
