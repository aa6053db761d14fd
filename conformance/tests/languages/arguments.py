"""A backend that refuses every call with what normative.axis_argument makes of it."""

from normative.axis_argument import arguments
from normative.worker import Identity, Rejected, run


def answer(call):
    axis, keepdims = arguments(call)
    said = "all" if axis is None else list(axis) if isinstance(axis, tuple) else axis
    raise Rejected(f"{said} {'kept' if keepdims else 'dropped'}")


if __name__ == "__main__":
    run(Identity("arguments", "1", "me@example.org"), answer)
