"""A BLAS library as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE LIBRARY"`.

LIBRARY is a file, or a name that the system's loader finds: libblas.so.3, libopenblas.so.0, libblis.so.4. Asked are the
routines of Fortran's interface, which every BLAS has:

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

from normative_worker import Blas, Identity, Tensor, Unsupported, run, unavailable

TYPES = {"f32": ("s", ctypes.c_float), "f64": ("d", ctypes.c_double)}
ROUTINES = {"L1": "asum_", "L2": "nrm2_"}


def answer(library, call):
    if not isinstance(call.operator, Blas):
        raise Unsupported("a BLAS has vectors alone")
    if call.data.dtype not in TYPES:
        raise Unsupported(f"BLAS has no routine for {call.data.dtype}")
    letter, number = TYPES[call.data.dtype]
    routine = getattr(library, letter + ROUTINES[call.operator.norm])
    routine.restype = number
    # Of no elements there is no address, and a routine is to read none.
    data = call.data.elements or bytearray(8)
    x = (ctypes.c_char * len(data)).from_buffer(data)
    n, incx = ctypes.c_int32(call.operator.n), ctypes.c_int32(call.operator.incx)
    result = routine(ctypes.byref(n), x, ctypes.byref(incx))
    return Tensor(call.data.dtype, (), bytes(number(result)))


def identity(library, path):
    """Who it is, as far as it says so itself; the reference implementation has no such routine, but a number in its file."""
    if hasattr(library, "openblas_get_config"):
        library.openblas_get_config.restype = ctypes.c_char_p
        _, version, *_ = library.openblas_get_config().decode().split()
        library.openblas_get_corename.restype = ctypes.c_char_p
        kernels = library.openblas_get_corename().decode()
        return "OpenBLAS", f"{version} ({kernels})", "https://github.com/OpenMathLib/OpenBLAS/issues"
    if hasattr(library, "bli_info_get_version_str"):
        library.bli_info_get_version_str.restype = ctypes.c_char_p
        return "BLIS", library.bli_info_get_version_str().decode(), "https://github.com/flame/blis/issues"
    number = re.search(r"\.so\.(\d+\.\d+\.\d+)$", os.path.realpath(path))
    version = number.group(1) if number else "unknown"
    return "reference BLAS", version, "https://github.com/Reference-LAPACK/lapack/issues"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        unavailable("expected one argument, the BLAS library, such as libopenblas.so.0")
    try:
        blas = ctypes.CDLL(sys.argv[1])
        known = identity(blas, sys.argv[1])
        for letter, _ in TYPES.values():
            for routine in ROUTINES.values():
                getattr(blas, letter + routine)
    except (OSError, AttributeError) as missing:
        unavailable(f"{sys.argv[1]}: {missing}")
    run(Identity(*known, families=("blas",)), lambda call: answer(blas, call))
