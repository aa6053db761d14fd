"""Tensors of the protocol as arrays of NumPy, for whatever takes or gives these. Of the element types, bf16 is there where
the adapter asked for it by `with_bfloat16`."""

import numpy as np
from normative_worker import Tensor, Unsupported

DTYPES = {
    "f16": "<f2", "f32": "<f4", "f64": "<f8",
    "i8": "i1", "i16": "<i2", "i32": "<i4", "i64": "<i8",
    "u8": "u1", "u16": "<u2", "u32": "<u4", "u64": "<u8",
}
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


def tensor(result):
    return Tensor(NAMES[result.dtype], result.shape, result.tobytes())
