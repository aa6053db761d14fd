@if openblas@needs scipy-openblas32==@RELEASE@
needs numpy
std import ctypes
@if openblas@import scipy_openblas32
---
DATA = @ARRAY@@COMMENT@


def call():
@if openblas@    library = ctypes.CDLL(str(next(Path(scipy_openblas32.get_lib_dir()).glob("libscipy_openblas.*"))))
@if system-blas@    library = ctypes.CDLL("libblas.so.3")
@if blis@    library = ctypes.CDLL("libblis.so.4")
    # OpenBLAS as SciPy builds it has "scipy_" in front of the names of Fortran's interface.
    name = next(name for name in ("@ROUTINE@_", "scipy_@ROUTINE@_") if hasattr(library, name))
    routine = getattr(library, name)
@if f32@    routine.restype = ctypes.c_float
@if f64@    routine.restype = ctypes.c_double
    n, incx = ctypes.c_int32(@N@), ctypes.c_int32(@INCX@)
    result = routine(ctypes.byref(n), DATA.ctypes.data_as(ctypes.c_void_p), ctypes.byref(incx))
    return DATA.dtype.name, (), DATA.dtype.type(result).tobytes()


REFUSALS = ()
