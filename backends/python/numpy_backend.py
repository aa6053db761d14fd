"""NumPy as a backend, and an example of one in Python: `cargo xtask conformance --backend "cmd:python3 THIS_FILE sum"`.

The word on the command line says which of the two ways of a NumPy user is asked:

    sum   L1    np.sum(np.abs(x), axis=..., keepdims=..., out=...)
          L2    np.sqrt(np.sum(np.square(x), axis=..., keepdims=..., out=...), out=...)
          sum of squares, of ONNX: the same without the root
    norm  L1    np.linalg.norm(x, 1, axis=..., keepdims=...)
          L2    np.linalg.norm(x, axis=..., keepdims=...)

`sum` is the right one, and what no word means. Its `out` has the type of the data, which is how NumPy is asked for a
result of that type; it is filled with a pattern before, so that memory NumPy does not write shows. `norm` is the naive
one: its name says what is wanted, but what it gives has the type and the meaning it chooses.

A call of the array API is np.linalg.vector_norm(x, axis=..., keepdims=..., ord=...) either way, and the array API is the
text that NumPy promises to keep to: it is judged by that, and by another where `--spec` asks for it.

What a call says is handed to NumPy where NumPy has a place for it, and never checked first: what NumPy refuses, with
its own words, is a rejection, and what it accepts is computed. How axes and attributes are translated, and which have
no place, is said in normative/axis_argument.py. Beyond that, unsupported are:

- bf16, which NumPy does not have;
- a BNNS output of rank 0, and every BNNS call to `norm`, which allocates its output itself;
- axes that `norm` has no meaning for, which normative/axis_argument.py says too.

BNNS counts axes from the fastest, which is what NumPy does on `x.T`; its output is the one the caller allocated, where
[1] stands for NumPy's rank 0.
"""

import sys

from normative.axis_argument import arguments, axis_from_0, axis_of, keywords, listed, one_vector, spans
from normative.worker import LAYOUTS, ArrayApi, Axes, Bnns, Identity, Rejected, Unsupported, run, unavailable

try:
    import numpy as np
    from normative.numpy_types import laid_out, tensor
except ImportError as missing:
    unavailable(f"NumPy: {missing}")

POISON = 0xA5


def by_sum(call):
    x = laid_out(call, "NumPy")
    if isinstance(call.operator, Bnns):
        axis = axis_of(call.axes) if isinstance(call.axes, Axes) else None
        if not call.operator.output_shape:
            raise Unsupported("an output of rank 0 is what [1] is translated to")
        shape = () if spans(axis, x.ndim) and call.operator.output_shape == (1,) else call.operator.output_shape
        result = reduced("L2", x.T, axis, False, shape)
        return tensor(result.T.reshape(call.operator.output_shape[::-1]))
    axis, keepdims = arguments(call)
    return tensor(reduced(call.operator.norm, x, axis, keepdims, reduced_shape(x.shape, axis, keepdims)))


@np.errstate(all="ignore")  # A norm that overflows is an answer; the warning would only be printed.
def reduced(which, x, axis, keepdims, shape):
    """The whole of what is judged. `shape` is that of the output."""
    try:
        if which == "Sum":
            return np.sum(x, axis=axis, keepdims=keepdims, out=poisoned(shape, x.dtype))
        if which == "L1":
            return np.sum(np.abs(x), axis=axis, keepdims=keepdims, out=poisoned(shape, x.dtype))
        total = np.sum(np.square(x), axis=axis, keepdims=keepdims, out=poisoned(shape, x.dtype))
        if which == "SumSquare":
            return total
        # A root of integers is a float to NumPy, and it refuses to put one into an output of integers.
        return np.sqrt(total, out=poisoned(shape, x.dtype))
    except (ValueError, TypeError, OverflowError) as refusal:  # an AxisError is a ValueError
        raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal


@np.errstate(all="ignore")
def by_norm(call):
    if isinstance(call.operator, Bnns):
        raise Unsupported("np.linalg.norm allocates its output itself")
    x = laid_out(call, "NumPy")
    axis, keepdims = arguments(call)
    order = 1 if call.operator.norm == "L1" else None
    one_vector(call.operator.norm, axis, x.ndim, "np.linalg.norm")
    try:
        return tensor(np.linalg.norm(x, order, axis=axis, keepdims=keepdims))
    except (ValueError, TypeError, OverflowError) as refusal:
        raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal


@np.errstate(all="ignore")
def by_vector_norm(call):
    if not hasattr(np.linalg, "vector_norm"):
        raise Unsupported("NumPy has linalg.vector_norm from 2.0 on")
    x = laid_out(call, "NumPy")
    try:
        return tensor(np.linalg.vector_norm(x, **keywords(call)))
    except (ValueError, TypeError, OverflowError, IndexError) as refusal:
        raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal


def poisoned(shape, dtype):
    out = np.empty(shape, dtype)
    out.reshape(-1).view(np.uint8)[...] = POISON
    return out


def reduced_shape(shape, axis, keepdims):
    """The shape to allocate. NumPy refuses axes it cannot use before it looks at the output."""
    rank = len(shape)
    gone = set(range(rank)) if axis is None else {axis_from_0(a, rank) for a in listed(axis)}
    if keepdims:
        return tuple(1 if at in gone else dim for at, dim in enumerate(shape))
    return tuple(dim for at, dim in enumerate(shape) if at not in gone)


FAMILIES = ("openvino", "onnx", "bnns", "array-api")
WAYS = {"sum": ("NumPy", by_sum, (*FAMILIES, "onnx/ReduceSumSquare", "onnx/ReduceSum", "openvino/ReduceSum")), "norm": ("NumPy linalg.norm", by_norm, FAMILIES)}

if __name__ == "__main__":
    name, answer, operators = WAYS[sys.argv[1] if sys.argv[1:] else "sum"]
    bugs = "https://github.com/numpy/numpy/issues"
    identity = Identity(name, np.__version__, bugs, families=("array-api",), layouts=LAYOUTS, operators=operators)
    run(identity, lambda call: (by_vector_norm if isinstance(call.operator, ArrayApi) else answer)(call))
