needs numpy==@VERSION@
---
DATA = @ARRAY@@COMMENT@
@LAYOUT@


def call():
    np.seterr(all="ignore")
@if bnns/@
    total = np.sum(np.square(DATA.T), axis=@BNNS_AXIS@, keepdims=False, out=np.empty(@BNNS_OUT@, DATA.dtype))
    result = np.sqrt(total, out=np.empty(@BNNS_OUT@, DATA.dtype))
    result = result.T.reshape(@BNNS_SHAPE@)
@else@
@if array-api/@    result = np.asarray(np.linalg.vector_norm(DATA, ord=@ORD@, axis=@AXIS@, keepdims=@KEEPDIMS@))
@if sum l1@    result = np.sum(np.abs(DATA), axis=@AXIS@, keepdims=@KEEPDIMS@, out=np.empty(@OUT@, DATA.dtype))
@if sum l2@    total = np.sum(np.square(DATA), axis=@AXIS@, keepdims=@KEEPDIMS@, out=np.empty(@OUT@, DATA.dtype))
@if sum l2@    result = np.sqrt(total, out=np.empty(@OUT@, DATA.dtype))
@if squares@    result = np.sum(np.square(DATA), axis=@AXIS@, keepdims=@KEEPDIMS@, out=np.empty(@OUT@, DATA.dtype))
@if elements@    result = np.sum(DATA, axis=@AXIS@, keepdims=@KEEPDIMS@, out=np.empty(@OUT@, DATA.dtype))
@if norm l1 !array-api/@    result = np.asarray(np.linalg.norm(DATA, 1, axis=@AXIS@, keepdims=@KEEPDIMS@))
@if norm l2 !array-api/@    result = np.asarray(np.linalg.norm(DATA, axis=@AXIS@, keepdims=@KEEPDIMS@))
@end@
    return result.dtype.name, result.shape, result.tobytes()


REFUSALS = (ValueError, TypeError, OverflowError)  # an AxisError is a ValueError
