"""Normative for Python: judges functions that compute norms, and says what a norm is exactly.

    normative.judge(mynorm)                         whether it does what a specification says, clause by clause
    normative.assert_norm(actual, data, axis=1)     whether these values are within what its arithmetic allows
    normative.exact(data, axis=1)                   the exact norm, and the least and the greatest that is allowed
    @normative.cases("array-api")                   a pytest item for each clause

Nothing is imported before it is used, neither NumPy nor the rest of this package. `normative.worker` needs neither the
program nor the other modules: it is one file, which can be copied.
"""

from __future__ import annotations

_PLACES = {
    "exact": "_values", "assert_norm": "_values", "Exact": "_values",
    "judge": "_judge", "Report": "_report", "Defect": "_report",
    "array_api": "_adapted", "onnx": "_adapted", "Adapted": "_adapted",
    "cases": "_cases",
    "find_program": "_program",
}

__all__ = list(_PLACES)


def __getattr__(name: str):
    if name not in _PLACES:
        raise AttributeError(f"module 'normative' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list:
    return sorted([*globals(), *_PLACES])
