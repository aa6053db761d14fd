"""A made-up library: `vector_norm` of the array API once as it should be, and with a planted bug each."""

import os

import numpy as np


def good(x, *, axis=None, keepdims=False, ord=2):
    return np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)


def axes_out_of_order(x, *, axis=None, keepdims=False, ord=2):
    if isinstance(axis, tuple) and list(axis) != sorted(axis):
        axis = axis[:1]
    return good(x, axis=axis, keepdims=keepdims, ord=ord)


def negative_axes_from_the_front(x, *, axis=None, keepdims=False, ord=2):
    if isinstance(axis, int) and axis < 0:
        axis = -axis - 1
    return good(x, axis=axis, keepdims=keepdims, ord=ord)


def sums_in_half_precision(x, *, axis=None, keepdims=False, ord=2):
    return good(x.astype("f2"), axis=axis, keepdims=keepdims, ord=ord).astype(x.dtype)


def signs_kept_in_l1(x, *, axis=None, keepdims=False, ord=2):
    if ord == 1:
        return np.asarray(np.sum(x, axis=axis, keepdims=keepdims, dtype=x.dtype))
    return good(x, axis=axis, keepdims=keepdims, ord=ord)


def scalars_of_rank_one(x, *, axis=None, keepdims=False, ord=2):
    return np.atleast_1d(good(x, axis=axis, keepdims=keepdims, ord=ord))


def aborts(x, *, axis=None, keepdims=False, ord=2):
    if x.ndim == 5:
        os.abort()
    return good(x, axis=axis, keepdims=keepdims, ord=ord)


def raises(x, *, axis=None, keepdims=False, ord=2):
    if x.ndim == 5:
        raise KeyError("rank 5")
    return good(x, axis=axis, keepdims=keepdims, ord=ord)


def overwrites_its_data(x, *, axis=None, keepdims=False, ord=2):
    result = good(x, axis=axis, keepdims=keepdims, ord=ord)
    if x.flags.writeable:
        x[...] = 0
    return result


def overwrites_what_has_gaps(x, *, axis=None, keepdims=False, ord=2):
    result = good(x, axis=axis, keepdims=keepdims, ord=ord)
    if x.flags.writeable and not x.flags.c_contiguous:
        x[...] = 0
    return result


def raises_always(x, **_):
    raise KeyError("of everything")


def exits(x, **_):
    raise SystemExit(3)


class Deep(BaseException):
    pass


def raises_no_exception(x, **_):
    raise Deep("down")


def returns_nothing(x, **_):
    return None


async def is_awaited(x, **_):
    return good(x)


def has_no_name_for_a_line():
    return lambda x, **named: good(x, **named)
