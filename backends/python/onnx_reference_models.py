"""onnx's ReferenceEvaluator, given models: `--backend "onnx-cmd:python3 THIS_FILE"`. All that an ONNX runtime needs."""

import numpy as np
import onnx
from normative.worker import Identity, Model, Rejected, run
from normative.numpy_types import array, tensor, with_bfloat16
from onnx.reference import ReferenceEvaluator

with_bfloat16()


def answer(model):
    try:
        with np.errstate(all="ignore"):
            feeds = {name: array(x, "ONNX") for name, x in model.inputs.items()}
            return tensor(ReferenceEvaluator(onnx.load_from_string(model.bytes)).run(None, feeds)[0])
    except (ValueError, TypeError, IndexError, OverflowError, RuntimeError) as refusal:
        raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal


run(Identity("ONNX ReferenceEvaluator", onnx.__version__, "https://github.com/onnx/onnx/issues", slow=True, operators=("onnx", "onnx/ReduceSumSquare", "onnx/ReduceSum")), answer, takes=Model)
