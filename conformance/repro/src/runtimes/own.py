needs numpy
---
@if bf16@# NumPy has no bfloat16: these are its bits.
DATA = @ARRAY@@COMMENT@
@LAYOUT@


@if blas/@def function(n, data, incx):
@if !blas/@def function(data, axis, keepdims):
    """Fill in: call the function under test (@SPEC@), and return its result as an array."""
    raise NotImplementedError("expected a call of the function under test")


def call():
@if blas/@    result = np.asarray(function(@N@, DATA, @INCX@), DATA.dtype)
@if !blas/@    result = np.asarray(function(DATA, axis=@AXIS@, keepdims=@KEEPDIMS@))
@if bf16@    return "bfloat16", result.shape, result.tobytes()
@if !bf16@    return result.dtype.name, result.shape, result.tobytes()


# The exceptions by which the function refuses a call.
REFUSALS = (ValueError, TypeError, IndexError, OverflowError)
