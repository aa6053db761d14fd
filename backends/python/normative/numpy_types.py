"""Tensors of the protocol as arrays of NumPy, for whatever takes or gives these. Of the element types, bf16 is there where
the adapter asked for it by `with_bfloat16`."""

import numpy as np

from .worker import DTYPES as SIZES
from .worker import Tensor, Unsupported

# NumPy writes a type as its kind and its bytes.
DTYPES = {dtype: f"<{dtype[0]}{size}" for dtype, size in SIZES.items() if dtype != "bf16"}
NAMES = {np.dtype(numpys): ours for ours, numpys in DTYPES.items()}


def with_bfloat16():
    """Adds the bf16 of `ml_dtypes`, for a library that takes arrays of it."""
    import ml_dtypes

    DTYPES["bf16"] = np.dtype(ml_dtypes.bfloat16)
    NAMES[DTYPES["bf16"]] = "bf16"


def array(data, library):
    """The tensor, over its own bytes. What it says where there is no such type names the `library`."""
    if data.dtype not in DTYPES:
        raise Unsupported(f"{library} has no {data.dtype}")
    return np.frombuffer(data.elements, DTYPES[data.dtype]).reshape(data.shape)


def laid_out(call, library):
    """The data of a call as they are to lie in memory, which an array of NumPy can in every layout."""
    x = array(call.data, library)
    lies = _LIES[call.layout](x)
    if lies.tobytes() != x.tobytes():
        raise AssertionError(f"{call.layout} data are not the data of the call")
    if lies is not x:
        call.copies.append(lies.tobytes)
    return lies


def _sliced(x):
    cut = tuple(slice(1, None, 2) if axis in (0, x.ndim - 1) else slice(None) for axis in range(x.ndim))
    larger = np.empty([2 * dim + 1 if axis in (0, x.ndim - 1) else dim for axis, dim in enumerate(x.shape)], x.dtype)
    # All bits between the elements are set, so that a read there gives NaN, -1 or the greatest unsigned integer.
    larger.reshape(-1).view(np.uint8)[...] = 0xFF
    larger[cut] = x
    return larger[cut]


def _broadcast(x):
    once = x
    for axis in range(x.ndim):
        first = once[(slice(None),) * axis + (slice(0, 1),)]
        if np.broadcast_to(first, once.shape).tobytes() == once.tobytes():
            once = first
    return np.broadcast_to(once.copy(), x.shape)


def _unaligned(x):
    return np.frombuffer(bytearray(1) + x.tobytes(), x.dtype, offset=1).reshape(x.shape)


_LIES = {
    "row-major": lambda x: x,
    "transposed": lambda x: x.copy(order="F"),
    "reversed": lambda x: np.flip(np.flip(x).copy()),
    "sliced": _sliced,
    "broadcast": _broadcast,
    "unaligned": _unaligned,
}


def tensor(result):
    return Tensor(NAMES[result.dtype], result.shape, result.tobytes())
