"""Dask's arrays as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE sum"`.

The word on the command line says which of the two ways of a Dask user is asked:

    sum    L1    da.sum(da.abs(x), axis=..., keepdims=..., dtype=x.dtype)
           L2    da.sqrt(da.sum(da.square(x), axis=..., keepdims=..., dtype=x.dtype))
    norm   da.linalg.norm(x, 1, axis=..., keepdims=...), and without an order for L2

`sum` is the right one: `dtype` asks for sums in the type of the data. Roots of integers are floats. `norm` is the naive one, and takes two axes as a
matrix. Every dim is cut into two chunks, as data are that do not fit in memory: reductions of a single chunk are NumPy's.
Dask's synchronous scheduler runs them, so that nothing depends on the order of threads.

What a call says is handed to Dask where Dask has a place for it, and never checked first: what Dask refuses, with its own
words, is a rejection, and what it accepts is computed. How axes and attributes are translated, and which have no place,
is said in normative/axis_argument.py; what no `norm` like NumPy's can say is said there too. Beyond that, bf16 is unsupported, which
NumPy does not have.
"""

import sys

from normative.axis_argument import arguments, one_vector
from normative.worker import LAYOUTS, Identity, Rejected, run, unavailable

try:
    import dask
    import dask.array as da
    import numpy as np
    from normative.numpy_types import laid_out, tensor
except ImportError as missing:
    unavailable(f"Dask: {missing}")


def by_norm(which, x, axis, keepdims):
    one_vector(which, axis, x.ndim, "da.linalg.norm")
    return da.linalg.norm(x, {"L1": 1, "L2": None}[which], axis=axis, keepdims=keepdims)


def by_sum(which, x, axis, keepdims):
    if which == "L1":
        return da.sum(da.abs(x), axis=axis, keepdims=keepdims, dtype=x.dtype)
    return da.sqrt(da.sum(da.square(x), axis=axis, keepdims=keepdims, dtype=x.dtype))


def answers(norm):
    @np.errstate(all="ignore")  # A norm that overflows is an answer; the warning would only be printed.
    def answer(call):
        axis, keepdims = arguments(call)
        data = laid_out(call, "Dask")
        chunks = tuple(-(-dim // 2) for dim in data.shape)
        try:
            result = norm(call.operator.norm, da.from_array(data, chunks=chunks), axis, keepdims).compute()
        except (ValueError, TypeError, IndexError, OverflowError, NotImplementedError) as refusal:
            raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal
        return tensor(np.asarray(result))

    return answer


WAYS = {"sum": by_sum, "norm": by_norm}

if __name__ == "__main__":
    dask.config.set(scheduler="synchronous")
    way = sys.argv[1]
    bugs = "https://github.com/dask/dask/issues"
    values_of = ("openvino", "onnx")
    run(Identity(f"Dask {way}", dask.__version__, bugs, slow=True, values_of=values_of, layouts=LAYOUTS), answers(WAYS[way]))
