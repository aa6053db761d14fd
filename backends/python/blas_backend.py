"""A BLAS library as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE LIBRARY"`.

LIBRARY is a file, or a name that the system's loader finds: libblas.so.3, libopenblas.so.0, libblis.so.4; left out, it is the file
that NORMATIVE_OPENBLAS names. Asked are the routines of Fortran's interface, which every BLAS has, some with `scipy_` in front:

    L1    sasum_(n, x, incx), dasum_(n, x, incx)
    L2    snrm2_(n, x, incx), dnrm2_(n, x, incx)

Integers are of 32 bits, passed by address, as a compiler of Fortran does; `REAL` comes back as a float, which is what gfortran
makes of it. A library that was built for f2c, or for integers of 64 bits, is another interface and gives nonsense here.

A call says all that a routine takes, and nothing of it is checked: a routine that reads beyond its elements reads on in this
process. Unsupported is every call of another family, and every type for which BLAS has no routine.
"""

import ctypes
import os
import re
import sys

from normative.worker import Blas, Identity, Tensor, Unsupported, run, unavailable

TYPES = {"f32": ("s", ctypes.c_float), "f64": ("d", ctypes.c_double)}
ROUTINES = {"L1": "asum_", "L2": "nrm2_"}


def answer(library, call):
    if not isinstance(call.operator, Blas):
        raise Unsupported("a BLAS has vectors alone")
    if call.data.dtype not in TYPES:
        raise Unsupported(f"BLAS has no routine for {call.data.dtype}")
    letter, number = TYPES[call.data.dtype]
    routine = symbol(library, letter + ROUTINES[call.operator.norm])
    routine.restype = number
    # Of no elements there is no address, and a routine is to read none.
    data = call.data.elements or bytearray(8)
    x = (ctypes.c_char * len(data)).from_buffer(data)
    n, incx = ctypes.c_int32(call.operator.n), ctypes.c_int32(call.operator.incx)
    result = routine(ctypes.byref(n), x, ctypes.byref(incx))
    return Tensor(call.data.dtype, (), bytes(number(result)))


def symbol(library, name):
    """A routine of that name; OpenBLAS as SciPy builds it has them under another."""
    return getattr(library, name) if hasattr(library, name) else getattr(library, "scipy_" + name)


def text(library, name):
    """What a routine of no arguments says."""
    routine = symbol(library, name)
    routine.restype = ctypes.c_char_p
    return routine().decode()


def identity(library, path):
    """Who it is, as far as it says so itself; the reference implementation has no such routine, but a number in its file."""
    try:
        version = text(library, "openblas_get_config").split()[1]
        kernels = text(library, "openblas_get_corename")
        return "OpenBLAS", f"{version} ({kernels})", "https://github.com/OpenMathLib/OpenBLAS/issues"
    except AttributeError:
        pass
    if hasattr(library, "bli_info_get_version_str"):
        return "BLIS", text(library, "bli_info_get_version_str"), "https://github.com/flame/blis/issues"
    number = re.search(r"\.so\.(\d+\.\d+\.\d+)$", os.path.realpath(path))
    version = number.group(1) if number else "unknown"
    return "reference BLAS", version, "https://github.com/Reference-LAPACK/lapack/issues"


if __name__ == "__main__":
    path = sys.argv[1] if sys.argv[1:] else os.environ.get("NORMATIVE_OPENBLAS", "")
    if not path:
        unavailable("expected one argument, the BLAS library, such as libopenblas.so.0, or its path in NORMATIVE_OPENBLAS")
    try:
        blas = ctypes.CDLL(path)
        known = identity(blas, path)
        for letter, _ in TYPES.values():
            for routine in ROUTINES.values():
                symbol(blas, letter + routine)
    except (OSError, AttributeError) as missing:
        unavailable(f"{path}: {missing}")
    run(Identity(*known, families=("blas",)), lambda call: answer(blas, call))
