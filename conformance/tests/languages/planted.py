"""The adapter of sums.py with one mistake, which the word on the command line names: what `smoke` has to find.

Without a word that names one it is honest, and takes a few forms of calls more than sums.py does.
"""

import struct
import sys
from array import array
from dataclasses import replace

import sums
from normative.worker import NULL, ArrayApi, Axes, Blas, Onnx, OpenVino, Rejected, Tensor, run


def plain(call):
    """The call in a form that sums.py takes: what axes and attributes stand for is said by axes alone."""
    operator, axes, rank = call.operator, call.axes, len(call.data.shape)
    if isinstance(operator, ArrayApi):
        # Left out and null are the same, and so is a scalar and a list of one.
        return replace(call, axes=listed(range(rank)) if axes in (None, NULL) else axes)
    if isinstance(axes, Axes) and not isinstance(operator, Blas) and axes.dtype != "i64":
        raise Rejected(f"axes of {axes.dtype}")
    if isinstance(operator, Onnx) and operator.takes_axes_as_input:
        noop = operator.noop_with_empty_axes == 1
        call = replace(call, operator=replace(operator, noop_with_empty_axes=None))
        if axes in (None, NULL) or not axes.values:
            return replace(call, axes=listed([] if noop else range(rank)))
    elif isinstance(operator, Onnx) and axes is None:
        return replace(call, axes=listed(range(rank)))
    return call


def honest(call):
    call = plain(call)
    if len(call.data.elements) > 1 << 16:
        return of_rows(call)
    if isinstance(call.axes, Axes) and not call.axes.values and call.axes.shape == (0,):
        # Nothing is reduced, and the norm of one element is its magnitude.
        rank = len(call.data.shape)
        grown = replace(call.data, shape=call.data.shape + (1,))
        return sums.answer(replace(call, data=grown, axes=listed([rank]), operator=OpenVino(call.operator.norm, False)))
    return sums.answer(call)


def of_rows(call):
    """The norm of every row of a large matrix, which takes sums.py long."""
    rows, width = call.data.shape
    values, norm = array("f", bytes(call.data.elements)), sums.norm_of(call)
    norms = array("f", [norm(values[row * width : (row + 1) * width]) for row in range(rows)])
    return Tensor("f32", (rows,), norms.tobytes())


def listed(values):
    values = tuple(values)
    return Axes("i64", (len(values),), values)


def axes_of(change):
    """Hands on other axes than the call has."""

    def asked(call):
        given = isinstance(call.axes, Axes) and call.data.shape
        return replace(call, axes=listed(change(call.axes.values, len(call.data.shape)))) if given else call

    return asked


def i32_through_f32(tensor):
    if tensor.dtype != "i32":
        return tensor
    count = len(tensor.elements) // 4
    floats = struct.pack(f"<{count}f", *struct.unpack(f"<{count}i", tensor.elements))
    return replace(tensor, elements=struct.pack(f"<{count}i", *map(int, struct.unpack(f"<{count}f", floats))))


FIRST = []


def first_again(result):
    FIRST.append(result)
    return FIRST[0] if FIRST[0].dtype == result.dtype and FIRST[0].shape == result.shape else result


def same(x):
    return x


# What each makes of the call, and of the result.
MISTAKES = {
    "none": (same, same),
    "refusal-repaired": (axes_of(lambda axes, rank: sorted({a % rank for a in axes})), same),
    "data-through-f32": (lambda call: replace(call, data=i32_through_f32(call.data)), same),
    "stale-result": (same, first_again),
}


def answer(call):
    before, after = MISTAKES[sys.argv[1]]
    return after(honest(before(call)))


if __name__ == "__main__":
    run(sums.IDENTITY, answer)
