needs onnxruntime==@VERSION@ onnx
@if bf16@needs ml_dtypes
needs numpy
@if !has-body@no ONNX gives no body of the operator before opset 18
@if bf16@import ml_dtypes
import onnx
import onnxruntime as ort
---
DATA = np.load(HERE / "data.npy")@ML_DTYPE@
FEEDS = @FEEDS@


@WITH_BODY@
def call():
    model = with_body(onnx.load(HERE / "model.onnx"))
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (result,) = session.run(None, FEEDS)
    return result.dtype.name, result.shape, result.tobytes()


# Whatever ONNX Runtime says against a model or its inputs.
REFUSALS = (Exception,)
