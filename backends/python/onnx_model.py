"""Calls of ONNX as models, for whatever runs these: one node, written as a user of `onnx.helper` writes it.

    make_node(OP, ["data", "axes"], ["reduced"], ATTRIBUTES) -> make_graph -> make_model(opset_imports=[OPSET])

Every call of ONNX's has a spelling but these, which are unsupported:

- before opset 18, where axes are an attribute: null, as an attribute is there or not; axes of two and more dims, and
  axes of types other than int64 and f32, as an attribute is one integer, a list of them, one float or a list of them;
- the operators of other families, which ONNX does not have.

An attribute that was left out is left out, and one that the opset does not have is written all the same, as are axes in the
form of another opset. The version of
the intermediate representation is 10 throughout: it belongs to the file, not to the operator, and holds every opset. No
model is checked here.
"""

import numpy as np
import onnx
from onnx import AttributeProto, helper

from normative.numpy_types import DTYPES, array, with_bfloat16
from normative.worker import NULL, Onnx, OtherForm, Unsupported

with_bfloat16()

#: Axes as an attribute: the type of a single one, and of a list.
ATTRIBUTES = {
    "i64": {0: AttributeProto.INT, 1: AttributeProto.INTS},
    "f32": {0: AttributeProto.FLOAT, 1: AttributeProto.FLOATS},
}


def written(call, place="initializer"):
    """The model, and what it is fed with. `place` is where the axes of opset 18 stand: `input`, handed over with the data,
    or in the model."""
    operator = call.operator
    if not isinstance(operator, Onnx):
        raise Unsupported("the runtime reads models of ONNX, and this operator is not one of ONNX's")
    inputs, initializers = {"data": array(call.data, "ONNX")}, {}
    node = helper.make_node(f"Reduce{operator.norm}", ["data"], ["reduced"])
    for name, value in (("keepdims", operator.keepdims), ("noop_with_empty_axes", operator.noop_with_empty_axes)):
        if value is not None:
            node.attribute.append(helper.make_attribute(name, value))
    is_other = isinstance(call.axes, OtherForm)
    given = call.axes.axes if is_other else call.axes
    if operator.takes_axes_as_input == is_other and given is not None:
        node.attribute.append(attribute(given))
    elif given is NULL:
        node.input.append("")
    elif given is not None:
        node.input.append("axes")
        axes = np.array(given.values, DTYPES[given.dtype]).reshape(given.shape)
        (inputs if place == "input" else initializers)["axes"] = axes
    graph = helper.make_graph(
        [node],
        "one_node",
        [info(name, x.dtype, x.shape) for name, x in inputs.items()],
        [info("reduced", inputs["data"].dtype, None)],
        [helper.make_tensor(name, type_of(x.dtype), x.shape, x.tobytes(), True) for name, x in initializers.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", operator.opset)], ir_version=10), inputs


def import_last(model):
    """Lets a model import the last opset that has the version of the operator which it was written for."""
    node, written_for = model.graph.node[0], model.opset_import[0]
    version = onnx.defs.get_schema(node.op_type, written_for.version).since_version
    opsets = range(written_for.version, onnx.defs.onnx_opset_version() + 1)
    written_for.version = max(o for o in opsets if onnx.defs.get_schema(node.op_type, o).since_version == version)


def attribute(axes):
    if axes is NULL:
        raise Unsupported("an attribute cannot be null")
    kind = ATTRIBUTES.get(axes.dtype, {}).get(len(axes.shape))
    if kind is None:
        raise Unsupported(f"no attribute holds axes of {axes.dtype} with {len(axes.shape)} dims")
    values = list(axes.values) if axes.dtype == "i64" else list(map(float, axes.values))
    return helper.make_attribute("axes", values if axes.shape else values[0], attr_type=kind)


def info(name, dtype, shape):
    return helper.make_tensor_value_info(name, type_of(dtype), shape)


def type_of(dtype):
    return helper.np_dtype_to_tensor_dtype(dtype)


def with_function(call):
    """The model of a call whose operator is a function of the model: the body that ONNX itself gives of it."""
    model, feeds = written(call)
    node = model.graph.node[0]
    schema = onnx.defs.get_schema(node.op_type, call.operator.opset)
    if not schema.has_function:
        raise Unsupported(f"ONNX gives no body of {node.op_type} before opset 18")
    body = model.functions.add()
    body.ParseFromString(schema.get_function_with_opset_version(schema.since_version))
    node.domain = body.domain = "body"
    model.opset_import.append(helper.make_opsetid("body", 1))
    return model, feeds
