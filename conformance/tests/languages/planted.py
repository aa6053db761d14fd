"""The adapter of sums.py with one mistake, which the word on the command line names: what `smoke` has to find.

Without a word that names one it is honest, and takes a few forms of calls more than sums.py does.
"""

import struct
import sys
from array import array
from dataclasses import replace

import sums
from normative.worker import NULL, ArrayApi, Axes, Blas, Onnx, OpenVino, Rejected, Tensor, Unsupported, run


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


def where(fits, **changed):
    """Hands on another operator in place of one that fits."""
    return lambda call: replace(call, operator=replace(call.operator, **changed)) if fits(call.operator) else call


def null_is_a_list_of_none(call):
    """As one does who hands on `axes or ()`."""
    if call.axes is not NULL:
        return call
    return replace(call, axes=listed(()), operator=OpenVino(call.operator.norm, False))


def empty_is_everything(call):
    """As one does who asks `if axes:`."""
    empty = isinstance(call.axes, Axes) and not call.axes.values
    return replace(call, axes=listed(range(len(call.data.shape)))) if empty else call


def type_of_axes_dropped(call):
    return replace(call, axes=replace(call.axes, dtype="i64")) if isinstance(call.axes, Axes) else call


def packed_vector(call):
    """Copies what it takes for the vector, and forgets how far its elements lay apart."""
    return replace(call, operator=replace(call.operator, incx=1)) if isinstance(call.operator, Blas) else call


def data_reversed(call):
    return replace(call, data=replace(call.data, shape=call.data.shape[::-1]))


def i32_through_f32(tensor):
    if tensor.dtype != "i32":
        return tensor
    count = len(tensor.elements) // 4
    floats = struct.pack(f"<{count}f", *struct.unpack(f"<{count}i", tensor.elements))
    return replace(tensor, elements=struct.pack(f"<{count}i", *map(int, struct.unpack(f"<{count}f", floats))))


def one_dim_is_nothing_to_reduce(call):
    """As one does whose loop over outer dims ends before the last."""
    return len(call.data.shape) == 1 and isinstance(call.operator, OpenVino)


def widened(result):
    if result.dtype != "i32":
        return result
    values = struct.unpack(f"<{len(result.elements) // 4}i", result.elements)
    return Tensor("i64", result.shape, struct.pack(f"<{len(values)}q", *values))


def repaired(result):
    if result.dtype != "f32":
        return result
    values = struct.unpack(f"<{len(result.elements) // 4}f", result.elements)
    finite = [x if abs(x) < float("inf") else 0.0 for x in values]
    return replace(result, elements=struct.pack(f"<{len(values)}f", *finite))


def raised(refusal):
    raise IndexError(str(refusal))


def wordless(refusal):
    raise Rejected("")


def unsupported(refusal):
    raise Unsupported(str(refusal))


FIRST = []


def first_again(result):
    FIRST.append(result)
    return FIRST[0] if FIRST[0].dtype == result.dtype and FIRST[0].shape == result.shape else result


def same(x):
    return x


def handed_on(refusal):
    raise refusal


# What each makes of the call, of the result, and of a refusal.
MISTAKES = {
    "none": (same, same, handed_on),
    "axes-ignored": (axes_of(lambda axes, rank: range(rank)), same, handed_on),
    "axes-from-the-other-end": (axes_of(lambda axes, rank: [rank - 1 - a for a in axes]), same, handed_on),
    "first-axis-alone": (axes_of(lambda axes, rank: axes[:1]), same, handed_on),
    "refusal-repaired": (axes_of(lambda axes, rank: sorted({a % rank for a in axes})), same, handed_on),
    "type-of-axes-dropped": (type_of_axes_dropped, same, handed_on),
    "null-is-a-list-of-none": (null_is_a_list_of_none, same, handed_on),
    "empty-list-is-everything": (empty_is_everything, same, handed_on),
    "noop-dropped": (where(lambda op: getattr(op, "noop_with_empty_axes", None), noop_with_empty_axes=None), same, handed_on),
    "default-filled-in": (where(lambda op: getattr(op, "keep_dims", 0) is None, keep_dims=True), same, handed_on),
    "default-of-onnx-filled-in": (where(lambda op: getattr(op, "keepdims", 0) is None and hasattr(op, "opset"), keepdims=0), same, handed_on),
    "ord-filled-in": (where(lambda op: getattr(op, "ord", 0) is None, ord=1), same, handed_on),
    "attribute-ignored": (where(lambda op: hasattr(op, "keep_dims"), keep_dims=None), same, handed_on),
    "other-norm": (where(lambda op: hasattr(op, "keep_dims") and op.norm == "L1", norm="L2"), same, handed_on),
    "dims-of-the-data-reversed": (data_reversed, same, handed_on),
    "dims-of-the-answer-reversed": (same, lambda result: replace(result, shape=result.shape[::-1]), handed_on),
    "a-scalar-as-a-list": (same, lambda result: replace(result, shape=result.shape or (1,)), handed_on),
    "one-dim-kept": (same, same, handed_on),
    "spacing-ignored": (packed_vector, same, handed_on),
    "another-type": (same, widened, handed_on),
    "data-through-f32": (lambda call: replace(call, data=i32_through_f32(call.data)), same, handed_on),
    "result-through-f32": (same, i32_through_f32, handed_on),
    "result-repaired": (same, repaired, handed_on),
    "stale-result": (same, first_again, handed_on),
    "refusal-raised": (same, same, raised),
    "refusal-without-words": (same, same, wordless),
    "refusal-is-unsupported": (same, same, unsupported),
}


def answer(call):
    mistake = sys.argv[1]
    before, after, refused = MISTAKES[mistake]
    if mistake == "one-dim-kept" and one_dim_is_nothing_to_reduce(call):
        return replace(call.data, elements=bytes(call.data.elements))
    try:
        return after(honest(before(call)))
    except Rejected as refusal:
        return refused(refusal)


if __name__ == "__main__":
    run(sums.IDENTITY, answer)
