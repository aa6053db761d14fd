//! The ways to call ONNX Runtime.

use normative_onnx::{AxesAs, Imports};

/// A way to call ONNX Runtime.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    word: Option<&'static str>,
    pub(crate) name: &'static str,
    pub(crate) axes: AxesAs,
    pub(crate) imports: Imports,
    pub(crate) optimises: bool,
}

const PLAIN: Route = Route {
    word: None,
    name: "ONNX Runtime",
    axes: AxesAs::Initializer,
    imports: Imports::First,
    optimises: true,
};

const ROUTES: [Route; 4] = [
    PLAIN,
    Route { word: Some("axes-input"), name: "ONNX Runtime (axes as input)", axes: AxesAs::Input, ..PLAIN },
    Route { word: Some("later-opset"), name: "ONNX Runtime (later opsets)", imports: Imports::Last, ..PLAIN },
    Route { word: Some("unoptimised"), name: "ONNX Runtime (not optimised)", optimises: false, ..PLAIN },
];

impl Route {
    /// Returns the route that the command line names.
    pub(crate) fn of_word(word: Option<&str>) -> Result<Self, String> {
        let route = ROUTES.into_iter().find(|route| route.word == word);
        route.ok_or_else(|| {
            let words: Vec<&str> = ROUTES.iter().filter_map(|route| route.word).collect();
            format!("expected no word or one of {}, got {word:?}", words.join(", "))
        })
    }
}
