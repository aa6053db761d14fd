"""SciPy's BLAS as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE"`.

    L1    scipy.linalg.blas.sasum(x, n=..., incx=...), dasum
    L2    scipy.linalg.blas.snrm2(x, n=..., incx=...), dnrm2

What computes is the library that SciPy was built with: OpenBLAS in the wheels of the package index. `n` and `incx` are handed on.
The wrappers, which f2py makes, refuse some of what BLAS takes: a spacing of 0, a negative one for nrm2, the least n, and data of
no elements. BLAS states no such refusal, and a call that the wrapper refuses never gets to it, so those are unsupported, like
every call of another family and every type for which BLAS has no routine. A result is a Python float, which holds every number
of the routine's type; it is written in that type.
"""

from normative.worker import Blas, Identity, Unsupported, run, unavailable

try:
    import numpy as np
    import scipy
    from scipy.linalg import blas
    from normative.numpy_types import array, tensor
except ImportError as missing:
    unavailable(f"SciPy: {missing}")

LETTERS = {"f32": "s", "f64": "d"}
ROUTINES = {"L1": "asum", "L2": "nrm2"}


def answer(call):
    if not isinstance(call.operator, Blas):
        raise Unsupported("a BLAS has vectors alone")
    if call.data.dtype not in LETTERS:
        raise Unsupported(f"BLAS has no routine for {call.data.dtype}")
    x = array(call.data, "SciPy")
    routine = getattr(blas, LETTERS[call.data.dtype] + ROUTINES[call.operator.norm])
    try:
        result = routine(x, n=call.operator.n, incx=call.operator.incx)
    except Exception as refusal:
        # What a wrapper raises where a check of its own fails is a class that its module does not export.
        if type(refusal).__module__ != "_fblas":
            raise
        condition, _, _ = str(refusal).partition(" failed")
        raise Unsupported(f"the wrapper wants {condition}") from refusal
    return tensor(np.asarray(result, x.dtype))


if __name__ == "__main__":
    identity = Identity("SciPy BLAS", scipy.__version__, "https://github.com/scipy/scipy/issues", families=("blas",))
    run(identity, answer)
