needs tensorflow-cpu==@VERSION@ numpy
@if bf16@import ml_dtypes
import tensorflow as tf
---
DATA = @ARRAY@@ML_DTYPE@@COMMENT@


def call():
    x = tf.constant(DATA)
@if sum l1@    result = np.asarray(tf.reduce_sum(tf.abs(x), axis=@AXIS@, keepdims=@KEEPDIMS@).numpy())
@if sum l2@    result = np.asarray(tf.sqrt(tf.reduce_sum(tf.square(x), axis=@AXIS@, keepdims=@KEEPDIMS@)).numpy())
@if squares@    result = np.asarray(tf.reduce_sum(tf.square(x), axis=@AXIS@, keepdims=@KEEPDIMS@).numpy())
@if elements@    result = np.asarray(tf.reduce_sum(x, axis=@AXIS@, keepdims=@KEEPDIMS@).numpy())
@if norm l1@    result = np.asarray(tf.norm(x, ord=1, axis=@AXIS@, keepdims=@KEEPDIMS@).numpy())
@if norm l2@    result = np.asarray(tf.norm(x, ord="euclidean", axis=@AXIS@, keepdims=@KEEPDIMS@).numpy())
    return result.dtype.name, result.shape, result.tobytes()


REFUSALS = (ValueError, TypeError, OverflowError, tf.errors.OpError)
