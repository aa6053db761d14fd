//! OpenVINO as a backend, on its CPU plugin, by one of several routes that a word names:
//!
//! - without a word: IR whose data are a parameter, so that the plugin's kernels compute;
//! - `constant`: IR whose data are a constant, which OpenVINO folds while it compiles;
//! - `axes-input`: IR whose data and axes are parameters;
//! - `onnx`: a model of ONNX, through OpenVINO's own frontend;
//! - `onnx-axes-input`: the same with axes as an input, where the opset has them as one.
//!
//! The shared library is the one that [`LIBRARY`] names in the environment, and is loaded when the worker starts.
//! One property is set: inference in f32, as a CPU with bf16 instructions would otherwise compute f32 in bf16,
//! which OpenVINO documents as its choice of speed over precision.
//!
//! What is translated, and all of it:
//!
//! - the call into a model, by [`normative_openvino_ir`] or [`normative_onnx`], neither of which repairs anything;
//! - the data into the tensor that OpenVINO allocated for the parameter, as its C API has no way to make one of rank
//!   0; and the result back. A shape that the API fails to tell, of one element, is of rank 0. Before an inference
//!   the result's memory is filled with a pattern, so that memory that is not written shows;
//! - a refusal into a rejection, in OpenVINO's words. Where those say that something is not supported or not
//!   implemented, the call is unsupported.
//!
//! Unsupported without asking is what neither format can say: operators of other standards, axes that are null, and
//! an axis that does not fit its type.

use std::path::PathBuf;

use normative_backend::bytes;
use normative_backend::reference::{Call, Dtype, Tensor};
use normative_backend::{Answer, Backend, Capabilities, Identity, Unavailable};
use normative_onnx::AxesAs;
use normative_openvino_ir::{AXES, DATA, InputAs, Ir, ir};
use openvino::{
    Core, DeviceType, ElementType, InferRequest, InferenceError, InferenceErrorKind, RwPropertyKey, Shape,
};

/// The environment variable that names the shared library of OpenVINO's C API.
pub const LIBRARY: &str = "NORMATIVE_OPENVINO";

/// What the result's memory holds before an inference.
const POISON: u8 = 0xa5;

/// OpenVINO as a backend.
///
/// # Errors
/// [`Unavailable`] where there is no library, or it cannot be used.
pub fn backend() -> Result<impl Backend, Unavailable> {
    let path = std::env::var_os(LIBRARY).map(PathBuf::from);
    let path = path.ok_or_else(|| Unavailable(format!("{LIBRARY} names no shared library")))?;
    let route = match std::env::args().nth(1).as_deref() {
        None => Route::Ir { data: InputAs::Parameter, axes: InputAs::Constant },
        Some("constant") => Route::Ir { data: InputAs::Constant, axes: InputAs::Constant },
        Some("axes-input") => Route::Ir { data: InputAs::Parameter, axes: InputAs::Parameter },
        Some("onnx") => Route::Onnx(AxesAs::Initializer),
        Some("onnx-axes-input") => Route::Onnx(AxesAs::Input),
        Some(other) => {
            let words = "constant, axes-input, onnx or onnx-axes-input";
            return Err(Unavailable(format!("expected no word or one of {words}, got {other:?}")));
        }
    };
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

#[derive(Clone, Copy)]
enum Route {
    Ir { data: InputAs, axes: InputAs },
    Onnx(AxesAs),
}

struct OpenVino {
    core: Core,
    route: Route,
    version: String,
}

/// A model in whichever format, what lies beside it, whether it takes the data, and the axes that it takes.
struct Model {
    text: Vec<u8>,
    weights: Vec<u8>,
    takes_data: bool,
    axes: Option<Tensor>,
}

impl Backend for OpenVino {
    fn identity(&self) -> Identity {
        let name = match self.route {
            Route::Ir { data: InputAs::Constant, .. } => "OpenVINO (constant folding)",
            Route::Ir { axes: InputAs::Constant, .. } => "OpenVINO",
            Route::Ir { axes: InputAs::Parameter, .. } => "OpenVINO (axes as input)",
            Route::Onnx(AxesAs::Initializer) => "OpenVINO (ONNX frontend)",
            Route::Onnx(AxesAs::Input) => "OpenVINO (ONNX frontend, axes as input)",
        };
        Identity {
            name: name.into(),
            version: self.version.clone(),
            report_bugs_to: "https://github.com/openvinotoolkit/openvino/issues".into(),
        }
    }

    fn capabilities(&self) -> Capabilities {
        // A model is compiled for every call.
        Capabilities { slow: true, ..Capabilities::default() }
    }

    fn answer(&mut self, call: &Call) -> Answer {
        let model = match self.model(call) {
            Ok(model) => model,
            Err(inexpressible) => return Answer::Unsupported(inexpressible),
        };
        match run(&mut self.core, &model, &call.data) {
            Ok(tensor) => Answer::Tensor(tensor),
            Err(refusal) if refusal.declines() => Answer::Unsupported(refusal.words()),
            Err(refusal) => Answer::Rejected(refusal.words()),
        }
    }
}

impl OpenVino {
    fn model(&self, call: &Call) -> Result<Model, String> {
        Ok(match self.route {
            Route::Ir { data, axes } => {
                let Ir { xml, weights, axes } = ir(call, data, axes)?;
                Model { text: xml.into_bytes(), weights, takes_data: data == InputAs::Parameter, axes }
            }
            Route::Onnx(axes) => {
                let model = normative_onnx::model(call, axes).map_err(|error| error.to_string())?;
                Model { text: model.bytes, weights: Vec::new(), takes_data: true, axes: model.axes }
            }
        })
    }
}

/// Why there is no result.
enum Refusal {
    OpenVino(InferenceError),
    Result(String),
}

impl From<InferenceError> for Refusal {
    fn from(error: InferenceError) -> Self {
        Self::OpenVino(error)
    }
}

impl Refusal {
    /// Whether OpenVINO says that it does not do this, rather than that it must not be asked.
    fn declines(&self) -> bool {
        let Self::OpenVino(InferenceError { kind, message }) = self else { return false };
        let text = message.as_deref().unwrap_or_default().to_lowercase();
        matches!(kind, InferenceErrorKind::NotImplemented | InferenceErrorKind::NotImplementCMethod)
            || ["not supported", "n't support", "unsupported", "not implemented"]
                .iter()
                .any(|words| text.contains(words))
    }

    /// In one line: the stack of places a message came through is OpenVINO's own, and differs from build to build.
    fn words(&self) -> String {
        match self {
            Self::Result(what) => what.clone(),
            Self::OpenVino(InferenceError { kind, message }) => {
                let message = message.as_deref().unwrap_or_default();
                let lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
                let said: Vec<&str> = lines.filter(|line| !line.starts_with("Exception from ")).collect();
                if said.is_empty() { kind.to_string() } else { said.join(" ") }
            }
        }
    }
}

fn run(core: &mut Core, model: &Model, data: &Tensor) -> Result<Tensor, Refusal> {
    let weights = if model.weights.is_empty() { None } else { Some(bytes(&model.weights)?) };
    let read = core.read_model_from_buffer(&model.text, weights.as_ref())?;
    let mut request = core.compile_model(&read, DeviceType::CPU)?.create_infer_request()?;
    if model.takes_data {
        feed(&mut request, DATA, data)?;
    }
    if let Some(axes) = &model.axes {
        feed(&mut request, AXES, axes)?;
    }
    let mut output = request.get_output_tensor_by_index(0)?;
    if output.get_byte_size()? > 0 {
        output.get_raw_data_mut()?.fill(POISON);
    }
    request.infer()?;
    result(&request.get_output_tensor_by_index(0)?)
}

/// Fills the memory that OpenVINO has for the input of this name.
fn feed(request: &mut InferRequest, name: &str, with: &Tensor) -> Result<(), Refusal> {
    let mut tensor = request.get_tensor(name)?;
    let ours = bytes::of(with);
    let size = tensor.get_byte_size()?;
    if size != ours.len() {
        return Err(Refusal::Result(format!("{name} takes {size} bytes, the call has {}", ours.len())));
    }
    // Memory for no elements may be none at all, which is no slice.
    if size > 0 {
        tensor.get_raw_data_mut()?.copy_from_slice(&ours);
    }
    Ok(())
}

fn bytes(bytes: &[u8]) -> Result<openvino::Tensor, InferenceError> {
    let mut tensor = openvino::Tensor::new(ElementType::U8, &Shape::new(&[bytes.len() as i64])?)?;
    tensor.get_raw_data_mut()?.copy_from_slice(bytes);
    Ok(tensor)
}

fn result(tensor: &openvino::Tensor) -> Result<Tensor, Refusal> {
    let shape = match tensor.get_shape() {
        Ok(shape) => shape.get_dimensions().iter().map(|&dim| dim as usize).collect(),
        Err(_) if tensor.get_size()? == 1 => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let element = tensor.get_element_type()?;
    let dtype = dtype(element).ok_or_else(|| Refusal::Result(format!("the result is of {element}")))?;
    let bytes: &[u8] = if tensor.get_byte_size()? == 0 { &[] } else { tensor.get_raw_data()? };
    bytes::tensor(dtype, &shape, bytes).map_err(|error| Refusal::Result(error.to_string()))
}

fn dtype(element: ElementType) -> Option<Dtype> {
    Some(match element {
        ElementType::F16 => Dtype::F16,
        ElementType::Bf16 => Dtype::Bf16,
        ElementType::F32 => Dtype::F32,
        ElementType::F64 => Dtype::F64,
        ElementType::I8 => Dtype::I8,
        ElementType::I16 => Dtype::I16,
        ElementType::I32 => Dtype::I32,
        ElementType::I64 => Dtype::I64,
        ElementType::U8 => Dtype::U8,
        ElementType::U16 => Dtype::U16,
        ElementType::U32 => Dtype::U32,
        ElementType::U64 => Dtype::U64,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::a_bad_argument(
        InferenceErrorKind::GeneralError,
        "Exception from a.cpp:1:\nAxis 7 out of range\n",
        false
    )]
    #[case::a_missing_kernel(
        InferenceErrorKind::GeneralError,
        "Unsupported operation of type: ReduceL1",
        true
    )]
    #[case::by_kind(InferenceErrorKind::NotImplemented, "no", true)]
    fn only_what_openvino_says_it_does_not_do_is_unsupported(
        #[case] kind: InferenceErrorKind,
        #[case] message: &str,
        #[case] declines: bool,
    ) {
        let refusal = Refusal::OpenVino(InferenceError { kind, message: Some(message.into()) });
        assert_eq!(refusal.declines(), declines);
    }

    #[test]
    fn a_message_is_told_without_the_places_it_came_through() {
        let message =
            "Exception from src/core.cpp:84:\nException from src/op.cpp:9:\nAxis 7\n  out of range\n";
        let error = InferenceError { kind: InferenceErrorKind::GeneralError, message: Some(message.into()) };
        assert_eq!(Refusal::OpenVino(error).words(), "Axis 7 out of range");
    }
}
