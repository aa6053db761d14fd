"""A worker over functions that it imports by name: what `judge(…, isolate=True)` starts.

    python -m normative.isolated '{"functions": ["package.module:name"], …}'
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
from typing import Any


def main() -> None:
    given = json.loads(sys.argv[1])
    sys.path[:] = given["path"]
    from ._adapted import Adapted
    from .worker import Identity, run

    function, *other = map(_imported, given["functions"])
    adapted = Adapted(function, other=other[0] if other else None, **given["adapted"])
    claims = {name: None if families is None else tuple(families) for name, families in given["claims"].items()}
    run(Identity(**given["identity"], **claims, layouts=adapted.layouts), adapted.answer)


def _imported(name: str) -> Any:
    module, _, path = name.partition(":")
    return functools.reduce(getattr, path.split("."), importlib.import_module(module))


if __name__ == "__main__":
    main()
