//! The ways to call OpenVINO: the format of a model, and its inputs.

use normative_backend::reference::{Call, Tensor};
use normative_onnx::AxesAs;
use normative_openvino_ir::{InputAs, Ir, ir};

/// A format, and the form of each operand.
#[derive(Clone, Copy)]
pub(crate) enum Route {
    Ir { data: InputAs, axes: InputAs },
    Onnx(AxesAs),
}

/// A model in either format: its weights, true if it takes the data, and the axes that it takes.
pub(crate) struct Model {
    pub(crate) text: Vec<u8>,
    pub(crate) weights: Vec<u8>,
    pub(crate) takes_data: bool,
    pub(crate) axes: Option<Tensor>,
}

impl Route {
    /// Returns the route that the command line names.
    pub(crate) fn of_word(word: Option<&str>) -> Result<Self, String> {
        Ok(match word {
            None => Self::Ir { data: InputAs::Parameter, axes: InputAs::Constant },
            Some("constant") => Self::Ir { data: InputAs::Constant, axes: InputAs::Constant },
            Some("axes-input") => Self::Ir { data: InputAs::Parameter, axes: InputAs::Parameter },
            Some("onnx") => Self::Onnx(AxesAs::Initializer),
            Some("onnx-axes-input") => Self::Onnx(AxesAs::Input),
            Some(other) => {
                let words = "constant, axes-input, onnx or onnx-axes-input";
                return Err(format!("expected no word or one of {words}, got {other:?}"));
            }
        })
    }

    /// Returns the name of the route in reports.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Ir { data: InputAs::Constant, .. } => "OpenVINO (constant folding)",
            Self::Ir { axes: InputAs::Constant, .. } => "OpenVINO",
            Self::Ir { axes: InputAs::Parameter, .. } => "OpenVINO (axes as input)",
            Self::Onnx(AxesAs::Initializer) => "OpenVINO (ONNX frontend)",
            Self::Onnx(AxesAs::Input) => "OpenVINO (ONNX frontend, axes as input)",
        }
    }

    /// Returns true if this route reads ONNX models.
    pub(crate) const fn reads_onnx(self) -> bool {
        matches!(self, Self::Onnx(_))
    }

    /// Returns the call as a model, or the part that the format cannot express.
    pub(crate) fn model(self, call: &Call) -> Result<Model, String> {
        Ok(match self {
            Self::Ir { data, axes } => {
                let Ir { xml, weights, axes } = ir(call, data, axes)?;
                Model { text: xml.into_bytes(), weights, takes_data: data == InputAs::Parameter, axes }
            }
            Self::Onnx(axes) => {
                let model = normative_onnx::model(call, axes).map_err(|error| error.to_string())?;
                Model { text: model.bytes, weights: Vec::new(), takes_data: true, axes: model.axes }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_a_route_and_another_word_is_named() {
        let words = [None, Some("constant"), Some("axes-input"), Some("onnx"), Some("onnx-axes-input")];
        let mut names = words.map(|word| Route::of_word(word).unwrap().name()).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), words.len());
        let why = Route::of_word(Some("axes")).err().unwrap();
        assert!(why.ends_with("got \"axes\""), "{why}");
    }
}
