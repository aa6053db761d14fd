needs mnn==@VERSION@ numpy
import MNN.expr as F
---
DATA = @ARRAY@@COMMENT@


def call():
@if !integer@    x = F.const(DATA, list(DATA.shape), F.NCHW, F.float)
@if integer@    x = F.const(DATA, list(DATA.shape), F.NCHW, F.int)
@if l1@    var = F.reduce_sum(F.abs(x), @AXIS_OR_EMPTY@, @KEEPDIMS@)
@if l2@    var = F.sqrt(F.reduce_sum(F.square(x), @AXIS_OR_EMPTY@, @KEEPDIMS@))
@if squares@    var = F.reduce_sum(F.square(x), @AXIS_OR_EMPTY@, @KEEPDIMS@)
@if elements@    var = F.reduce_sum(x, @AXIS_OR_EMPTY@, @KEEPDIMS@)
    result = np.ascontiguousarray(var.read()).reshape(var.shape)
    return result.dtype.name, result.shape, result.tobytes()


REFUSALS = (ValueError, TypeError, OverflowError, SystemError)
