"""Calls as `vector_norm` is written in Python, made into calls of a specification, and into the bytes of the protocol.

`worker` reads calls; this writes them, for requests to the program.
"""

from __future__ import annotations

import struct
from operator import index
from typing import Any, Optional

from .worker import DTYPES, NULL, ArrayApi, Axes, Call, Onnx, OpenVino, Tensor, WebNn, _encode_tensor

#: The specifications whose norms can be asked for by `ord`, `axis` and `keepdims`, each with its name for them.
FAMILIES = ("array-api", "onnx", "openvino", "webnn")
OPSETS = (18, 13, 11, 1)


def call_of(data: Tensor, ord: Any, axis: Any, keepdims: bool, spec: str) -> Call:
    """Returns the call of `spec`: a family, or one version of an operator such as `onnx/ReduceL2-13`."""
    norm = norm_of(ord)
    if keepdims not in (False, True):
        raise TypeError(f"expected keepdims True or False, got {keepdims!r}")
    family, _, version = spec.partition("/")
    if family not in FAMILIES:
        raise ValueError(f"expected a spec of {', '.join(FAMILIES)}, got {spec!r}")
    axes = None if axis is None else axes_of(axis, always_list=family != "array-api")
    if family == "array-api":
        return Call(ArrayApi(1 if norm == "L1" else 2, bool(keepdims)), data, NULL if axes is None else axes)
    if family == "webnn":
        return Call(WebNn(norm, bool(keepdims)), data, axes)
    if family == "openvino":
        # Its axes cannot be left out.
        return Call(OpenVino(norm, bool(keepdims)), data, axes or axes_of(tuple(range(len(data.shape))), True))
    opset = opset_of(version)
    return Call(Onnx(norm, opset, int(keepdims), 1 if opset == 18 and axis == () else None), data, axes)


def norm_of(ord: Any) -> str:
    if ord not in (1, 2):
        raise ValueError(f"expected ord 1 or 2, got {ord!r}")
    return "L1" if ord == 1 else "L2"


def opset_of(version: str) -> int:
    """Returns the opset in a version such as `ReduceL2-13`; without one, the newest."""
    if not version:
        return OPSETS[0]
    for opset in OPSETS:
        if version in (f"ReduceL1-{opset}", f"ReduceL2-{opset}"):
            return opset
    raise ValueError(f"expected ReduceL1-N or ReduceL2-N with an opset of {', '.join(map(str, OPSETS))}, got {version!r}")


def axes_of(axis: Any, always_list: bool) -> Axes:
    """Returns axes of int64: a scalar for an integer, unless the spec has lists alone."""
    alone = hasattr(axis, "__index__")
    try:
        values = tuple(map(_axis, [axis] if alone else axis))
    except TypeError:
        raise TypeError(f"expected axis None, an integer or a tuple of integers, got {axis!r}") from None
    return Axes("i64", () if alone and not always_list else (len(values),), values)


def _axis(value: Any) -> int:
    if isinstance(value, bool):
        raise TypeError("True and False are integers of Python, and no axes")
    return index(value)


def encode(call: Call) -> bytes:
    """Returns the body of a call frame, numbered 0, as conformance/backend/PROTOCOL.md has it."""
    operator = call.operator
    if isinstance(operator, OpenVino):
        head = bytes([1, int(operator.norm[1]), _flag(operator.keep_dims)])
    elif isinstance(operator, Onnx):
        head = bytes([2, int(operator.norm[1]), operator.opset])
        head += _integer(operator.keepdims) + _integer(operator.noop_with_empty_axes)
    elif isinstance(operator, ArrayApi):
        head = bytes([4, operator.ord or 0, _flag(operator.keepdims)])
    elif isinstance(operator, WebNn):
        head = bytes([5, int(operator.norm[1]), _flag(operator.keep_dimensions)])
    else:
        raise TypeError(f"expected a call of {', '.join(FAMILIES)}, got one of {type(operator).__name__}")
    return struct.pack("<Q", 0) + head + _encode_tensor(call.data) + _axes(call.axes)


def _flag(value: Optional[bool]) -> int:
    return 0 if value is None else 1 + bool(value)


def _integer(value: Optional[int]) -> bytes:
    return b"\0" if value is None else b"\1" + struct.pack("<q", value)


def _axes(axes: Any) -> bytes:
    if axes is None or axes is NULL:
        return b"\0" if axes is None else b"\1"
    head = struct.pack(f"<BBI{len(axes.shape)}Q", 2, list(DTYPES).index(axes.dtype), len(axes.shape), *axes.shape)
    values = b"".join(value.to_bytes(16, "little", signed=True) for value in axes.values)
    return head + struct.pack("<I", len(axes.values)) + values
