"""ONNX's ReferenceEvaluator as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE initializer"`.

A call is written as a model of one node, as onnx_model.py says, and run:

    ReferenceEvaluator(model).run(None, {"data": x})

The word on the command line says where the axes of opset 18 stand: `initializer`, in the model, or `input`, handed over
with the data. With `later-opset`, models import the last opset that has the operator's version. With `function`, the model
holds the body that ONNX itself gives of the operator instead, which is there from opset 18 on.

No model is checked before it is run (`onnx.checker`), as this is about what the evaluator does: what it refuses, with
its own words, is a rejection. Data of every type are handed over as NumPy arrays, bf16 by `ml_dtypes`, which onnx itself
is built on.
"""

import sys

from normative.worker import Identity, Rejected, run, unavailable

try:
    import onnx
    import numpy as np
    from normative.numpy_types import tensor
    from onnx.reference import ReferenceEvaluator
    from onnx_model import import_last, with_function, written
except ImportError as missing:
    unavailable(f"onnx: {missing}")


def answers(place):
    def answer(call):
        model, feeds = with_function(call) if place == "function" else written(call, place)
        if place == "later-opset":
            import_last(model)
        try:
            with np.errstate(all="ignore"):
                (result,) = ReferenceEvaluator(model).run(None, feeds)
        except (ValueError, TypeError, IndexError, OverflowError, RuntimeError) as refusal:
            raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal
        return tensor(result)

    return answer


PLACES = {
    "initializer": "axes as initializer",
    "input": "axes as input",
    "later-opset": "later opsets",
    "function": "function body",
}

if __name__ == "__main__":
    place = sys.argv[1]
    name = f"ONNX ReferenceEvaluator, {PLACES[place]}"
    bugs = "https://github.com/onnx/onnx/issues"
    run(Identity(name, onnx.__version__, bugs, slow=True, families=("onnx",), other_forms=True, operators=("onnx", "onnx/ReduceSumSquare", "onnx/ReduceSum")), answers(place))
