"""JAX as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE vector_norm"`.

The first word on the command line says which of the two ways of a JAX user is asked:

    vector_norm   jnp.linalg.vector_norm(x, ord=1 or 2, axis=..., keepdims=...)
    sum           L1    jnp.sum(jnp.abs(x), axis=..., keepdims=..., dtype=x.dtype)
                  L2    jnp.sqrt(jnp.sum(jnp.square(x), axis=..., keepdims=..., dtype=x.dtype))

`vector_norm` is the naive one: its name says what is wanted, but its result has the type it chooses. `sum` is the right
one: `dtype` is how JAX is asked for a sum in the type of the data, as its sums of narrow integers are wider. Its roots of
integers are floats.

More words may follow:

    x64    sets `jax_enable_x64`. Without it, which is the default, JAX has no type of 64 bits, and data of one are
           unsupported: `jnp.asarray` makes a narrower array of them, which no user of that type would ask for.
    cuda   has all of it computed on the first CUDA device. Where there is none, the backend is unavailable.

A call of the array API is jnp.linalg.vector_norm either way. The array API is the text that JAX is judged by, unless
`--spec` asks for another.

What a call says is handed to JAX where JAX has a place for it, and never checked first: what JAX refuses, with its own
words, is a rejection, and what it accepts is computed. How axes and attributes are translated, and which have no place,
is said in normative/axis_argument.py. Data of every type are handed over as a NumPy array, bf16 by `ml_dtypes`, which JAX itself is
built on.
"""

import itertools
import os
import sys

from normative.axis_argument import arguments, keywords
from normative.worker import ArrayApi, Identity, Rejected, Unsupported, run, unavailable

# An accelerator is asked where the command line says so, never because there is one: results are to be the same on every
# machine. JAX reads these variables when it is imported.
os.environ.setdefault("JAX_PLATFORMS", "cuda" if "cuda" in sys.argv else "cpu")
# A worker answers one call at a time. It need not take most of the memory of a device that others use too.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
# It compiles for every shape. Whoever sets JAX_COMPILATION_CACHE_DIR wants all of that kept, not the slowest alone.
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from normative.numpy_types import array, tensor, with_bfloat16

    with_bfloat16()
except ImportError as missing:
    unavailable(f"JAX: {missing}")


def by_vector_norm(which, x, axis, keepdims):
    return jnp.linalg.vector_norm(x, ord={"L1": 1, "L2": 2}[which], axis=axis, keepdims=keepdims)


def by_sum(which, x, axis, keepdims):
    if which == "L1":
        return jnp.sum(jnp.abs(x), axis=axis, keepdims=keepdims, dtype=x.dtype)
    return jnp.sqrt(jnp.sum(jnp.square(x), axis=axis, keepdims=keepdims, dtype=x.dtype))


#: After so many calls what was compiled for them is dropped. JAX keeps all of it: of 1,500 generated calls its process has
#: 3,326 MiB if nothing is dropped, 1,911 after every 500 calls, and 648 after every 100. Keeping more saves no time (125, 120
#: and 110 s of CPU), as hardly any two calls have one form.
KEPT = 100


def answers(norm):
    answered = itertools.count(1)

    def answer(call):
        if next(answered) % KEPT == 0:
            jax.clear_caches()
        if isinstance(call.operator, ArrayApi):
            given = keywords(call)
            asked = lambda x: jnp.linalg.vector_norm(x, **given)
        else:
            axis, keepdims = arguments(call)
            asked = lambda x: norm(call.operator.norm, x, axis, keepdims)
        data = array(call.data, "JAX")
        if not jax.config.jax_enable_x64 and data.dtype.itemsize == 8:
            raise Unsupported(f"JAX without x64 has no {call.data.dtype}")
        try:
            result = np.asarray(asked(jnp.asarray(data)))
        except (ValueError, TypeError, OverflowError) as refusal:
            raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal
        return tensor(result)

    return answer


WAYS = {"vector_norm": by_vector_norm, "sum": by_sum}

if __name__ == "__main__":
    way, *rest = sys.argv[1:]
    jax.config.update("jax_enable_x64", "x64" in rest)
    try:
        jax.devices()
    except (RuntimeError, AssertionError) as missing:
        # Of a platform without a driver, JAX asserts without a word that it has none.
        unavailable(f"JAX: {str(missing) or 'no device of ' + os.environ['JAX_PLATFORMS']}")
    name = " ".join(["JAX", way, *rest])
    bugs = "https://github.com/jax-ml/jax/issues"
    run(Identity(name, jax.__version__, bugs, slow=True, families=("array-api",)), answers(WAYS[way]))
