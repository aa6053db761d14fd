//! Chooses the form in which a worker is asked: calls, or equivalent models of ONNX.
//!
//! A worker that takes models needs no knowledge of calls: it loads and runs a model. Calls that a model of
//! ONNX cannot express are not sent to it. Nothing here reads an answer.

use normative_backend::{Capabilities, Claim, frame, wire};
use normative_onnx::{AXES, AxesAs, DATA};
use normative_reference::{Axes, Call, Family};

/// The form in which each call is sent to a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asking {
    /// The call.
    #[default]
    Calls,
    /// The call as a model of ONNX, and its inputs. Calls of other families are not sent.
    Models(AxesAs),
}

/// The prefixes of a program's command on a command line.
const COMMANDS: [(&str, Asking); 3] = [
    ("cmd:", Asking::Calls),
    ("onnx-cmd:", Asking::Models(AxesAs::Initializer)),
    ("onnx-axes-input-cmd:", Asking::Models(AxesAs::Input)),
];

impl Asking {
    /// Returns the form and the words of a program, if `named` is a program's command rather than a name.
    pub fn of_command(named: &str) -> Option<(Self, &str)> {
        COMMANDS.iter().find_map(|(prefix, asking)| Some((*asking, named.strip_prefix(prefix)?)))
    }

    /// Appends the frame of a call to `frames`. Axes in the form of another opset are sent only to workers that accept
    /// them: the reader of an older worker may not know these. Calls beyond what a worker declares are not sent.
    ///
    /// # Errors
    /// Returns the reason why the call is not sent, in the words of an answer that says *unsupported*.
    pub(super) fn put(
        self,
        frames: &mut Vec<u8>,
        number: u64,
        call: &Call,
        capabilities: &Capabilities,
    ) -> Result<(), String> {
        capabilities.declared.lacks(call).map_or(Ok(()), Err)?;
        let put = match self {
            Self::Calls if matches!(call.axes, Axes::OtherForm(_)) && !capabilities.other_forms => {
                return Err("the backend does not say that it takes axes in the form of another opset".into());
            }
            Self::Calls => frame::put(frames, wire::CALL, |out| wire::put_call(out, number, call)),
            Self::Models(axes) => {
                let model = normative_onnx::model(call, axes).map_err(|why| why.to_string())?;
                let fed = model.axes.as_ref().map(|axes| (AXES, axes));
                let inputs: Vec<_> = std::iter::once((DATA, &call.data)).chain(fed).collect();
                frame::put(frames, wire::MODEL, |out| wire::put_model(out, number, &model.bytes, &inputs))
            }
        };
        put.map_err(|error| format!("the call takes {error}"))
    }

    /// Returns the capabilities of a worker that can be asked about in this form. A model is of ONNX, and cannot express
    /// a layout of data.
    pub(super) fn capabilities(self, said: Capabilities) -> Capabilities {
        match self {
            Self::Calls => said,
            Self::Models(_) => {
                let own = said.claims.into_iter().find(|claim| claim.family == Family::Onnx);
                let claims = own.map_or_else(|| Claim::in_full(&[Family::Onnx]), |claim| vec![claim]);
                Capabilities { claims, layouts: Vec::new(), ..said }
            }
        }
    }
}
