"""tinygrad on the CPU as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE"`.

    L1    x.abs().sum(axis=..., keepdim=..., dtype=x.dtype)
    L2    x.square().sum(axis=..., keepdim=..., dtype=x.dtype).sqrt()

`dtype` is how tinygrad is asked for a sum in the type of the data, as its sums of narrow integers are wider. Roots of integers
are floats. It has no function called a norm.

tinygrad writes a kernel in C for every shape and compiles it by `clang`. Where there is none on the PATH, tinygrad has no
CPU device, and the backend is unavailable. Where that clang converts no float to `__bf16`, as before release 17, bf16 is
unsupported.

What a call says is handed to tinygrad where it has a place for it, and never checked first: what it refuses, with its own
words, is a rejection, and what it accepts is computed. How axes and attributes are translated, and which have no place,
is said in normative/axis_argument.py. Data are handed over as bytes, which is how bf16 gets in and out.
"""

import functools
import importlib.metadata
import os
import shutil
import subprocess

from normative.axis_argument import arguments
from normative.worker import Identity, Rejected, Tensor, Unsupported, run, unavailable

# Where there is an accelerator, it is not asked: results are to be the same on every machine. Kernels are compiled in
# this process, not in a pool of processes that a worker that is killed would leave behind.
os.environ.update(DEV="CPU", PARALLEL="0")

try:
    import tinygrad
    from tinygrad import dtypes
except ImportError as missing:
    unavailable(f"tinygrad: {missing}")
if shutil.which("clang") is None:
    unavailable("tinygrad: there is no clang on the PATH")

DTYPES = {
    "f16": dtypes.float16, "bf16": dtypes.bfloat16, "f32": dtypes.float32, "f64": dtypes.float64,
    "i8": dtypes.int8, "i16": dtypes.int16, "i32": dtypes.int32, "i64": dtypes.int64,
    "u8": dtypes.uint8, "u16": dtypes.uint16, "u32": dtypes.uint32, "u64": dtypes.uint64,
}
NAMES = {theirs: ours for ours, theirs in DTYPES.items()}


def norm(which, x, axis, keepdim):
    if which == "L1":
        return x.abs().sum(axis=axis, keepdim=keepdim, dtype=x.dtype)
    return x.square().sum(axis=axis, keepdim=keepdim, dtype=x.dtype).sqrt()


@functools.cache
def has_bf16():
    """Whether clang compiles what the kernels of bf16 are made of."""
    compile = ["clang", "-c", "-x", "c", "-march=native", "-", "-o", os.devnull]
    source = b"__bf16 narrowed(float x) { return (__bf16)x; }"
    return subprocess.run(compile, input=source, stderr=subprocess.DEVNULL).returncode == 0


def answer(call):
    axis, keepdim = arguments(call)
    if call.data.dtype == "bf16" and not has_bf16():
        raise Unsupported("the clang on the PATH converts nothing to bf16")
    try:
        result = norm(call.operator.norm, tensor_of(call.data), axis, keepdim)
        elements = bytes_of(result)
    except (ValueError, TypeError, IndexError, OverflowError, RuntimeError) as refusal:
        raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal
    return Tensor(NAMES[result.dtype], result.shape, elements)


def tensor_of(data):
    # There is no tensor over an empty buffer.
    if not data.elements:
        return tinygrad.Tensor.empty(*data.shape, dtype=DTYPES[data.dtype])
    return tinygrad.Tensor(bytes(data.elements), dtype=dtypes.uint8).bitcast(DTYPES[data.dtype]).reshape(data.shape)


def bytes_of(result):
    # Its `data` has no floats of 16 bits.
    if result.dtype in (dtypes.float16, dtypes.bfloat16):
        result = result.bitcast(dtypes.uint16)
    return result.data().tobytes()


if __name__ == "__main__":
    version = importlib.metadata.version("tinygrad")
    bugs = "https://github.com/tinygrad/tinygrad/issues"
    run(Identity("tinygrad", version, bugs, slow=True, values_of=("openvino", "onnx")), answer)
