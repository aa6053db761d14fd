needs scipy==@VERSION@ numpy
from scipy.linalg import blas
---
DATA = @ARRAY@@COMMENT@


def call():
    result = blas.@ROUTINE@(DATA, n=@N@, incx=@INCX@)
    return DATA.dtype.name, (), DATA.dtype.type(result).tobytes()


REFUSALS = ()
