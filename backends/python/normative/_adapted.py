"""Adapts a function to calls of a specification: `array_api` and `onnx` for the common forms.

A call is translated and never repaired: what it leaves out is left out, and nothing is checked before the function
is asked. An exception of `refuses` is a refusal in the function's words, `NotImplementedError` says that it does not
support the call, any other exception is a crash.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import itertools
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from ._arrays import tensor_of
from ._line import of_array
from .axis_argument import keywords
from .worker import LAYOUTS, NULL, ArrayApi, Axes, Call, Onnx, OtherForm, Rejected, Tensor, Unsupported

#: The array libraries, and how a line of Python makes an array of theirs from one of NumPy.
LIBRARIES = {
    "numpy": "{}",
    "torch": "torch.from_numpy({})",
    "jax": "jnp.asarray({})",
    "array_api_strict": "xp.asarray({})",
    "list": "{}.tolist()",
}
#: Layouts as an expression over an array; the others have no short one.
LAID_OUT = {
    "transposed": "np.asfortranarray({})",
    "reversed": "np.flip(np.flip({}).copy())",
    "sliced": "np.repeat({}, 2, axis=-1)[..., ::2]",
}
REFUSALS = (ValueError, TypeError, IndexError, OverflowError)


@dataclass(frozen=True)
class Adapted:
    """A function that answers calls of one family."""

    function: Callable
    family: str
    #: The library whose arrays the function takes, of `LIBRARIES`.
    library: str
    #: The function's names for the arguments of the specification, where they differ.
    names: dict = field(default_factory=dict)
    #: Its norms other than that of `function`: for ONNX, ReduceL1.
    other: Optional[Callable] = None
    opset: int = 18
    asked: Any = field(default_factory=itertools.count, compare=False, repr=False)

    def answer(self, call: Call) -> Tensor:
        """Answers a call, as a worker does."""
        function, positional, named = self._arguments(call)
        x = self._array(call)
        refusals = (*REFUSALS, RuntimeError) if self.library == "torch" else REFUSALS
        try:
            with _silence():
                result = function(x, *positional, **named)
        except NotImplementedError as missing:
            raise Unsupported(f"NotImplementedError: {missing}") from missing
        except refusals as refusal:
            raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal
        # A result that is no array is a crash, and never a refusal.
        return tensor_of(result)

    def line(self, call: Call) -> str:
        """Returns a line of Python that makes the call."""
        function, positional, named = self._arguments(call)
        array = LIBRARIES[self.library].format(LAID_OUT.get(call.layout, "{}").format(of_array(call.data)))
        arguments = [array, *map(_written, positional), *(f"{name}={_written(value)}" for name, value in named.items())]
        lies = "" if call.layout == "row-major" else f"  # with data {call.layout} in memory"
        return f"{name_of(function)}({', '.join(arguments)}){lies}"

    def _arguments(self, call: Call) -> tuple:
        if isinstance(call.operator, ArrayApi) and self.family == "array-api":
            named = {self.names.get(name, name): value for name, value in keywords(call).items()}
            return self.function, (), named
        if isinstance(call.operator, Onnx) and self.family == "onnx" and call.operator.opset == self.opset:
            return self._of_onnx(call)
        raise Unsupported(f"the function is {self.family} alone")

    def _of_onnx(self, call: Call) -> tuple:
        function = self.function if call.operator.norm == "L2" else self.other
        if function is None:
            raise Unsupported("there is no function for ReduceL1")
        named = {"keepdims": call.operator.keepdims, "noop_with_empty_axes": call.operator.noop_with_empty_axes}
        named = {self.names.get(name, name): value for name, value in named.items() if value is not None}
        if call.axes is None:
            return function, (), named
        return function, (None if call.axes is NULL else self._axes(call.axes),), named

    def _axes(self, axes: Any) -> Any:
        """Returns axes as they are given: a list where they are an attribute, an array where they are an input."""
        if isinstance(axes, OtherForm) or axes.dtype != "i64":
            raise Unsupported(f"axes of {getattr(axes, 'dtype', 'another form')}")
        if self.opset < 18:
            return list(axes.values)
        import numpy as np

        return np.array(axes.values, "i8").reshape(axes.shape)

    def _array(self, call: Call) -> Any:
        data = call.data
        if data.dtype == "bf16" and self.library in ("numpy", "array_api_strict"):
            raise Unsupported(f"{self.library} has no bf16")
        if self.library == "list" and data.dtype != "f64":
            raise Unsupported("a float of Python is an f64")
        if self.library == "torch":
            from . import torch_types

            return torch_types.laid_out(call, torch_types.tensor_of(data))
        from .numpy_types import laid_out, with_bfloat16

        if data.dtype == "bf16":
            with_bfloat16()
        x = laid_out(call, self.library)
        if self.library == "jax":
            return _jax_of(x, next(self.asked))
        if self.library == "list":
            given = x.tolist()
            call.copies.append(lambda: tensor_of(given).elements)
            return given
        return x if self.library == "numpy" else importlib.import_module(self.library).asarray(x)

    @property
    def layouts(self) -> tuple:
        """The layouts in memory in which its data may lie."""
        if self.library == "torch":
            from . import torch_types

            return torch_types.LAYOUTS
        return LAYOUTS if self.library in ("numpy", "array_api_strict") else ()


def name_of(function: Callable) -> str:
    """Returns the function's name as Python has it; `function`, where it has none, as a lambda."""
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() else "function"


def array_api(function: Callable, library: Optional[str] = None, names: Optional[dict] = None) -> Adapted:
    """Adapts `function(x, *, axis=None, keepdims=False, ord=2)`, the `vector_norm` of the array API.

    `library` is whose arrays it takes: `numpy`, `torch`, `jax`, `array_api_strict`, or `list` for nested lists; left out,
    that whose module the function is of, or NumPy. `names` maps `axis`, `keepdims` and `ord` to its own names for them; those of PyTorch are known.
    """
    library = _library_of(function, library)
    if names is None:
        names = {"axis": "dim", "keepdims": "keepdim"} if library == "torch" and not _has(function, "axis") else {}
    return Adapted(function, "array-api", library, names)


def onnx(
    l2: Callable, l1: Optional[Callable] = None, library: Optional[str] = None, names: Optional[dict] = None, opset: int = 18
) -> Adapted:
    """Adapts `l2(data, axes, *, keepdims=1, noop_with_empty_axes=0)`, the ReduceL2 of ONNX, and its ReduceL1 as `l1`.

    Axes are an array of int64 from opset 18 on, and a list before. Other opsets than `opset` are unsupported.
    """
    return Adapted(l2, "onnx", _library_of(l2, library), names or {}, l1, opset)


def adapted(function: Any, family: str) -> Adapted:
    """Returns what adapts a function to this family: itself, if it is adapted already."""
    if isinstance(function, Adapted):
        return function
    if family not in ("array-api", "onnx"):
        raise ValueError(f"expected spec array-api or onnx for a function, got {family!r}; a worker takes any: normative.worker")
    if not callable(function):
        raise TypeError(f"expected a function, or the text of a backend such as 'cmd:python3 worker.py', got {function!r}")
    return array_api(function) if family == "array-api" else onnx(function)


def _library_of(function: Callable, library: Optional[str]) -> str:
    # A function of C has the module of its object alone.
    module = getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__
    package = module.partition(".")[0]
    named = library or (package if package in LIBRARIES else "numpy")
    if named not in LIBRARIES:
        raise ValueError(f"expected a library of {', '.join(LIBRARIES)}, got {named!r}")
    return named


def _has(function: Callable, name: str) -> bool:
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def _silence() -> Any:
    """A norm that overflows is an answer; NumPy's warning would only be printed, or be an error under pytest."""
    try:
        import numpy as np
    except ImportError:
        return contextlib.nullcontext()
    return np.errstate(all="ignore")


def _jax_of(x: Any, asked: int) -> Any:
    import jax

    # It keeps what it compiled for every shape: gigabytes after some thousand calls.
    if asked % 100 == 99:
        jax.clear_caches()
    if x.dtype.itemsize == 8 and not jax.config.jax_enable_x64:
        raise Unsupported(f"JAX without x64 has no {x.dtype.name}")
    return jax.numpy.asarray(x)


def _written(value: Any) -> str:
    if hasattr(value, "tolist"):
        return f"np.array({value.tolist()}, {value.dtype.name!r})"
    return repr(value)
