needs mlx[cpu]==@VERSION@ numpy
@if bf16@import ml_dtypes
import mlx.core as mx
---
DATA = @ARRAY@@ML_DTYPE@@COMMENT@


def call():
    mx.set_default_device(mx.cpu)
    x = mx.array(DATA, mx.@DTYPE@)
@if sum l1@    result = mx.sum(mx.abs(x), axis=@AXIS@, keepdims=@KEEPDIMS@)
@if sum l2@    result = mx.sqrt(mx.sum(mx.square(x), axis=@AXIS@, keepdims=@KEEPDIMS@))
@if squares@    result = mx.sum(mx.square(x), axis=@AXIS@, keepdims=@KEEPDIMS@)
@if elements@    result = mx.sum(x, axis=@AXIS@, keepdims=@KEEPDIMS@)
@if norm l1@    result = mx.linalg.norm(x, ord=1, axis=@AXIS@, keepdims=@KEEPDIMS@)
@if norm l2@    result = mx.linalg.norm(x, axis=@AXIS@, keepdims=@KEEPDIMS@)
    mx.eval(result)
    return str(result.dtype).rpartition(".")[2], tuple(result.shape), memoryview(result).tobytes()


REFUSALS = (ValueError, TypeError, IndexError, OverflowError, RuntimeError)
