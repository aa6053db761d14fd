"""Apache TVM as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE"`.

A call is written as a model of one node, as onnx_model.py says, compiled for the processor by Relax, and run:

    tvm.compile(from_onnx(model), target="llvm") -> VirtualMachine -> main(data)

No model is checked before by us: what TVM refuses, with its own words, is a rejection, whether its ONNX frontend says so
or its compiler. An operator or a type that it has not implemented is unsupported, where it says so. Data of every type
are handed over as NumPy arrays, bf16 by `ml_dtypes`.
"""

import importlib.metadata
import warnings

from normative.worker import Identity, Rejected, Unsupported, run, unavailable

try:
    import tvm
    from normative.numpy_types import tensor
    from onnx_model import written
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx
except ImportError as missing:
    unavailable(f"Apache TVM: {missing}")

#: What it says of a root of integers, which it has not.
NOT_THERE = "requires the input tensor to have float dtype"
# It warns of a model that ONNX's checker does not like, and goes on.
warnings.simplefilter("ignore")


def answer(call):
    model, feeds = written(call)
    try:
        compiled = tvm.compile(from_onnx(model), target="llvm")
        main = relax.VirtualMachine(compiled, tvm.cpu())["main"]
        return tensor(main(*(tvm.runtime.tensor(value) for value in feeds.values())).numpy())
    except NotImplementedError as missing:
        raise Unsupported(f"NotImplementedError: {missing}") from missing
    except (ValueError, TypeError, IndexError, OverflowError, RuntimeError, AttributeError, AssertionError) as refusal:
        # Its last line; what stands before is the part of the graph that it is about.
        why = f"{type(refusal).__name__}: {refusal}".strip().rpartition("\n")[2]
        raise (Unsupported if NOT_THERE in why else Rejected)(why) from refusal


if __name__ == "__main__":
    version = importlib.metadata.version("apache-tvm")
    run(Identity("Apache TVM", version, "https://github.com/apache/tvm/issues", slow=True, values_of=("onnx",), other_forms=True), answer)
