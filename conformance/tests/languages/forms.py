"""A backend that takes axes in the form of another opset, and refuses every call with the axes that it was given."""

from normative_worker import Identity, Rejected, run


def answer(call):
    raise Rejected(repr(call.axes))


if __name__ == "__main__":
    run(Identity("forms", "1", "this test", other_forms=True), answer)
