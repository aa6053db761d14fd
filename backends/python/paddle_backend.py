"""PaddlePaddle as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE vector_norm"`.

The word on the command line says which of the two ways of a Paddle user is asked:

    vector_norm   paddle.linalg.vector_norm(x, p=1.0 or 2.0, axis=..., keepdim=...)
    sum           L1    paddle.sum(paddle.abs(x), axis=..., keepdim=..., dtype=x.dtype)
                  L2    paddle.sqrt(paddle.sum(paddle.square(x), axis=..., keepdim=..., dtype=x.dtype))

`vector_norm` is the naive one, for floats alone. `sum` takes integers too: `dtype` asks for a sum in the type of the
data. A call of the array API is paddle.linalg.vector_norm either way, `p` for its `ord` and `keepdim` for its
`keepdims`. Paddle names no standard: it is judged by the values of the array API, unless `--spec` asks for another.

What a call says is handed to Paddle where Paddle has a place for it, and never checked first: what Paddle refuses, with
its own words, is a rejection, and what it accepts is computed. How axes and attributes are translated, and which have no
place, is said in normative/axis_argument.py. Beyond that, unsupported are types that no Paddle tensor has (u16, u32 and u64), and
what it says itself that it has not: kernels for other types on the CPU, and tensors of ten dims and more.

Data are handed over as NumPy arrays, bf16 as Paddle's own users do: bits in an array of uint16.
"""

import sys

from normative.axis_argument import arguments, keywords
from normative.worker import ArrayApi, Identity, Rejected, Tensor, Unsupported, run, unavailable

try:
    import paddle
    import numpy as np
    from normative.numpy_types import DTYPES
except ImportError as missing:
    unavailable(f"PaddlePaddle: {missing}")

#: The name of each type in Paddle, and NumPy's type that its bits are handed over in.
PADDLES = {getattr(paddle, np.dtype(DTYPES[name]).name): name for name in ("f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8")}
PADDLES[paddle.bfloat16] = "bf16"
PLACES = {"bf16": "<u2", **{name: DTYPES[name] for name in PADDLES.values() if name in DTYPES}}
NAMES = {"axis": "axis", "keepdims": "keepdim", "ord": "p"}
#: What Paddle says where it has no kernel for a type of data, or no room for so many dims.
NOT_THERE = ("is not registered", "Unimplemented error")


def by_vector_norm(which, x, axis, keepdim):
    return paddle.linalg.vector_norm(x, p={"L1": 1.0, "L2": 2.0}[which], axis=axis, keepdim=keepdim)


def by_sum(which, x, axis, keepdim):
    if which == "L1":
        return paddle.sum(paddle.abs(x), axis=axis, keepdim=keepdim, dtype=x.dtype)
    return paddle.sqrt(paddle.sum(paddle.square(x), axis=axis, keepdim=keepdim, dtype=x.dtype))


def answers(norm):
    def answer(call):
        if call.data.dtype not in PLACES:
            raise Unsupported(f"Paddle has no {call.data.dtype}")
        if isinstance(call.operator, ArrayApi):
            given = {NAMES[name]: value for name, value in keywords(call).items()}
            asked = lambda x: paddle.linalg.vector_norm(x, **given)
        else:
            axis, keepdim = arguments(call)
            asked = lambda x: norm(call.operator.norm, x, axis, keepdim)
        data = np.frombuffer(call.data.elements, PLACES[call.data.dtype]).reshape(call.data.shape)
        try:
            result = asked(paddle.to_tensor(data))
        except (ValueError, TypeError, IndexError, OverflowError, RuntimeError, OSError) as refusal:
            # Its first line; what follows is the condition in Paddle's own source.
            why = f"{type(refusal).__name__}: {refusal}".partition("\n")[0]
            raise (Unsupported if any(words in why for words in NOT_THERE) else Rejected)(why) from refusal
        return Tensor(PADDLES[result.dtype], tuple(result.shape), result.numpy().tobytes())

    return answer


WAYS = {"vector_norm": by_vector_norm, "sum": by_sum}

if __name__ == "__main__":
    way = sys.argv[1]
    bugs = "https://github.com/PaddlePaddle/Paddle/issues"
    run(Identity(f"PaddlePaddle {way}", paddle.__version__, bugs, slow=True, values_of=("array-api",)), answers(WAYS[way]))
