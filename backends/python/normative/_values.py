"""`exact` and `assert_norm`: what a norm is, and whether values are within what the arithmetic of a specification allows.

The program evaluates and compares; this module only translates.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

from ._arrays import numpy_dtype, tensor_of
from ._calls import call_of, encode
from ._oracle import ask
from .worker import Call


@dataclass(frozen=True)
class Exact:
    """A norm, exactly. The arrays are of NumPy, in the type and shape that the specification gives the result.

    Every float from `lower` to `upper`, both included, is the result of some order of rounded operations. They leave out
    an infinity or a zero that is permitted beside them because squares may leave the range of the type.
    """

    lower: Any
    upper: Any
    #: The exact norm, rounded once.
    rounded: Any


def exact(data: Any, ord: int = 2, axis: Any = None, keepdims: bool = False, spec: str = "array-api") -> Exact:
    """Returns the exact norm of `data`, with the least and the greatest float that `spec` allows.

    `spec` is `array-api`, `onnx`, `openvino` or `webnn`, or a version such as `onnx/ReduceL2-13`. Where its text leaves
    a choice, this is the plain reading. `ValueError` says that the call is not one of floats that `spec` defines.
    """
    call = call_of(tensor_of(data), ord, axis, keepdims, spec)
    first = ask({"answers": encode(call).hex()})[0]["is"]
    if "near" not in first:
        raise ValueError(f"expected a call whose result is floats, got {_written(call, axis)}: {_in_words(first, call, spec)}")
    near = first["near"]
    count = math.prod(near["shape"])
    nearest = [int(word, 16) for word in _all(near["nearest"].split(" ") if near["nearest"] else [], count)]
    (accepted,) = [of_class for of_class in near["accepted"] if of_class["class"] == "any-order"]
    below = [int(offset or 0) for offset in _all(accepted["below"], count)]
    above = [int(offset or 0) for offset in _all(accepted["above"], count)]

    def array(bits: list) -> Any:
        import numpy as np

        dtype = numpy_dtype(near["dtype"])
        return np.array(bits, f"<u{dtype.itemsize}").view(dtype).reshape(near["shape"])

    lower = [at - less for at, less in zip(nearest, below)]
    upper = [at + more for at, more in zip(nearest, above)]
    return Exact(array(lower), array(upper), array(nearest))


def assert_norm(
    actual: Any, data: Any, ord: int = 2, axis: Any = None, keepdims: bool = False, spec: str = "array-api"
) -> None:
    """Passes if `actual` is a result that `spec` allows for the norm of `data`, in type, shape and every element.

    There is no tolerance: the bound follows from the number of elements and the arithmetic of their type, and
    the failure prints its derivation. Where the text leaves a choice, every reading passes.
    """
    __tracebackhide__ = True  # A failure in pytest shows the test, and none of this.
    call = call_of(tensor_of(data), ord, axis, keepdims, spec)
    encoded, came = encode(call).hex(), tensor_of(actual)
    answer = {"dtype": came.dtype, "shape": list(came.shape), "bits": bytes(came.elements).hex()}
    verdict = ask({"judge": {"call": encoded, "answer": {"tensor": answer}}})
    if "accuracy" in verdict.get("conforms", ()):
        return
    # Where any answer is right, no assertion may hold; and where none is, the call is at fault, not the values.
    for answer in ask({"answers": encoded}):
        if "outside" in answer["is"] or "refused" in answer["is"]:
            said = _in_words(answer["is"], call, spec)
            raise ValueError(f"expected a call that {spec} defines, got {_written(call, axis)}: {said}")
    if "fails" in verdict:
        raise AssertionError(_failure(verdict["fails"]["lines"]))


def _written(call: Call, axis: Any) -> str:
    return f"axis={axis!r} of {call.data.dtype} data of shape {tuple(call.data.shape)!r}"


def _failure(lines: list) -> str:
    said = "\n".join(f"  {label:<9} {text}" for label, text in lines if label != "data")
    return "not a norm of the data:\n" + said


def _in_words(condition: dict, call: Call, spec: str) -> str:
    ((kind, what),) = condition.items()
    if spec.startswith("array-api") and call.data.dtype[0] in "iu":
        what = f"{what}; data of integers, as NumPy reads a list of them, have no norm there, so convert them to floats"
    return {
        "refused": f"it is refused ({what})",
        "outside": f"its result is outside the text ({what})",
        "exactly": "its result is exact",
        "between": "its result is integers",
    }[kind]


def _all(listed: list, count: int) -> list:
    """Returns `count` entries: a list of the program starts again where it ends."""
    return list(itertools.islice(itertools.cycle(listed), count)) if listed else []

