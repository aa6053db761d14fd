needs dask==@VERSION@ numpy
import dask
import dask.array as da
---
DATA = @ARRAY@@COMMENT@
@LAYOUT@


def call():
    dask.config.set(scheduler="synchronous")
    np.seterr(all="ignore")
    x = da.from_array(DATA, chunks=@CHUNKS@)
@if sum l1@    result = np.asarray(da.sum(da.abs(x), axis=@AXIS@, keepdims=@KEEPDIMS@, dtype=x.dtype).compute())
@if sum l2@    result = np.asarray(da.sqrt(da.sum(da.square(x), axis=@AXIS@, keepdims=@KEEPDIMS@, dtype=x.dtype)).compute())
@if squares@    result = np.asarray(da.sum(da.square(x), axis=@AXIS@, keepdims=@KEEPDIMS@, dtype=x.dtype).compute())
@if elements@    result = np.asarray(da.sum(x, axis=@AXIS@, keepdims=@KEEPDIMS@, dtype=x.dtype).compute())
@if norm l1@    result = np.asarray(da.linalg.norm(x, 1, axis=@AXIS@, keepdims=@KEEPDIMS@).compute())
@if norm l2@    result = np.asarray(da.linalg.norm(x, axis=@AXIS@, keepdims=@KEEPDIMS@).compute())
    return result.dtype.name, result.shape, result.tobytes()


REFUSALS = (ValueError, TypeError, IndexError, OverflowError, NotImplementedError)
