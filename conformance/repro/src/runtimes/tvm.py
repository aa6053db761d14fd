needs apache-tvm==@VERSION@ onnx
@if bf16@needs ml_dtypes
needs numpy
@if bf16@import ml_dtypes
import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx
---
DATA = np.load(HERE / "data.npy")@ML_DTYPE@


def call():
    compiled = tvm.compile(from_onnx(onnx.load(HERE / "model.onnx")), target="llvm")
    main = relax.VirtualMachine(compiled, tvm.cpu())["main"]
    result = main(tvm.runtime.tensor(DATA)).numpy()
    return result.dtype.name, result.shape, result.tobytes()


# Whatever its frontend or its compiler says against the model.
REFUSALS = (ValueError, TypeError, IndexError, OverflowError, RuntimeError, AttributeError, AssertionError)
