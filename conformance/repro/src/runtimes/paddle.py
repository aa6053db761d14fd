needs paddlepaddle==@VERSION@ numpy setuptools
import paddle
---
DATA = @ARRAY@@COMMENT@


def call():
    x = paddle.to_tensor(DATA)
@if sum l1@    result = paddle.sum(paddle.abs(x), axis=@AXIS@, keepdim=@KEEPDIMS@, dtype=x.dtype)
@if sum l2@    result = paddle.sqrt(paddle.sum(paddle.square(x), axis=@AXIS@, keepdim=@KEEPDIMS@, dtype=x.dtype))
@if squares@    result = paddle.sum(paddle.square(x), axis=@AXIS@, keepdim=@KEEPDIMS@, dtype=x.dtype)
@if elements@    result = paddle.sum(x, axis=@AXIS@, keepdim=@KEEPDIMS@, dtype=x.dtype)
@if norm@    result = paddle.linalg.vector_norm(x, p=@ORD@.0, axis=@AXIS@, keepdim=@KEEPDIMS@)
    return str(result.dtype).rpartition(".")[2], tuple(result.shape), result.numpy().tobytes()


REFUSALS = (ValueError, TypeError, IndexError, OverflowError, RuntimeError, OSError)
