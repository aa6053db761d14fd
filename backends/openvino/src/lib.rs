//! Runs OpenVINO as a backend, on its CPU plugin, by one of several routes that a word on the command line
//! selects:
//!
//! - without a word: IR whose data are a parameter, so that the plugin's kernels compute;
//! - `constant`: IR whose data are a constant, which OpenVINO folds while it compiles;
//! - `axes-input`: IR whose data and axes are parameters;
//! - `onnx`: a model of ONNX, through OpenVINO's own frontend;
//! - `onnx-axes-input`: the same with axes as an input, where the opset has them as one.
//!
//! The environment variable [`LIBRARY`] names the shared library, which is loaded when the worker starts. One
//! property is set: inference in f32. A CPU with bf16 instructions would otherwise compute f32 in bf16, which
//! OpenVINO documents as its choice of speed over precision.
//!
//! The adapter translates, and does nothing else:
//!
//! - the call into a model, by [`normative_openvino_ir`] or [`normative_onnx`], neither of which repairs anything;
//! - the data into the tensor that OpenVINO allocated for the parameter, because its C API cannot make one of rank 0;
//!   and the result back. If the API fails to return the shape of one element, it is of rank 0. Before an inference
//!   the result's memory is filled with a pattern, so that unwritten memory shows;
//! - a refusal into a rejection, with OpenVINO's message, or into "unsupported", if the message says so.
//!
//! A call that neither format can express is unsupported without asking: operators of other standards, axes
//! that are null, and an axis that does not fit its type.

mod inference;
mod refusal;
mod route;

use std::path::PathBuf;

use normative_backend::reference::{Call, Family};
use normative_backend::{Answer, Backend, Capabilities, Claim, Declared, Identity, Unavailable};
use openvino::{Core, DeviceType, RwPropertyKey};

use self::route::Route;

/// The environment variable that names the shared library of OpenVINO's C API.
pub const LIBRARY: &str = "NORMATIVE_OPENVINO";

/// Returns OpenVINO as a backend.
///
/// # Errors
/// [`Unavailable`] if there is no library, or it cannot be used.
pub fn backend() -> Result<impl Backend, Unavailable> {
    let path = std::env::var_os(LIBRARY).map(PathBuf::from);
    let path = path.ok_or_else(|| Unavailable(format!("{LIBRARY} names no shared library")))?;
    let route = Route::of_word(std::env::args().nth(1).as_deref()).map_err(Unavailable)?;
    openvino_sys::library::load_from(path).map_err(Unavailable)?;
    let core = core().map_err(Unavailable)?;
    Ok(OpenVino { core, route, version: openvino::version().build_number })
}

fn core() -> Result<Core, String> {
    let mut core = Core::new().map_err(|error| error.to_string())?;
    let hint = RwPropertyKey::HintInferencePrecision;
    core.set_property(&DeviceType::CPU, &hint, "f32").map_err(|error| error.to_string())?;
    Ok(core)
}

struct OpenVino {
    core: Core,
    route: Route,
    version: String,
}

impl Backend for OpenVino {
    fn identity(&self) -> Identity {
        Identity {
            name: self.route.name().into(),
            version: self.version.clone(),
            report_bugs_to: "https://github.com/openvinotoolkit/openvino/issues".into(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        // Slow, because every call compiles a model.
        let reads_onnx = self.route.reads_onnx();
        let family = if reads_onnx { Family::Onnx } else { Family::OpenVino };
        Capabilities {
            slow: true,
            other_forms: reads_onnx,
            claims: Claim::in_full(&[family]),
            declared: Declared { specs: family.specs().collect(), dtypes: Vec::new() },
            ..Capabilities::default()
        }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let model = match self.route.model(call) {
            Ok(model) => model,
            Err(inexpressible) => return Answer::Unsupported(inexpressible),
        };
        match inference::run(&mut self.core, &model, &call.data) {
            Ok(tensor) => Answer::Tensor(tensor),
            Err(refusal) if refusal.declines() => Answer::Unsupported(refusal.words()),
            Err(refusal) => Answer::Rejected(refusal.words()),
        }
    }
}
