DATA = @DATA@


def call():
    library = ctypes.CDLL(str(@LIBRARY@))
    # OpenBLAS as SciPy builds it has "scipy_" in front of the names of Fortran's interface.
    name = next(name for name in ("@ROUTINE@_", "scipy_@ROUTINE@_") if hasattr(library, name))
    routine = getattr(library, name)
    routine.restype = ctypes.c_@NUMBER@
    n, incx = ctypes.c_int32(@N@), ctypes.c_int32(@INCX@)
    result = routine(ctypes.byref(n), DATA.ctypes.data_as(ctypes.c_void_p), ctypes.byref(incx))
    return DATA.dtype.name, (), DATA.dtype.type(result).tobytes()


REFUSALS = ()
