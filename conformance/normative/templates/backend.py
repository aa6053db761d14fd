"""@NAME@, as Normative judges it: calls in, answers out.

An adapter translates and never repairs. It takes no absolute value, mends no axis and converts no element that @NAME@'s own
user would not have to. What @NAME@ refuses is `Rejected`, in its words; what it has no place for is `Unsupported`.
normative/worker.py says what a call is.
"""

from normative.worker import Identity, Unsupported, run


def answer(call):
    # For example: `return Tensor(call.data.dtype, (), elements)`, or `raise Rejected(str(error))`.
    family = type(call.operator).__name__
    raise Unsupported(f"the operators of {family} are not adapted yet")


# The version is that of what is judged, read from it if it can tell.
run(Identity("@NAME@", "0.0.0", "where @NAME@'s maintainers take bug reports"), answer)
