"""LiteRT (TensorFlow Lite) as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE default"`.

A call is written as the model that TensorFlow's converter writes of it, and run by the interpreter:

    L1    ABS, SUM
    L2    SQUARE, SUM, SQRT

The word on the command line says which kernels are taken: `default`, those of XNNPACK where it has one, which is what a
user gets; `builtin`, LiteRT's own.

What a call says is written into the model where the model has a place for it, and never checked first: what LiteRT
refuses, with its own words, is a rejection, and what it accepts is computed. How axes and attributes are translated, and
which have no place, is said in normative/axis_argument.py. The axes of SUM are a tensor of int32; where there are
none, the converter writes every axis. Beyond that, unsupported are:

- axes that int32 does not hold;
- bf16, which NumPy does not have; i16, which the list of SUM's types has quantized alone; and types that a kernel is not
  there for, which it says itself. i8 it takes quantized alone.
"""

import importlib.metadata
import sys

from normative.axis_argument import arguments
from normative.worker import Identity, Rejected, Unsupported, run, unavailable

try:
    import flatbuffers
    import numpy as np
    from ai_edge_litert import schema_py_generated as schema
    from ai_edge_litert.interpreter import Interpreter, OpResolverType
    from normative.numpy_types import array, tensor
except ImportError as missing:
    unavailable(f"LiteRT: {missing}")

OPERATORS = schema.BuiltinOperator
NORMS = {"L1": (OPERATORS.ABS, OPERATORS.SUM), "L2": (OPERATORS.SQUARE, OPERATORS.SUM, OPERATORS.SQRT)}
TYPES = {
    "f16": schema.TensorType.FLOAT16, "f32": schema.TensorType.FLOAT32, "f64": schema.TensorType.FLOAT64,
    "i8": schema.TensorType.INT8,
    "i32": schema.TensorType.INT32, "i64": schema.TensorType.INT64,
    "u8": schema.TensorType.UINT8, "u16": schema.TensorType.UINT16, "u32": schema.TensorType.UINT32, "u64": schema.TensorType.UINT64,
}
#: What a kernel says that is not there for a type of data, or only for quantized data of it.
NO_KERNEL = ("is unsupported by op", "quantization.type != kTfLiteAffineQuantization")


def answers(kernels):
    def answer(call):
        axis, keepdims = arguments(call)
        if call.data.dtype not in TYPES:
            raise Unsupported(f"the types of LiteRT's SUM have no {call.data.dtype} that is not quantized")
        data = array(call.data, "LiteRT")
        written = model(call.operator.norm, TYPES[call.data.dtype], data.shape, axes_of(axis, data.ndim), keepdims)
        try:
            interpreter = Interpreter(model_content=written, experimental_op_resolver_type=kernels, num_threads=1)
            interpreter.allocate_tensors()
            interpreter.set_tensor(0, data)
            interpreter.invoke()
        except (ValueError, RuntimeError) as refusal:
            why = f"{type(refusal).__name__}: {refusal}"
            raise (Unsupported if any(words in why for words in NO_KERNEL) else Rejected)(why) from refusal
        return tensor(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]))

    return answer


def axes_of(axis, rank):
    """The axes as an array of the type that the model gives them."""
    axes = range(rank) if axis is None else axis
    try:
        return np.array(axes, np.int32)
    except OverflowError as beyond:
        raise Unsupported("the axes of SUM are int32") from beyond


def model(norm, dtype, shape, axes, keepdims):
    """The bytes of the model: every operator takes what the one before it gave, SUM the axes as well."""
    codes = NORMS[norm]
    buffers = [schema.BufferT(), schema.BufferT()]
    buffers[1].data = np.frombuffer(axes.tobytes(), np.uint8)
    # Tensor 0 is the input, 1 the axes; the shape of what follows is the interpreter's to find.
    tensors = [described(0, shape, dtype), described(1, axes.shape, TYPES["i32"], buffer=1)]
    operators = []
    for at, code in enumerate(codes):
        operator = schema.OperatorT()
        operator.opcodeIndex, operator.outputs = at, [len(tensors)]
        operator.inputs = [0 if at == 0 else len(tensors) - 1]
        if code == OPERATORS.SUM:
            operator.inputs.append(1)
            operator.builtinOptionsType = schema.BuiltinOptions.ReducerOptions
            operator.builtinOptions = schema.ReducerOptionsT()
            operator.builtinOptions.keepDims = keepdims
        operators.append(operator)
        tensors.append(described(len(tensors), shape if at == 0 else (), dtype))
    graph = schema.SubGraphT()
    graph.tensors, graph.operators, graph.inputs, graph.outputs = tensors, operators, [0], [len(tensors) - 1]
    model = schema.ModelT()
    model.version, model.buffers, model.subgraphs = 3, buffers, [graph]
    model.operatorCodes = [kernel(code) for code in codes]
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def described(number, shape, dtype, buffer=0):
    tensor = schema.TensorT()
    tensor.name, tensor.shape, tensor.type, tensor.buffer = f"t{number}", list(shape), dtype, buffer
    return tensor


def kernel(code):
    written = schema.OperatorCodeT()
    written.builtinCode, written.deprecatedBuiltinCode, written.version = code, min(code, 127), 1
    return written


KERNELS = {"default": OpResolverType.AUTO, "builtin": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES}

if __name__ == "__main__":
    way = sys.argv[1]
    version = importlib.metadata.version("ai-edge-litert")
    bugs = "https://github.com/google-ai-edge/LiteRT/issues"
    run(Identity(f"LiteRT, {way} kernels", version, bugs, slow=True, values_of=("openvino", "onnx")), answers(KERNELS[way]))
