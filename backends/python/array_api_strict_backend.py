"""array-api-strict as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE"`.

    array_api_strict.linalg.vector_norm(x, axis=..., keepdims=..., ord=...)

It is the array API's own minimal implementation, on NumPy, and claims that family alone; every call of another is
unsupported. What a call says is handed over by keyword, what was left out is left out, and nothing is checked first: what
it refuses, with its own words, is a rejection. Unsupported beyond that is bf16, which it does not have.
"""

from normative.axis_argument import keywords
from normative.worker import LAYOUTS, ArrayApi, Identity, Rejected, Unsupported, run, unavailable

try:
    import array_api_strict as xp
    import numpy as np
    from normative.numpy_types import laid_out, tensor
except ImportError as missing:
    unavailable(f"array-api-strict: {missing}")


@np.errstate(all="ignore")  # A norm that overflows is an answer; the warning would only be printed.
def answer(call):
    if not isinstance(call.operator, ArrayApi):
        raise Unsupported("array-api-strict is the array API alone")
    data = laid_out(call, "array-api-strict")
    try:
        result = xp.linalg.vector_norm(xp.asarray(data), **keywords(call))
    except (ValueError, TypeError, OverflowError, IndexError) as refusal:
        raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal
    return tensor(np.from_dlpack(result))


if __name__ == "__main__":
    bugs = "https://github.com/data-apis/array-api-strict/issues"
    run(Identity("array-api-strict", xp.__version__, bugs, slow=True, families=("array-api",), layouts=LAYOUTS), answer)
