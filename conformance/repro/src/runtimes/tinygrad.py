needs tinygrad==@VERSION@ numpy
from tinygrad import Tensor, dtypes
---
DATA = @ARRAY@@COMMENT@


def call():
@if empty@    x = Tensor.empty(*@SHAPE@, dtype=dtypes.@DTYPE@, device="CPU")
@if !empty@    x = Tensor(DATA.tobytes(), dtype=dtypes.uint8, device="CPU").bitcast(dtypes.@DTYPE@).reshape(@SHAPE@)
@if l1@    result = x.abs().sum(axis=@AXIS@, keepdim=@KEEPDIMS@, dtype=x.dtype)
@if l2@    result = x.square().sum(axis=@AXIS@, keepdim=@KEEPDIMS@, dtype=x.dtype).sqrt()
@if squares@    result = x.square().sum(axis=@AXIS@, keepdim=@KEEPDIMS@, dtype=x.dtype)
@if elements@    result = x.sum(axis=@AXIS@, keepdim=@KEEPDIMS@, dtype=x.dtype)
    names = {getattr(dtypes, name): name for name in ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")}
    name = names[result.dtype]
    # What it reads of a tensor has no floats of 16 bits.
    raw = result.bitcast(dtypes.uint16) if name in ("float16", "bfloat16") else result
    return name, result.shape, raw.data().tobytes()


REFUSALS = (ValueError, TypeError, IndexError, OverflowError, RuntimeError)
