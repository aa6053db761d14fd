"""ONNX Runtime with ONNX's own body of the operator: `cargo xtask conformance --backend "cmd:python3 THIS_FILE"`.

A call is written as a model whose only node is a function of the model, as onnx_model.py says: not a kernel of ONNX
Runtime's is asked for ReduceL1, but the operators that ONNX defines it by. There is a body from opset 18 on.

    InferenceSession(model).run(None, {"data": x})

No model is checked before by us: what ONNX Runtime refuses, with its own words, is a rejection; what it says that it has
not implemented is unsupported.
"""

from normative.worker import Identity, Rejected, Unsupported, run, unavailable

try:
    import onnxruntime
    from normative.numpy_types import tensor
    from onnx_model import with_function
    from onnxruntime.capi import onnxruntime_pybind11_state as said
except ImportError as missing:
    unavailable(f"ONNX Runtime: {missing}")

# It says on standard error what it refuses, and says it again in the exception.
onnxruntime.set_default_logger_severity(4)


def answer(call):
    model, feeds = with_function(call)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return tensor(session.run(None, feeds)[0])
    except said.NotImplemented as missing:
        raise Unsupported(str(missing)) from missing
    except (ValueError, said.Fail, said.InvalidArgument, said.InvalidGraph, said.RuntimeException) as refusal:
        raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal


if __name__ == "__main__":
    bugs = "https://github.com/microsoft/onnxruntime/issues"
    name = "ONNX Runtime, function body"
    run(Identity(name, onnxruntime.__version__, bugs, slow=True, families=("onnx",), other_forms=True, operators=("onnx", "onnx/ReduceSumSquare")), answer)
