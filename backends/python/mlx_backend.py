"""MLX on the CPU as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE norm"`.

The word on the command line says which of the two ways of an MLX user is asked:

    norm   mx.linalg.norm(x, ord=1, axis=..., keepdims=...), and without an order for L2
    sum    L1    mx.sum(mx.abs(x), axis=..., keepdims=...)
           L2    mx.sqrt(mx.sum(mx.square(x), axis=..., keepdims=...))

`norm` is the naive one: it takes two axes as a matrix and gives a float. Roots of integers are floats either way.

What a call says is handed to MLX where MLX has a place for it, and never checked first: what MLX refuses, with its own
words, is a rejection, and what it accepts is computed. How axes and attributes are translated, and which have no place,
is said in normative/axis_argument.py; what no `norm` like NumPy's can say is said there too. Data are handed over as NumPy arrays, with their type beside them, without which MLX makes f32 of f64.
"""

import sys

from normative.axis_argument import arguments, one_vector
from normative.worker import Identity, Rejected, Tensor, run, unavailable

try:
    import mlx.core as mx
    import numpy as np
    from normative.numpy_types import DTYPES, array, with_bfloat16

    with_bfloat16()
except ImportError as missing:
    unavailable(f"MLX: {missing}")

MLXS = {name: getattr(mx, np.dtype(numpys).name) for name, numpys in DTYPES.items()}
NAMES = {mlxs: ours for ours, mlxs in MLXS.items()}


def by_norm(which, x, axis, keepdims):
    one_vector(which, axis, x.ndim, "mx.linalg.norm")
    return mx.linalg.norm(x, {"L1": 1, "L2": None}[which], axis=axis, keepdims=keepdims)


def by_sum(which, x, axis, keepdims):
    if which == "L1":
        return mx.sum(mx.abs(x), axis=axis, keepdims=keepdims)
    return mx.sqrt(mx.sum(mx.square(x), axis=axis, keepdims=keepdims))


def answers(norm):
    def answer(call):
        axis, keepdims = arguments(call)
        data = array(call.data, "MLX")
        try:
            result = norm(call.operator.norm, mx.array(data, MLXS[call.data.dtype]), axis, keepdims)
            mx.eval(result)
        except (ValueError, TypeError, IndexError, OverflowError, RuntimeError) as refusal:
            # Its first line; what follows lists the types of every argument.
            raise Rejected(f"{type(refusal).__name__}: {refusal}".partition("\n")[0]) from refusal
        return Tensor(NAMES[result.dtype], result.shape, memoryview(result).tobytes())

    return answer


WAYS = {"norm": by_norm, "sum": by_sum}

if __name__ == "__main__":
    # Where there is an accelerator, it is not asked: results are to be the same on every machine.
    mx.set_default_device(mx.cpu)
    way = sys.argv[1]
    bugs = "https://github.com/ml-explore/mlx/issues"
    run(Identity(f"MLX {way}", mx.__version__, bugs, slow=True, values_of=("openvino", "onnx")), answers(WAYS[way]))
