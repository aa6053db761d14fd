//! Runs ONNX Runtime as a backend: the call as a model of one node, loaded and run on the CPU.
//!
//! The environment variable [`LIBRARY`] names the shared library, which is loaded when the worker starts. A
//! word on the command line changes one property of the route:
//!
//! - `axes-input`: axes are an input of the graph, fed with each run; by default they are a constant;
//! - `later-opset`: models import the last opset that has the operator's version, not the first;
//! - `unoptimised`: the graph is run as it stands; by default ONNX Runtime optimises it.
//!
//! Nothing else is set; ONNX Runtime itself chooses the number of threads, which all sessions share.
//!
//! The adapter translates, and does nothing else:
//!
//! - the call into a model, by [`normative_onnx`], which repairs nothing: invalid parts stay invalid;
//! - the data into a tensor that lends the call's own memory, and the result back, whatever type and dims it has;
//! - a refusal into a rejection, with ONNX Runtime's message. If the message says that the operator is not implemented
//!   for that type, the call is unsupported.
//!
//! A call that no ONNX model can express is unsupported without asking: operators of other standards, axes
//! before opset 18 that no attribute holds, an axis that does not fit its type.

mod route;
mod values;

use std::path::{Path, PathBuf};

use normative_backend::reference::{Call, Family, Tensor};
use normative_backend::{Answer, Backend, Capabilities, Claim, Declared, Identity, Unavailable};
use normative_onnx::{AXES, DATA, Model, OUTPUT};
use ort::environment::{Environment, GlobalThreadPoolOptions};
use ort::error::ErrorCode;
use ort::session::Session;
use ort::session::builder::GraphOptimizationLevel;

use self::route::Route;
use self::values::{input, output};

/// The environment variable that names the shared library.
pub const LIBRARY: &str = "NORMATIVE_ONNXRUNTIME";

/// Returns ONNX Runtime as a backend.
///
/// # Errors
/// [`Unavailable`] if there is no library, or it cannot be used.
pub fn backend() -> Result<impl Backend, Unavailable> {
    let path = std::env::var_os(LIBRARY).map(PathBuf::from);
    let path = path.ok_or_else(|| Unavailable(format!("{LIBRARY} names no shared library")))?;
    let route = Route::of_word(std::env::args().nth(1).as_deref()).map_err(Unavailable)?;
    let environment = environment(&path).map_err(Unavailable)?;
    Ok(OnnxRuntime { environment, route, version: version(&path) })
}

fn environment(path: &Path) -> Result<Environment, String> {
    let builder = ort::init_from(path).map_err(|error| error.to_string())?;
    let threads = GlobalThreadPoolOptions::default();
    let environment = builder.with_telemetry(false).with_global_thread_pool(threads).build();
    environment.map_err(|error| error.to_string())
}

/// Returns the version in the library's file name, because the library itself reports only its branch; or the
/// whole name of a file without one.
fn version(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let numbers: Vec<&str> = file.split('.').filter(|part| part.parse::<u32>().is_ok()).collect();
    if numbers.is_empty() { file.into_owned() } else { numbers.join(".") }
}

struct OnnxRuntime {
    environment: Environment,
    route: Route,
    version: String,
}

impl Backend for OnnxRuntime {
    fn identity(&self) -> Identity {
        Identity {
            name: self.route.name.into(),
            version: self.version.clone(),
            report_bugs_to: "https://github.com/microsoft/onnxruntime/issues".into(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        // Slow, because every call needs a session.
        Capabilities {
            slow: true,
            other_forms: true,
            claims: Claim::in_full(&[Family::Onnx]),
            declared: Declared { specs: Family::Onnx.specs().collect(), dtypes: Vec::new() },
            ..Capabilities::default()
        }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let model = match normative_onnx::model_importing(call, self.route.axes, self.route.imports) {
            Ok(model) => model,
            Err(inexpressible) => return Answer::Unsupported(inexpressible.to_string()),
        };
        match self.run(&model, &call.data) {
            Ok(tensor) => Answer::Tensor(tensor),
            Err(error) if error.code() == ErrorCode::NotImplemented => {
                Answer::Unsupported(error.message().to_owned())
            }
            Err(error) => Answer::Rejected(error.message().to_owned()),
        }
    }
}

impl OnnxRuntime {
    fn run(&self, model: &Model, data: &Tensor) -> ort::Result<Tensor> {
        let mut builder = Session::builder(&self.environment)?;
        if !self.route.optimises {
            builder = builder.with_optimization_level(GraphOptimizationLevel::Disable)?;
        }
        let mut session = builder.commit_from_memory(&model.bytes)?;
        let mut inputs = vec![(DATA, input(data)?)];
        if let Some(axes) = &model.axes {
            inputs.push((AXES, input(axes)?));
        }
        output(&session.run(inputs)?[OUTPUT])
    }
}

#[cfg(test)]
mod tests;
