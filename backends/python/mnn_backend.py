"""MNN's expressions on the CPU as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE"`.

    L1    F.reduce_sum(F.abs(x), axis, keepdims)
    L2    F.sqrt(F.reduce_sum(F.square(x), axis, keepdims))

MNN has no function called a norm. `MNN.tools` is never imported: importing it installs packages.

What a call says is handed to MNN where MNN has a place for it, and never checked first: what MNN refuses, with its own
words, is a rejection, and what it accepts is computed. How axes and attributes are translated, and which have no place,
is said in normative/axis_argument.py. Beyond that, unsupported are:

- types other than f32 and i32: the others that `F.const` takes are storage, which no sum keeps;
- results without elements, which no Var can be read of;
- a list without axes that reduces nothing: "Default is [], reduce all" is what MNN says of it.
"""

import importlib.metadata

from normative.axis_argument import arguments
from normative.worker import Identity, Rejected, Unsupported, run, unavailable

try:
    import MNN.expr as F
    import numpy as np
    from normative.numpy_types import array, tensor
except ImportError as missing:
    unavailable(f"MNN: {missing}")

MNNS = {"f32": F.float, "i32": F.int}


def norm(which, x, axis, keepdims):
    if which == "L1":
        return F.reduce_sum(F.abs(x), axis, keepdims)
    return F.sqrt(F.reduce_sum(F.square(x), axis, keepdims))


def answer(call):
    axis, keepdims = arguments(call)
    if axis == ():
        raise Unsupported("to MNN a list without axes is every axis")
    if call.data.dtype not in MNNS:
        raise Unsupported(f"MNN computes no {call.data.dtype}")
    data = array(call.data, "MNN")
    try:
        x = F.const(data, list(data.shape), F.NCHW, MNNS[call.data.dtype])
        # `axis` has no None; its default is every axis.
        result = norm(call.operator.norm, x, [] if axis is None else axis, keepdims)
        if 0 in result.shape:
            raise Unsupported("MNN reads no Var without elements")
        # What is read lies in the memory of `result`.
        return tensor(np.ascontiguousarray(result.read()).reshape(result.shape))
    except (ValueError, TypeError, OverflowError, SystemError) as refusal:
        raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal


if __name__ == "__main__":
    bugs, version = "https://github.com/alibaba/MNN/issues", importlib.metadata.version("MNN")
    run(Identity("MNN", version, bugs, values_of=("openvino", "onnx")), answer)
