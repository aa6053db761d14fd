"""A backend of the standard library alone: norms of short f32 and integer tensors, and, in a role, misconduct.

It leaves out whatever the Python worker is not tried by.
"""

import itertools
import math
import os
import struct
import subprocess
import sys

from normative.worker import (
    NULL, ArrayApi, Axes, Blas, Bnns, Identity, Onnx, OpenVino, Rejected, Tensor, Unsupported, WebNn, run,
    unavailable,
)

ROLE = sys.argv[1] if sys.argv[1:] else ""
FORMS = {"f32": "f", "i32": "i", "i64": "q"}
VALUES = ("onnx",) if ROLE == "values-alone" else ()
ALL = (
    "openvino", "openvino/ReduceSum", "onnx", "onnx/ReduceSumSquare", "onnx/ReduceSum", "bnns", "array-api", "webnn",
    "webnn/reduceSumSquare", "webnn/reduceSum", "blas",
)
DECLARED = {
    "declares": {"operators": ("openvino/ReduceL1-4", "onnx"), "dtypes": ("f32", "i64")},
    "has-all": {"operators": ALL},
}
IDENTITY = Identity("sums", "0.3", "me@example.org", {"f16": "f32"}, values_of=VALUES, **DECLARED.get(ROLE, {}))


def answer(call):
    if call.data.dtype not in FORMS:
        raise Unsupported(f"no sums of {call.data.dtype}")
    if call.axes is NULL and isinstance(call.operator, OpenVino):
        return ROLES[ROLE](call)
    values = struct.unpack(f"<{math.prod(call.data.shape)}{FORMS[call.data.dtype]}", call.data.elements)
    if isinstance(call.operator, Blas):
        if call.data.dtype != "f32":
            raise Rejected(f"no routine for {call.data.dtype}")
        return Tensor("f32", (), packed(norm_of(call)(vector(values, call.operator)), "f"))
    axes, keep = arguments(call)
    norms, shape = reduce(values, call.data.shape, axes, keep, norm_of(call))
    if isinstance(call.operator, Bnns):
        shape = shape or (1,)
        if call.operator.output_shape != shape[::-1]:
            raise Rejected(f"the output has the shape {shape}")
    return Tensor(call.data.dtype, shape, b"".join(packed(norm, FORMS[call.data.dtype]) for norm in norms))


def norm_of(call):
    which, is_float = getattr(call.operator, "norm", "L2"), call.data.dtype == "f32"
    term = {"L1": abs, "Sum": lambda x: x}.get(which, lambda x: x * x)
    add = added if is_float else sum
    root = (math.sqrt if is_float else math.isqrt) if which == "L2" else lambda total: total
    return lambda terms: root(add(map(term, terms)))


def added(terms):
    try:
        return math.fsum(terms)
    except ValueError:  # infinities of both signs
        return math.nan


def vector(values, blas):
    """The elements of a vector that lies spaced; asum has none where they do not lie forwards."""
    if blas.n <= 0 or (blas.incx <= 0 and blas.norm == "L1"):
        return []
    first = 0 if blas.incx >= 0 else (1 - blas.n) * blas.incx
    return [values[first + i * blas.incx] for i in range(blas.n)]


def arguments(call):
    """The axes and whether to keep them, of the calls that are plain."""
    rank, operator = len(call.data.shape), call.operator
    if not isinstance(call.axes, Axes) or call.axes.dtype != "i64" or len(call.axes.shape) != 1:
        raise Unsupported("only lists of int64 axes")
    if not call.axes.values or len(set(axis % max(rank, 1) for axis in call.axes.values)) < len(call.axes.values):
        raise Unsupported("only distinct axes")
    lowest = 0 if isinstance(operator, (Bnns, WebNn)) else -rank
    for axis in call.axes.values:
        if not lowest <= axis < rank:
            raise Rejected(f"axis {axis} of rank {rank}")
    axes = {axis % rank for axis in call.axes.values}
    if isinstance(operator, OpenVino):
        return axes, operator.keep_dims is True
    if isinstance(operator, ArrayApi):
        return axes, operator.keepdims is True
    if isinstance(operator, WebNn):
        if 0 in call.data.shape or operator.norm == "L2" and call.data.dtype != "f32":
            raise Rejected(f"{call.data.dtype} of shape {call.data.shape}")
        return axes, operator.keep_dimensions is True
    if isinstance(operator, Onnx):
        if operator.noop_with_empty_axes is not None or operator.keepdims not in (None, 0, 1):
            raise Unsupported("only plain attributes")
        return axes, operator.keepdims != 0
    if not 1 <= rank <= 8 or call.data.dtype != "f32":
        raise Rejected(f"{call.data.dtype} of rank {rank}")
    return {rank - 1 - axis for axis in axes}, False


def reduce(values, shape, axes, keep, norm):
    strides = [math.prod(shape[at + 1 :]) for at in range(len(shape))]

    def offsets(chosen):
        ranges = [range(dim) if chosen(at) else [0] for at, dim in enumerate(shape)]
        return [sum(map(math.prod, zip(index, strides))) for index in itertools.product(*ranges)]

    inner = offsets(lambda at: at in axes)
    norms = [norm([values[one + other] for other in inner]) for one in offsets(lambda at: at not in axes)]
    if keep:
        return norms, tuple(1 if at in axes else dim for at, dim in enumerate(shape))
    return norms, tuple(dim for at, dim in enumerate(shape) if at not in axes)


def packed(norm, form):
    try:
        return struct.pack("<" + form, norm)
    except (OverflowError, struct.error):
        if form == "f":
            return struct.pack("<f", math.copysign(math.inf, norm))
        raise Rejected(f"{norm} is too great")


def raises(_):
    raise KeyError("no such kernel")


def changes(call):
    call.data.elements[5] ^= 1
    return call.data


def prints(call):
    print("print\n" * 5000)
    os.write(1, b"to the descriptor\n")
    subprocess.run(["echo", "from a process"], check=True)
    sys.stdin.read()
    return call.data


def says_much(_):
    raise Rejected("\ud800" + "ö" * 1_000_000)


ROLES = {
    "raises": raises,
    "changes": changes,
    "prints": prints,
    "says-much": says_much,
    "returns-nothing": lambda _: None,
    "returns-too-little": lambda call: Tensor("f32", (3,), b"1234"),
    "echoes": lambda call: call.data,
    "has-all": lambda call: call.data,
}

if __name__ == "__main__":
    if ROLE == "unavailable":
        unavailable("sums: No module named 'möck'")
    run(IDENTITY, answer)
