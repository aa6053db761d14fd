"""@NAME@, as Normative judges it: calls in, answers out.

An adapter translates and never repairs. It takes no absolute value, mends no axis and converts no element that @NAME@'s own
user would not have to. What @NAME@ refuses is `Rejected`, in its words; what it has no place for is `Unsupported`.
normative/worker.py says what a call is, and normative/axis_argument.py what has no place.
"""

import numpy as np
from normative.axis_argument import keywords
from normative.numpy_types import array, tensor
from normative.worker import ArrayApi, Identity, Rejected, Unsupported, run


def norm(x, **named):
    """Stands here for @NAME@: put a call of it in its place. `named` are `axis`, `keepdims` and `ord`, as far as they are given."""
    return np.linalg.vector_norm(x, **named)


def answer(call):
    if not isinstance(call.operator, ArrayApi):
        raise Unsupported("there is nothing but the array API's vector_norm")
    x, named = array(call.data, "@NAME@"), keywords(call)
    try:
        with np.errstate(all="ignore"):  # A norm that overflows is an answer; the warning would only be printed.
            return tensor(norm(x, **named))
    except (ValueError, TypeError, IndexError, OverflowError) as refusal:
        raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal


# The version is that of what is judged, read from it if it can tell. It is asked about these operators and types alone.
bugs = "where @NAME@'s maintainers take bug reports"
run(Identity("@NAME@", "0.0.0 of the example", bugs, operators=("array-api",), dtypes=("f32", "f64")), answer)
