"""The loops of sums.py as a library with the arguments of NumPy, adapted by normative.axis_argument."""

import math
import struct

import sums
from normative.axis_argument import arguments
from normative.worker import Identity, Rejected, Tensor, Unsupported, run


def answer(call):
    if call.data.dtype not in sums.FORMS:
        raise Unsupported(f"no sums of {call.data.dtype}")
    axis, keepdims = arguments(call)
    shape, form = call.data.shape, sums.FORMS[call.data.dtype]
    rank = len(shape)
    listed = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if any(not -rank <= one < rank for one in listed):
        raise Rejected(f"axis {axis} of rank {rank}")
    values = struct.unpack(f"<{math.prod(shape)}{form}", call.data.elements)
    norms, shape = sums.reduce(values, shape, {one % rank for one in listed}, keepdims, sums.norm_of(call))
    return Tensor(call.data.dtype, shape, b"".join(sums.packed(norm, form) for norm in norms))


if __name__ == "__main__":
    run(Identity("loops", "1", "me@example.org", values_of=("onnx",)), answer)
