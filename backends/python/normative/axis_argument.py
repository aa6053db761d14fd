"""What calls are to an array library: a function over an array with the arguments `axis` and `keepdims`.

NumPy and the libraries that follow it (torch, jax.numpy, tf) take the same two arguments, so what is translated for
one is translated for all. Nothing here checks a call; a value is handed over as it came:

- keepdims left out is the operator's default; 0 and 1 are the `False` and `True` that these libraries ask for;
- axes left out or null are `axis=None`; a scalar is an integer, a list a tuple;
- a list without axes is `()`, except where ONNX says what it means, from opset 18 on: `noop_with_empty_axes` has no
  counterpart, so 0 is translated to `None`, and 1 to `()`.

`vector_norm` of the array API takes all of a call as it is written, by keyword: what was left out is left out, null is
`None`, and an empty list `()`.

There is no place for, which makes a call unsupported:

- the calls of BNNS, which bring an output of their own; those of the array API, where a library has no `vector_norm`; and
  those of WebNN and BLAS, which no array library claims;
- axes of another type than int64, as `axis` has none, and of two and more dims, as it is an integer or a tuple;
- leaving out OpenVINO's axes, as `axis` may always be left out; null where only an input can be null;
- an attribute the opset does not have, axes in the form of another opset, and a `keepdims` or `noop_with_empty_axes`
  other than 0 and 1.

backends/shared/request/src/vectors.rs has calls, and what the helpers of every language make of them.

A `norm` like that of `numpy.linalg` reads two axes as a matrix, of which the norm of order 1 is not L1. So such a function
has no place for L1 of other than one axis, nor for L2 of three and more that are named, or of none.
"""

from .worker import NULL, ArrayApi, Axes, Blas, Bnns, Onnx, OpenVino, OtherForm, Unsupported, WebNn


def arguments(call):
    """`axis` and `keepdims` of a call of OpenVINO's or ONNX's."""
    ways = {OpenVino: openvino, Onnx: onnx, Bnns: bnns, ArrayApi: array_api, WebNn: webnn, Blas: blas}
    return ways[type(call.operator)](call)


def keywords(call):
    """The keyword arguments of `vector_norm` in a call of the array API's, without those that were left out."""
    given = {}
    if call.axes is not None:
        given["axis"] = None if call.axes is NULL else axis_of(call.axes)
    if call.operator.keepdims is not None:
        given["keepdims"] = call.operator.keepdims
    if call.operator.ord is not None:
        given["ord"] = call.operator.ord
    return given


def openvino(call):
    if not isinstance(call.axes, Axes):
        raise Unsupported("axis may be left out, the axes of this operator may not")
    return axis_of(call.axes), bool(call.operator.keep_dims)


def onnx(call):
    operator, axes = call.operator, call.axes
    if not operator.takes_axes_as_input and operator.noop_with_empty_axes is not None:
        raise Unsupported("there is no noop_with_empty_axes where axes are an attribute")
    if not operator.takes_axes_as_input and axes is NULL:
        raise Unsupported("an attribute cannot be null")
    if isinstance(axes, OtherForm):
        raise Unsupported("axis has one form, whichever the opset")
    keepdims = flag("keepdims", operator.keepdims, True)
    noop = flag("noop_with_empty_axes", operator.noop_with_empty_axes, False)
    axis = axis_of(axes) if isinstance(axes, Axes) else None
    if operator.takes_axes_as_input and axis in (None, ()):
        axis = () if noop else None
    return axis, keepdims


def flag(name, value, default):
    if value not in (None, 0, 1):
        raise Unsupported(f"an argument that is true or false cannot be {name} = {value}")
    return default if value is None else value == 1


def bnns(_):
    raise Unsupported("an array library allocates its output itself")


def array_api(_):
    raise Unsupported("there is no vector_norm")


def webnn(_):
    raise Unsupported("the library does not claim WebNN")


def blas(_):
    raise Unsupported("the library does not claim BLAS")


def one_vector(which, axis, rank, function):
    """Raises `Unsupported` where `function`, a `norm` like that of `numpy.linalg`, does not read these axes as one vector."""
    count = rank if axis is None else len(axis) if isinstance(axis, tuple) else 1
    if count != 1 and (which == "L1" or count != 2 and axis is not None):
        raise Unsupported(f"{function} does not take {count} axes as one vector for {which}")


def axis_of(axes):
    """An integer for a scalar, a tuple for a list."""
    if axes.dtype != "i64" or len(axes.shape) > 1:
        raise Unsupported(f"axis is an integer or a tuple of them, not {axes.dtype} of shape {list(axes.shape)}")
    return tuple(axes.values) if axes.shape else axes.values[0]


def spans(axis, rank):
    """Whether every axis is reduced, as far as can be told before the library was asked."""
    return axis is None or {axis_from_0(a, rank) for a in listed(axis)} >= set(range(rank))


def listed(axis):
    return axis if isinstance(axis, tuple) else (axis,)


def axis_from_0(axis, rank):
    return axis + rank if axis < 0 else axis
