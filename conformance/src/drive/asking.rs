//! How a worker is asked: by the calls themselves, or by models of ONNX that say the same.
//!
//! A worker that takes models needs to know nothing of calls: it loads what it is given and runs it. What no model of
//! ONNX can say is not sent to it. Nothing here reads an answer.

use normative_backend::{Capabilities, Claim, frame, wire};
use normative_onnx::{AXES, AxesAs, DATA};
use normative_reference::{Axes, Call, Family, Layout};

/// What is sent to a worker for each call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asking {
    /// The call.
    #[default]
    Calls,
    /// The call as a model of ONNX, and what to feed it. Calls of other families are not sent.
    Models(AxesAs),
}

/// Returns whether a backend takes data in this layout.
pub(super) fn takes(capabilities: &Capabilities, layout: Layout) -> bool {
    layout == Layout::RowMajor || capabilities.layouts.contains(&layout)
}

/// Why data in this layout are not handed over.
pub(super) fn not_taken(layout: Layout) -> String {
    format!("the backend does not say that it takes data {layout} in memory")
}

/// What a command line writes before the words of a program.
const COMMANDS: [(&str, Asking); 3] = [
    ("cmd:", Asking::Calls),
    ("onnx-cmd:", Asking::Models(AxesAs::Initializer)),
    ("onnx-axes-input-cmd:", Asking::Models(AxesAs::Input)),
];

impl Asking {
    /// Returns how a program is asked, and its words, where `named` is a program's command rather than a name.
    pub fn of_command(named: &str) -> Option<(Self, &str)> {
        COMMANDS.iter().find_map(|(prefix, asking)| Some((*asking, named.strip_prefix(prefix)?)))
    }

    /// Puts the frame of a call behind `frames`. A worker is sent no axes in the form of another opset, and no data in another
    /// layout, unless it takes them: its reader may be older than those.
    ///
    /// # Errors
    /// Why the call is not sent, in the words of an answer that says *unsupported*.
    pub(super) fn put(
        self,
        frames: &mut Vec<u8>,
        number: u64,
        call: &Call,
        capabilities: &Capabilities,
    ) -> Result<(), String> {
        let put = match self {
            Self::Calls if matches!(call.axes, Axes::OtherForm(_)) && !capabilities.other_forms => {
                return Err("the backend does not say that it takes axes in the form of another opset".into());
            }
            // A model cannot say how data lie.
            Self::Calls if !takes(capabilities, call.layout) => return Err(not_taken(call.layout)),
            Self::Models(_) if call.layout != Layout::RowMajor => return Err(not_taken(call.layout)),
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

    /// What a worker is judged by: of what it claims, what it can be asked about.
    pub(super) fn claims(self, claimed: Vec<Claim>) -> Vec<Claim> {
        match self {
            Self::Calls => claimed,
            Self::Models(_) => match claimed.into_iter().find(|claim| claim.family == Family::Onnx) {
                Some(claim) => vec![claim],
                None => Claim::in_full(&[Family::Onnx]),
            },
        }
    }
}
