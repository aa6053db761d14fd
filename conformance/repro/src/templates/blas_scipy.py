DATA = @DATA@


def call():
    result = blas.@ROUTINE@(DATA, n=@N@, incx=@INCX@)
    return DATA.dtype.name, (), DATA.dtype.type(result).tobytes()


REFUSALS = ()
