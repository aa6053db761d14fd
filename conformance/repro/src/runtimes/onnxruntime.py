needs onnxruntime==@VERSION@ numpy
@if bf16@std import ctypes
@if bf16@std import math
import onnxruntime as ort
---
@if bf16@
# NumPy has no bfloat16: these are its bits.
DATA = np.load(HERE / "data.npy").view(np.uint16)
@else@
DATA = np.load(HERE / "data.npy")
@end@
FEEDS = @FEEDS@


def call():
@if onnxruntime-unoptimised@
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(str(HERE / "model.onnx"), options, providers=["CPUExecutionProvider"])
@else@
    session = ort.InferenceSession(str(HERE / "model.onnx"), providers=["CPUExecutionProvider"])
@end@
@if bf16@
    values = {name: ort.OrtValue.ortvalue_from_numpy(array) for name, array in FEEDS.items()}
    values["data"] = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(DATA, 16)  # TensorProto.BFLOAT16
    (result,) = session.run_with_ort_values(["reduced"], values)
    dtype, shape = result.data_type()[len("tensor("):-1], result.shape()
    if dtype != "bfloat16":
        return result.numpy().dtype.name, shape, result.numpy().tobytes()
    size = 2 * math.prod(shape)
    return dtype, shape, ctypes.string_at(result.data_ptr(), size) if size else b""
@else@
    (result,) = session.run(["reduced"], FEEDS)
    return result.dtype.name, result.shape, result.tobytes()
@end@


# Whatever ONNX Runtime says against a model or its inputs.
REFUSALS = (Exception,)
