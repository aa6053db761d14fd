"""NumPy as a backend, and an example of one in Python: `cargo xtask conformance --backend "cmd:python3 THIS_FILE"`.

The norms are what a NumPy user writes:

    L1    np.sum(np.abs(x), axis=..., keepdims=..., out=...)
    L2    np.sqrt(np.sum(np.square(x), axis=..., keepdims=..., out=...), out=...)

`np.linalg.norm` is not used: it takes at most two axes, and reads two of them as a matrix. `out` has the type of the
data, which is how NumPy is asked for a result of that type; it is filled with a pattern before, so that memory NumPy
does not write shows.

What a call says is handed to NumPy where NumPy has a place for it, and never checked first: what NumPy refuses, with
its own words, is a rejection, and what it accepts is computed. What it has no place for is unsupported:

- bf16, which it does not have;
- the type of ONNX and BNNS axes where it is not int64, as `axis` takes integers without a type;
- leaving out OpenVINO's axes, as NumPy's `axis` may always be left out; null where only an input can be null;
- axes of two and more dims that hold none; a BNNS output of rank 0;
- an attribute the opset does not have, and a `noop_with_empty_axes` other than 0 and 1.

Axes left out are `axis=None`. A list without axes is `axis=()`, except where ONNX 18 says that it means all: NumPy has
no `noop_with_empty_axes`, so 0 is translated to `None` and 1 to `()`. BNNS counts axes from the fastest, which is what
NumPy does on `x.T`; its output is the one the caller allocated, where [1] stands for NumPy's rank 0.
"""

import numpy as np

from normative_worker import NULL, Axes, Bnns, Identity, Onnx, OpenVino, Rejected, Tensor, Unsupported, run

DTYPES = {
    "f16": "<f2", "f32": "<f4", "f64": "<f8",
    "i8": "i1", "i16": "<i2", "i32": "<i4", "i64": "<i8",
    "u8": "u1", "u16": "<u2", "u32": "<u4", "u64": "<u8",
}
POISON = 0xA5


def answer(call):
    if call.data.dtype not in DTYPES:
        raise Unsupported(f"NumPy has no {call.data.dtype}")
    x = np.frombuffer(call.data.elements, DTYPES[call.data.dtype]).reshape(call.data.shape)
    if isinstance(call.operator, Bnns):
        axis = bnns_axis(call.axes)
        if not call.operator.output_shape:
            raise Unsupported("an output of rank 0 is what [1] is translated to")
        shape = () if spans(axis, x.ndim) and call.operator.output_shape == (1,) else call.operator.output_shape
        result = norm("L2", x.T, axis, False, shape)
        return tensor(call, result.T.reshape(call.operator.output_shape[::-1]))
    axis, keepdims = openvino(call) if isinstance(call.operator, OpenVino) else onnx(call)
    return tensor(call, norm(call.operator.norm, x, axis, keepdims, reduced_shape(x.shape, axis, keepdims)))


def norm(which, x, axis, keepdims, shape):
    """The whole of what is judged. `shape` is that of the output."""
    try:
        if which == "L1":
            return np.sum(np.abs(x), axis=axis, keepdims=keepdims, out=poisoned(shape, x.dtype))
        total = np.sum(np.square(x), axis=axis, keepdims=keepdims, out=poisoned(shape, x.dtype))
        # A root of integers is a float to NumPy, which `casting` lets it cut off to an integer.
        return np.sqrt(total, out=poisoned(shape, x.dtype), casting="unsafe")
    except (ValueError, TypeError, OverflowError) as refusal:  # an AxisError is a ValueError
        raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal


def poisoned(shape, dtype):
    out = np.empty(shape, dtype)
    out.reshape(-1).view(np.uint8)[...] = POISON
    return out


def openvino(call):
    if not isinstance(call.axes, Axes):
        raise Unsupported("NumPy's axis may be left out, the axes of this operator may not")
    return axis_of(call.axes), bool(call.operator.keep_dims)


def onnx(call):
    operator, axes = call.operator, call.axes
    if operator.opset < 18 and operator.noop_with_empty_axes is not None:
        raise Unsupported("there is no noop_with_empty_axes before opset 18")
    if operator.opset < 18 and axes is NULL:
        raise Unsupported("an attribute cannot be null")
    keepdims = 1 if operator.keepdims is None else operator.keepdims
    noop = operator.noop_with_empty_axes or 0
    if noop not in (0, 1):
        raise Unsupported(f"NumPy has no noop_with_empty_axes, so {noop} cannot be translated")
    axis = axis_of(only_int64(axes)) if isinstance(axes, Axes) else None
    if operator.opset == 18 and axis in (None, ()):
        axis = () if noop else None
    return axis, keepdims


def bnns_axis(axes):
    return axis_of(only_int64(axes)) if isinstance(axes, Axes) else None


def only_int64(axes):
    if axes.dtype != "i64":
        raise Unsupported("NumPy's axis has no type")
    return axes


def axis_of(axes):
    """Axes as NumPy takes them: an integer for a scalar, a tuple for a list, floats as floats."""
    values = axes.values if axes.dtype[0] in "iu" else tuple(map(float, axes.values))
    if len(axes.shape) > 1:
        if not values:
            raise Unsupported(f"to NumPy axes of shape {list(axes.shape)} are what a list without axes is")
        # The tuple of lists that the tensor is.
        values = np.array(values, object).reshape(axes.shape).tolist()
    return tuple(values) if axes.shape else values[0]


def spans(axis, rank):
    """Whether every axis is reduced, as far as can be told before NumPy was asked."""
    return axis is None or {axis_from_0(a, rank) for a in listed(axis)} >= set(range(rank))


def reduced_shape(shape, axis, keepdims):
    """The shape to allocate. NumPy refuses axes it cannot use before it looks at the output."""
    rank = len(shape)
    gone = set(range(rank)) if axis is None else {axis_from_0(a, rank) for a in listed(axis)}
    if keepdims:
        return tuple(1 if at in gone else dim for at, dim in enumerate(shape))
    return tuple(dim for at, dim in enumerate(shape) if at not in gone)


def listed(axis):
    return [a for a in (axis if isinstance(axis, tuple) else (axis,)) if isinstance(a, int)]


def axis_from_0(axis, rank):
    return axis + rank if axis < 0 else axis


def tensor(call, result):
    return Tensor(call.data.dtype, result.shape, result.tobytes())


if __name__ == "__main__":
    # A norm that overflows is an answer; the warning would only be printed.
    np.seterr(all="ignore")
    run(Identity("NumPy", np.__version__, "https://github.com/numpy/numpy/issues"), answer)
