"""The adapter of sums.py with one mistake, which the word on the command line names: what `smoke` has to find."""

import struct
import sys
from dataclasses import replace

import sums
from normative_worker import Axes, Rejected, Tensor, run


def axes_of(change):
    """Hands on other axes than the call has."""

    def asked(call):
        given = isinstance(call.axes, Axes) and call.data.shape
        return replace(call, axes=change(call.axes, len(call.data.shape))) if given else call

    return asked


def listed(axes, values):
    return replace(axes, shape=(len(values),), values=tuple(values))


def keep_dims_filled_in(call):
    default = getattr(call.operator, "keep_dims", False) is None
    return replace(call, operator=replace(call.operator, keep_dims=True)) if default else call


def other_norm(call):
    l1 = getattr(call.operator, "norm", None) == "L1" and hasattr(call.operator, "keep_dims")
    return replace(call, operator=replace(call.operator, norm="L2")) if l1 else call


def data_reversed(call):
    return replace(call, data=replace(call.data, shape=call.data.shape[::-1]))


def widened(result):
    if result.dtype != "i32":
        return result
    values = struct.unpack(f"<{len(result.elements) // 4}i", result.elements)
    return Tensor("i64", result.shape, struct.pack(f"<{len(values)}q", *values))


def raised(refusal):
    raise IndexError(str(refusal))


def wordless(refusal):
    raise Rejected("")


FIRST = []


def first_again(result):
    FIRST.append(result)
    return FIRST[0] if FIRST[0].dtype == result.dtype and FIRST[0].shape == result.shape else result


def same(x):
    return x


def handed_on(refusal):
    raise refusal


# What becomes of the call, of the result, and of a refusal.
MISTAKES = {
    "axes-ignored": (axes_of(lambda axes, rank: listed(axes, range(rank))), same, handed_on),
    "axes-from-the-other-end": (axes_of(lambda axes, rank: listed(axes, [rank - 1 - a for a in axes.values])), same, handed_on),
    "first-axis-alone": (axes_of(lambda axes, rank: listed(axes, axes.values[:1])), same, handed_on),
    "refusal-repaired": (axes_of(lambda axes, rank: listed(axes, sorted({a % rank for a in axes.values}))), same, handed_on),
    "default-filled-in": (keep_dims_filled_in, same, handed_on),
    "other-norm": (other_norm, same, handed_on),
    "dims-of-the-data-reversed": (data_reversed, same, handed_on),
    "dims-of-the-answer-reversed": (same, lambda result: replace(result, shape=result.shape[::-1]), handed_on),
    "a-scalar-as-a-list": (same, lambda result: replace(result, shape=result.shape or (1,)), handed_on),
    "another-type": (same, widened, handed_on),
    "stale-result": (same, first_again, handed_on),
    "refusal-raised": (same, same, raised),
    "refusal-without-words": (same, same, wordless),
}


def answer(call):
    before, after, refused = MISTAKES[sys.argv[1]]
    try:
        return after(sums.answer(before(call)))
    except Rejected as refusal:
        return refused(refusal)


run(sums.IDENTITY, answer)
