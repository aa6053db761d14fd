"""A backend that refuses every call with what axis_argument.py makes of it."""

from axis_argument import arguments
from normative_worker import Identity, Rejected, run


def answer(call):
    raise Rejected(repr(arguments(call)))


if __name__ == "__main__":
    run(Identity("arguments", "1", "me@example.org"), answer)
