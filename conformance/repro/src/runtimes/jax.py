needs jax==@VERSION@ numpy
import jax
import jax.numpy as jnp
@if bf16@import ml_dtypes
---
DATA = @ARRAY@@ML_DTYPE@@COMMENT@


def call():
    jax.config.update("jax_platforms", "cpu")
@if jax@    jax.config.update("jax_enable_x64", True)
    x = jnp.asarray(DATA)
@if sum l1@    result = np.asarray(jnp.sum(jnp.abs(x), axis=@AXIS@, keepdims=@KEEPDIMS@, dtype=x.dtype))
@if sum l2@    result = np.asarray(jnp.sqrt(jnp.sum(jnp.square(x), axis=@AXIS@, keepdims=@KEEPDIMS@, dtype=x.dtype)))
@if squares@    result = np.asarray(jnp.sum(jnp.square(x), axis=@AXIS@, keepdims=@KEEPDIMS@, dtype=x.dtype))
@if elements@    result = np.asarray(jnp.sum(x, axis=@AXIS@, keepdims=@KEEPDIMS@, dtype=x.dtype))
@if norm@    result = np.asarray(jnp.linalg.vector_norm(x, ord=@ORD@, axis=@AXIS@, keepdims=@KEEPDIMS@))
    return result.dtype.name, result.shape, result.tobytes()


REFUSALS = (ValueError, TypeError, OverflowError)
