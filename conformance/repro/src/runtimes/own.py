needs numpy
---
@if bf16@# NumPy has no bfloat16: these are its bits.
DATA = @ARRAY@@COMMENT@
@LAYOUT@
# What the call names, by the names of @SPEC@; what is not here was left out.
ARGUMENTS = @ARGUMENTS@


def function(data, **arguments):
    """Fill in: call the function under test, and return its result as an array."""
    print("expected a call of the function under test in place of this line")
    raise SystemExit(2)


def call():
    answer = function(DATA, **ARGUMENTS)
    try:
@if blas/@        result = np.asarray(answer, DATA.dtype)
@if !blas/@        result = np.asarray(answer)
    except (ValueError, TypeError) as error:
        raise RuntimeError("expected an array from the function") from error
@if bf16@    return "bfloat16", result.shape, result.tobytes()
@if !bf16@    return result.dtype.name, result.shape, result.tobytes()


# The exceptions by which the function refuses a call. A TypeError is also that of a call with wrong arguments.
REFUSALS = (ValueError, IndexError, OverflowError)
