"""ONNX's ReferenceEvaluator as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE initializer"`.

A call is written as a user of `onnx.helper` writes it, as a model of one node, and run:

    make_node(OP, ["data", "axes"], ["reduced"], ATTRIBUTES) -> make_graph -> make_model(opset_imports=[OPSET])
    ReferenceEvaluator(model).run(None, {"data": x})

The word on the command line says where the axes of opset 18 stand: `initializer`, in the model, or `input`, handed over
with the data.

No model is checked before it is run (`onnx.checker`), as this is about what the evaluator does: what it refuses, with
its own words, is a rejection. Every call of ONNX's has a spelling but these, which are unsupported:

- before opset 18, where axes are an attribute: null, as an attribute is there or not; axes of two and more dims, and
  axes of types other than int64 and f32, as an attribute is one integer, a list of them, one float or a list of them;
- the operators of OpenVINO and BNNS, which ONNX does not have.

An attribute that was left out is left out, and one that the opset does not have is written all the same. The version of
the intermediate representation is 10 throughout: it belongs to the file, not to the operator, and holds every opset.
Data of every type are handed over as NumPy arrays, bf16 by `ml_dtypes`, which onnx itself is built on.
"""

import sys

from normative_worker import DTYPES, NULL, Axes, Identity, Onnx, Rejected, Tensor, Unsupported, run, unavailable

try:
    import onnx
    import ml_dtypes
    import numpy as np
    from onnx import AttributeProto, helper
    from onnx.reference import ReferenceEvaluator
except ImportError as missing:
    unavailable(f"onnx: {missing}")

FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
NUMPYS = {name: np.dtype(FLOATS.get(name, f"{name[0]}{size}")) for name, size in DTYPES.items()}
NAMES = {numpys: ours for ours, numpys in NUMPYS.items()}
#: Axes as an attribute: the type of a single one, and of a list.
ATTRIBUTES = {
    "i64": {0: AttributeProto.INT, 1: AttributeProto.INTS},
    "f32": {0: AttributeProto.FLOAT, 1: AttributeProto.FLOATS},
}


def answers(place):
    def answer(call):
        if not isinstance(call.operator, Onnx):
            raise Unsupported("this is no operator of ONNX's")
        model, feeds = written(call, place)
        try:
            with np.errstate(all="ignore"):
                (result,) = ReferenceEvaluator(model).run(None, feeds)
        except (ValueError, TypeError, IndexError, OverflowError, RuntimeError) as refusal:
            raise Rejected(f"{type(refusal).__name__}: {refusal}") from refusal
        return Tensor(NAMES[result.dtype], result.shape, result.tobytes())

    return answer


def written(call, place):
    """The model, and what it is fed with."""
    operator = call.operator
    inputs, initializers = {"data": array(call.data)}, {}
    node = helper.make_node(f"Reduce{operator.norm}", ["data"], ["reduced"])
    for name, value in (("keepdims", operator.keepdims), ("noop_with_empty_axes", operator.noop_with_empty_axes)):
        if value is not None:
            node.attribute.append(helper.make_attribute(name, value))
    if operator.opset < 18 and call.axes is not None:
        node.attribute.append(attribute(call.axes))
    elif call.axes is NULL:
        node.input.append("")
    elif call.axes is not None:
        node.input.append("axes")
        axes = np.array(call.axes.values, NUMPYS[call.axes.dtype]).reshape(call.axes.shape)
        (initializers if place == "initializer" else inputs)["axes"] = axes
    graph = helper.make_graph(
        [node],
        "one_node",
        [info(name, x.dtype, x.shape) for name, x in inputs.items()],
        [info("reduced", inputs["data"].dtype, None)],
        [helper.make_tensor(name, type_of(x.dtype), x.shape, x.tobytes(), True) for name, x in initializers.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", operator.opset)], ir_version=10), inputs


def attribute(axes):
    if axes is NULL:
        raise Unsupported("an attribute cannot be null")
    kind = ATTRIBUTES.get(axes.dtype, {}).get(len(axes.shape))
    if kind is None:
        raise Unsupported(f"no attribute holds axes of {axes.dtype} with {len(axes.shape)} dims")
    values = list(axes.values) if axes.dtype == "i64" else list(map(float, axes.values))
    return helper.make_attribute("axes", values if axes.shape else values[0], attr_type=kind)


def array(data):
    return np.frombuffer(data.elements, NUMPYS[data.dtype]).reshape(data.shape)


def info(name, dtype, shape):
    return helper.make_tensor_value_info(name, type_of(dtype), shape)


def type_of(dtype):
    return helper.np_dtype_to_tensor_dtype(dtype)


PLACES = ("initializer", "input")

if __name__ == "__main__":
    place = PLACES[PLACES.index(sys.argv[1])]
    name = f"ONNX ReferenceEvaluator, axes as {place}"
    run(Identity(name, onnx.__version__, "https://github.com/onnx/onnx/issues", slow=True), answers(place))
