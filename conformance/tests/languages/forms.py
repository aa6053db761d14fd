"""A backend that takes axes in the form of another opset, and data in two layouts, and refuses every call with the axes that it was
given, or with the layout."""

from normative.worker import Identity, Rejected, run


def answer(call):
    raise Rejected(repr(call.axes) if call.layout == "row-major" else call.layout)


if __name__ == "__main__":
    run(Identity("forms", "1", "this test", other_forms=True, layouts=("transposed", "unaligned")), answer)
