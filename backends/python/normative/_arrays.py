"""Arrays of any library as tensors of the protocol, and the names that libraries have for element types.

NumPy is imported when the first array is converted. PyTorch's tensors are read through their bytes, which is how bf16
gets out of them; bf16 of NumPy and JAX is the type of `ml_dtypes`.
"""

from __future__ import annotations

import importlib
from typing import Any

from .worker import Tensor

_LONG = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
}
_SHORT = {long: short for short, long in _LONG.items()}


def tensor_of(data: Any) -> Tensor:
    """Returns the tensor: of an array, or of a number or nested lists as NumPy reads them."""
    if isinstance(data, Tensor):
        return data
    if type(data).__module__.partition(".")[0] == "torch" and hasattr(data, "detach"):
        return _of_torch(data)
    import numpy as np

    array = _numpy_of(data, np)
    if array.dtype == object:
        raise TypeError(f"expected an array of numbers, got {type(data).__name__}")
    dtype = _short(array.dtype.name)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    return Tensor(dtype, array.shape, array.tobytes())


def _numpy_of(data: Any, np: Any) -> Any:
    if np.ma.is_masked(data):
        raise TypeError("expected an array without masked elements, got some: a norm of the array is that of all its elements")
    if isinstance(data, np.ndarray) or not hasattr(data, "__dlpack__"):
        return np.asarray(data)
    try:
        return np.asarray(data) if hasattr(data, "__array__") else np.from_dlpack(data)
    except (TypeError, ValueError, BufferError):
        return np.from_dlpack(data)


def _of_torch(data: Any) -> Tensor:
    torch = importlib.import_module("torch")
    dtype = _short(str(data.dtype).partition(".")[2])
    plain = data.detach().cpu().contiguous()
    elements = plain.reshape(-1).view(torch.uint8).numpy().tobytes() if plain.numel() else b""
    return Tensor(dtype, tuple(plain.shape), elements)


def _short(name: str) -> str:
    if name not in _SHORT:
        raise TypeError(f"expected an element type of {', '.join(_SHORT)}, got {name}")
    return _SHORT[name]


def numpy_dtype(dtype: str) -> Any:
    """Returns NumPy's element type, that of `ml_dtypes` for bf16."""
    import numpy as np

    if dtype == "bf16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(_LONG[dtype]).newbyteorder("<")
