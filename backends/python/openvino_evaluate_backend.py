"""OpenVINO's `Model.evaluate` as a backend: its own evaluation of the operators, without a plugin.

    node = opset4.reduce_l1(parameter, parameter of the axes, keep_dims)
    Model([node], parameters).evaluate(outputs, inputs)

Axes are fed with the data. What OpenVINO refuses by an exception is a rejection, but for "Evaluation failed", by which
`evaluate` says that the operator has no evaluation for the type of the data: that is unsupported.

Unsupported as well: operators of other families; axes that are absent or null, as the function has no default for them; an
axis that does not fit its type.
"""

from normative.worker import Axes, Identity, OpenVino, Rejected, Tensor, Unsupported, run, unavailable

try:
    import numpy as np
    import openvino as ov
    from normative.numpy_types import DTYPES, with_bfloat16
    from openvino import opset4

    with_bfloat16()
except ImportError as missing:
    unavailable(f"OpenVINO: {missing}")

FUNCTIONS = {"L1": opset4.reduce_l1, "L2": opset4.reduce_l2, "Sum": opset4.reduce_sum}
TYPES = {dtype: getattr(ov.Type, dtype) for dtype in DTYPES}


def held(name, dtype, shape, elements):
    """A tensor of OpenVINO's that holds these bytes, and a parameter for it. Without a name, nodes would be numbered."""
    tensor = ov.Tensor(TYPES[dtype], ov.Shape(list(shape)))
    # Filled as bytes, as OpenVINO shows bf16 as f16.
    if tensor.byte_size:
        tensor.data.reshape(-1).view(np.uint8)[:] = np.frombuffer(elements, np.uint8)
    return tensor, opset4.parameter(list(shape), tensor.element_type, name=name)


def answer(call):
    operator, axes = call.operator, call.axes
    if not isinstance(operator, OpenVino):
        raise Unsupported("the adapter asks for OpenVINO's operators")
    if not isinstance(axes, Axes):
        raise Unsupported("reduce_l1 and reduce_l2 take axes")
    try:
        values = np.array(axes.values, DTYPES[axes.dtype]).tobytes()
    except OverflowError as why:
        raise Unsupported(str(why)) from why
    try:
        data, data_parameter = held("data", call.data.dtype, call.data.shape, call.data.elements)
        fed, axes_parameter = held("axes", axes.dtype, axes.shape, values)
        keep = {} if operator.keep_dims is None else {"keep_dims": operator.keep_dims}
        node = FUNCTIONS[operator.norm](data_parameter, axes_parameter, name="norm", **keep)
        results = [ov.Tensor(data.element_type, ov.Shape([0]))]
        ov.Model([node], [data_parameter, axes_parameter], "norm").evaluate(results, [data, fed])
    except (RuntimeError, ValueError, TypeError) as refusal:
        words = " ".join(str(refusal).split())
        if "Evaluation failed" in words:
            # What follows tells the dims.
            raise Unsupported(words.split(" (")[0]) from refusal
        raise Rejected(words) from refusal
    (result,) = results
    dtype = next(dtype for dtype, theirs in TYPES.items() if theirs == result.element_type)
    return Tensor(dtype, tuple(result.shape), result.data.tobytes())


if __name__ == "__main__":
    bugs = "https://github.com/openvinotoolkit/openvino/issues"
    run(Identity("OpenVINO (Model.evaluate)", ov.get_version(), bugs, slow=True, families=("openvino",), operators=("openvino", "openvino/ReduceSum")), answer)
