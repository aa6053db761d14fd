"""ONNX Runtime, given models: `--backend "onnx-cmd:python3 THIS_FILE"`. All that an ONNX runtime needs."""

import onnxruntime
from normative.worker import Identity, Model, Rejected, Unsupported, run
from normative.numpy_types import array, tensor
from onnxruntime.capi import onnxruntime_pybind11_state as said


def answer(model):
    try:
        session = onnxruntime.InferenceSession(model.bytes, providers=["CPUExecutionProvider"])
        return tensor(session.run(None, {name: array(x, "NumPy") for name, x in model.inputs.items()})[0])
    except said.NotImplemented as missing:
        raise Unsupported(str(missing)) from missing
    except (ValueError, said.Fail, said.InvalidArgument, said.InvalidGraph, said.RuntimeException) as refusal:
        raise Rejected(str(refusal)) from refusal


onnxruntime.set_default_logger_severity(4)
run(Identity("ONNX Runtime", onnxruntime.__version__, "https://github.com/microsoft/onnxruntime/issues", slow=True, operators=("onnx", "onnx/ReduceSumSquare", "onnx/ReduceSum")), answer, takes=Model)
