//! Well-formed case files, and a helper that breaks them in one place.

pub(crate) const ONNX: &str = "\
topic: Axes
specs: [onnx/ReduceL1-1, onnx/ReduceL1-11]
cases:
  - id: onnx-l1-first
    clauses: [axes, output-type]
    why: Nothing & nobody.
    dtypes: [f32, i32]
    data: {shape: [2, 3], values: [1, -2, 3, 4, -5, 6], except: {5: 7}}
    axes: [1]
    keep_dims: false
    expect: {shape: [2], values: [6, 16]}
  - id: onnx-l1-second
    clauses: [axes]
    why: Nothing.
    specs: [onnx/ReduceL1-11]
    dtypes: [f32]
    data: {shape: [2], cycle: [1]}
    axes: [0, 0]
    expect: {shape: [1], open: {duplicate-axes: {collapse: {roots: [4]}, reject: {rejected: axes}}}}
  - id: onnx-l1-third
    clauses: [axes]
    why: Nothing.
    dtypes: [f64]
    data: {shape: [2], random: {seed: 1, low: 0, high: 9}}
    axes: {dtypes: [i64], shape: [1], values: [0]}
    expect: {shape: [1], reference: true, at: {0: 9}}
";

pub(crate) const BNNS: &str = "\
topic: Layout
specs: [bnns/computeNorm]
cases:
  - id: bnns-first
    clauses: [axes]
    why: Nothing.
    dtypes: [f32]
    data: {shape: [1], repeat: 1}
    output_shape: [1]
    expect: {shape: [1], repeat: 1}
";

pub(crate) const OPENVINO: &str = "\
topic: Layout
specs: [openvino/ReduceL1-4]
cases:
  - id: openvino-l1-first
    clauses: [axes]
    why: Nothing.
    dtypes: [f32]
    data: {shape: [1], repeat: 1}
    axes: [0]
    keep_dims: true
    expect: {shape: [1], repeat: 1}
";

/// Returns `text` with the first `from` replaced by `to`.
pub(crate) fn edited(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "the base file does not say `{from}`");
    text.replacen(from, to, 1)
}
