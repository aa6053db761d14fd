"""ncnn as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE"`.

A call is written as a network of one layer, Reduction, and run:

    7767517
    2 2
    Input     data    0 1 data
    Reduction reduced 1 1 data reduced 0=OPERATION 1=ALL -23303=COUNT,AXES 4=KEEPDIMS 5=1

Operation 7 is the L1 norm, 8 the L2 norm; parameter 5 says that axes are counted as they are since 2020.

What a call says is written where the layer has a place for it, and never checked first: what ncnn refuses is a rejection,
and what it accepts is computed. How axes and attributes are translated, and which have no place, is said in
normative/axis_argument.py. Beyond that, unsupported are:

- types other than f32, and data of no dim, of more than four, or without elements, as a Mat has one to four and an empty
  one stands for an error;
- a list without axes that reduces nothing, as without axes the layer reduces all;
- axes that are not a list of integers of 32 bits.

A Mat of one element stands for rank 0 where every axis is reduced and none kept.
"""

from normative.axis_argument import arguments, spans
from normative.worker import Identity, Rejected, Unsupported, run, unavailable

try:
    import ncnn
    import numpy as np
    from normative.numpy_types import array, tensor
except ImportError as missing:
    unavailable(f"ncnn: {missing}")

OPERATIONS = {"L1": 7, "L2": 8}


def answer(call):
    axis, keepdims = arguments(call)
    if call.data.dtype != "f32":
        raise Unsupported(f"Reduction takes no {call.data.dtype}")
    if not 1 <= len(call.data.shape) <= 4 or not call.data.elements:
        raise Unsupported("a Mat has one to four dims, and elements")
    data = array(call.data, "ncnn")
    axes = axes_of(axis)
    layer = [f"0={OPERATIONS[call.operator.norm]}", f"1={axes is None:d}", f"4={keepdims:d}", "5=1"]
    if axes is not None:
        layer.append(f"-23303={','.join(map(str, [len(axes), *axes]))}")
    network = ncnn.Net()
    text = f"7767517\n2 2\nInput data 0 1 data\nReduction reduced 1 1 data reduced {' '.join(layer)}\n"
    if network.load_param_mem(text) != 0:
        raise Rejected("the layer is not loaded")
    with network.create_extractor() as extractor:
        extractor.input("data", ncnn.Mat(data))
        status, mat = extractor.extract("reduced")
        if status != 0:
            raise Rejected(f"extract gives {status}")
        result = np.array(mat)
    is_scalar = result.size == 1 and not keepdims and spans(axis, data.ndim)
    return tensor(result.reshape(()) if is_scalar else result)


def axes_of(axis):
    """The axes as the layer lists them, or `None` for all."""
    if axis is None:
        return None
    if axis == ():
        raise Unsupported("without axes Reduction reduces all")
    if not isinstance(axis, tuple) or not all(-(2**31) <= one < 2**31 for one in axis):
        raise Unsupported("axes are a list of integers of 32 bits")
    return axis


if __name__ == "__main__":
    bugs = "https://github.com/Tencent/ncnn/issues"
    run(Identity("ncnn", ncnn.__version__, bugs, slow=True, values_of=("openvino", "onnx")), answer)
