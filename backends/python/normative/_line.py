"""Writes data as a line of Python that makes them again, bit for bit."""

from __future__ import annotations

import math
import struct

from .worker import DTYPES, Tensor

_FORMS = {"f16": "e", "f32": "f", "f64": "d", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
#: More elements than this are written as the digits of their bytes.
_SPELLED = 32


def of_array(data: Tensor) -> str:
    """Returns an expression of NumPy, `np`."""
    elements, size = bytes(data.elements), DTYPES[data.dtype]
    dtype = "ml_dtypes.bfloat16" if data.dtype == "bf16" else f'"{data.dtype[0]}{size}"'
    shape = repr(tuple(data.shape)) if len(data.shape) != 1 else str(data.shape[0])
    alike = elements == elements[:size] * (len(elements) // size)
    if alike and not any(elements):
        return f"np.zeros({shape}, {dtype})"
    values = _values(data)
    if values is None or len(values) > _SPELLED and not alike:
        code = dtype if data.dtype == "bf16" else f'"<{data.dtype[0]}{size}"'
        return f'np.frombuffer(bytes.fromhex("{elements.hex()}"), {code}){_reshaped(data.shape)}'
    if alike and len(values) > 1:
        one = _number(values[0])
        return f"np.ones({shape}, {dtype})" if one == "1.0" or one == "1" else f"np.full({shape}, {one}, {dtype})"
    return f"np.array([{', '.join(map(_number, values))}], {dtype}){_reshaped(data.shape)}"


def _reshaped(shape: tuple) -> str:
    return "" if len(shape) == 1 else f".reshape({tuple(shape)!r})"


def _values(data: Tensor) -> object:
    """Returns the elements as numbers that read back as they are; `None` if a NaN has other bits than NumPy's."""
    elements = bytes(data.elements)
    if data.dtype == "bf16":
        wide = b"".join(b"\0\0" + elements[at : at + 2] for at in range(0, len(elements), 2))
        values = struct.unpack(f"<{len(wide) // 4}f", wide)
        return None if any(map(math.isnan, values)) else values
    values = struct.unpack(f"<{len(elements) // DTYPES[data.dtype]}{_FORMS[data.dtype]}", elements)
    plain = {"f16": b"\x00\x7e", "f32": b"\x00\x00\xc0\x7f", "f64": b"\x00\x00\x00\x00\x00\x00\xf8\x7f"}.get(data.dtype)
    size = DTYPES[data.dtype]
    for at, value in enumerate(values):
        if value != value and elements[at * size : (at + 1) * size] != plain:
            return None
    return values


def _number(value: object) -> str:
    text = repr(value)
    return {"inf": "np.inf", "-inf": "-np.inf", "nan": "np.nan"}.get(text, text)
