"""ONNX Runtime on the first CUDA device as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE"`.

A call is written as a model of one node, as onnx_model.py says, and run by the CUDA provider alone: what has no kernel there
would be computed on the processor, which is forbidden to the session, and is unsupported.

    InferenceSession(model, options, providers=["CUDAExecutionProvider"]).run(None, {"data": x})

No model is checked before by us: what ONNX Runtime refuses, with its own words, is a rejection. Where there is no device, or a
library of CUDA's is missing, the backend is unavailable.
"""

from normative.worker import Identity, Rejected, Unsupported, run, unavailable

try:
    import onnxruntime
    from normative.numpy_types import tensor
    from onnx import TensorProto, helper
    from onnx_model import written
    from onnxruntime.capi import onnxruntime_pybind11_state as said
except ImportError as missing:
    unavailable(f"ONNX Runtime: {missing}")

CUDA = "CUDAExecutionProvider"
#: What it says of a node that only the processor could compute.
NOT_THERE = "assigned to the default CPU EP"

# It says on standard error what it refuses, and says it again in the exception.
onnxruntime.set_default_logger_severity(4)
if hasattr(onnxruntime, "preload_dlls"):
    # The libraries that were installed beside it, and not those of the system.
    onnxruntime.preload_dlls(directory="")


def session_of(model, options):
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=[CUDA])


def answer(call):
    model, feeds = written(call)
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    try:
        return tensor(session_of(model, options).run(None, feeds)[0])
    except said.NotImplemented as missing:
        raise Unsupported(str(missing)) from missing
    except (ValueError, said.Fail, said.InvalidArgument, said.InvalidGraph, said.RuntimeException) as refusal:
        kind = Unsupported if NOT_THERE in str(refusal) else Rejected
        raise kind(f"{type(refusal).__name__}: {refusal}") from refusal


def has_device():
    """Whether a session is given the device. One that is not goes on without it."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Abs", ["x"], ["y"])], "one_node", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=10)
    return CUDA in session_of(model, onnxruntime.SessionOptions()).get_providers()


if __name__ == "__main__":
    if CUDA not in onnxruntime.get_available_providers() or not has_device():
        unavailable("ONNX Runtime: no CUDA device")
    bugs = "https://github.com/microsoft/onnxruntime/issues"
    run(Identity("ONNX Runtime on CUDA", onnxruntime.__version__, bugs, slow=True, families=("onnx",), other_forms=True, operators=("onnx", "onnx/ReduceSumSquare", "onnx/ReduceSum")), answer)
