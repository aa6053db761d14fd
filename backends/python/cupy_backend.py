"""CuPy on the first CUDA device as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE sum"`.

The word on the command line says which of the two ways of a CuPy user is asked:

    sum    L1    cp.sum(cp.abs(x), axis=..., keepdims=..., dtype=x.dtype)
           L2    cp.sqrt(cp.sum(cp.square(x), axis=..., keepdims=..., dtype=x.dtype))
    norm   L1    cp.linalg.norm(x, 1, axis=..., keepdims=...)
           L2    cp.linalg.norm(x, axis=..., keepdims=...)

`sum` is the right one: `dtype` is how CuPy is asked for a sum in the type of the data, as its sums of narrow integers are
wider. Its roots of integers are floats. `norm` is the naive one.

There is no cp.linalg.vector_norm, so a call of the array API is unsupported.

What a call says is handed to CuPy where CuPy has a place for it, and never checked first: what CuPy refuses, with its own
words, is a rejection, and what it accepts is computed. How axes and attributes are translated, and which have no place, is
said in normative/axis_argument.py. CuPy has no bf16. Where there is no device, the backend is unavailable.
"""

import sys

from normative.axis_argument import arguments, one_vector
from normative.worker import Identity, Rejected, run, unavailable

try:
    import cupy as cp
    from normative.numpy_types import array, tensor

    cp.cuda.Device(0).compute_capability
except ImportError as missing:
    unavailable(f"CuPy: {missing}")
except cp.cuda.runtime.CUDARuntimeError as missing:
    unavailable(f"CuPy: {missing}")


def by_sum(which, x, axis, keepdims):
    if which == "L1":
        return cp.sum(cp.abs(x), axis=axis, keepdims=keepdims, dtype=x.dtype)
    return cp.sqrt(cp.sum(cp.square(x), axis=axis, keepdims=keepdims, dtype=x.dtype))


def by_norm(which, x, axis, keepdims):
    one_vector(which, axis, x.ndim, "cp.linalg.norm")
    return cp.linalg.norm(x, 1 if which == "L1" else None, axis=axis, keepdims=keepdims)


def answers(norm):
    def answer(call):
        axis, keepdims = arguments(call)
        data = array(call.data, "CuPy")
        try:
            return tensor(cp.asnumpy(norm(call.operator.norm, cp.asarray(data), axis, keepdims)))
        except (ValueError, TypeError, IndexError, OverflowError) as refusal:
            raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal

    return answer


WAYS = {"sum": ("CuPy", by_sum), "norm": ("CuPy linalg.norm", by_norm)}

if __name__ == "__main__":
    name, norm = WAYS[sys.argv[1]]
    bugs = "https://github.com/cupy/cupy/issues"
    run(Identity(name, cp.__version__, bugs, slow=True, values_of=("openvino", "onnx")), answers(norm))
