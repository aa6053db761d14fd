needs onnx==@VERSION@ numpy
@if onnx-reference-function !has-body@no ONNX gives no body of the operator before opset 18
@if bf16@import ml_dtypes
import onnx
from onnx.reference import ReferenceEvaluator
---
DATA = np.load(HERE / "data.npy")@ML_DTYPE@
FEEDS = @FEEDS@


@if onnx-reference-function@@WITH_BODY@
def call():
    with np.errstate(all="ignore"):
@if onnx-reference-function@        evaluator = ReferenceEvaluator(with_body(onnx.load(HERE / "model.onnx")))
@if !onnx-reference-function@        evaluator = ReferenceEvaluator(onnx.load(HERE / "model.onnx"))
        (result,) = evaluator.run(None, FEEDS)
    return result.dtype.name, result.shape, result.tobytes()


REFUSALS = (ValueError, TypeError, IndexError, OverflowError, RuntimeError)
