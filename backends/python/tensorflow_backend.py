"""TensorFlow as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE norm"`.

The word on the command line says which of the two ways of a TensorFlow user is asked:

    norm   tf.norm(x, ord=1 or "euclidean", axis=..., keepdims=...)
    sum    L1    tf.reduce_sum(tf.abs(x), axis=..., keepdims=...)
           L2    tf.sqrt(tf.reduce_sum(tf.square(x), axis=..., keepdims=...))

`norm` is the naive one: its name says what is wanted, but it takes two axes as a matrix. `sum` is the right one.

What a call says is handed to TensorFlow where TensorFlow has a place for it, and never checked first: what it refuses,
with its own words, is a rejection, and what it accepts is computed. A type of data it has no kernel for is
unsupported; it says so of the attribute T, or of a kernel that it did not find. How axes and attributes are translated,
and which have no place, is said in normative/axis_argument.py. Beyond that, unsupported are axes that `norm` has no meaning for: it
takes one, two or none named, and reads two as a matrix, of which the norm of order 1 is not L1. One axis is a number to it: a
list of one is refused, in its words.

Data of every type are handed over as a NumPy array, bf16 by `ml_dtypes`, which TensorFlow itself is built on.
"""

import os
import sys

from normative.axis_argument import arguments
from normative.worker import Identity, Rejected, Unsupported, run, unavailable

# What it says of the machine as it starts is no part of any answer.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

try:
    import tensorflow as tf
    import numpy as np
    from normative.numpy_types import array, tensor, with_bfloat16

    with_bfloat16()
except ImportError as missing:
    unavailable(f"TensorFlow: {missing}")

#: What TensorFlow says where an operation has no kernel for a type of data.
NO_KERNEL = ("Value for attr 'T' of ", "Could not find device for node")


def by_norm(which, x, axis, keepdims):
    count = len(axis) if isinstance(axis, tuple) else 1
    if count != 1 and (which == "L1" or count != 2):
        raise Unsupported(f"tf.norm does not take {count} axes as one vector for {which}")
    return tf.norm(x, ord={"L1": 1, "L2": "euclidean"}[which], axis=axis, keepdims=keepdims)


def by_sum(which, x, axis, keepdims):
    if which == "L1":
        return tf.reduce_sum(tf.abs(x), axis=axis, keepdims=keepdims)
    return tf.sqrt(tf.reduce_sum(tf.square(x), axis=axis, keepdims=keepdims))


def answers(norm):
    def answer(call):
        axis, keepdims = arguments(call)
        data = array(call.data, "TensorFlow")
        try:
            result = norm(call.operator.norm, tf.constant(data), axis, keepdims).numpy()
        except (ValueError, TypeError, OverflowError, tf.errors.OpError) as refusal:
            # Its first line; what follows describes TensorFlow's own graph.
            why = f"{type(refusal).__name__}: {refusal}".partition("\n")[0]
            raise (Unsupported if any(words in why for words in NO_KERNEL) else Rejected)(why) from refusal
        result = np.asarray(result)
        return tensor(result)

    return answer


WAYS = {"norm": by_norm, "sum": by_sum}

if __name__ == "__main__":
    way = sys.argv[1]
    name = f"TensorFlow {way}"
    bugs = "https://github.com/tensorflow/tensorflow/issues"
    run(Identity(name, tf.__version__, bugs, slow=True, values_of=("openvino", "onnx")), answers(WAYS[way]))
