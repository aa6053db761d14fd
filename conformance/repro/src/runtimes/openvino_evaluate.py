needs openvino==@RELEASE@ numpy
@if !openvino/@no the functions are OpenVINO's, and take axes
@if !axes-given@no the functions are OpenVINO's, and take axes
import openvino as ov
from openvino import opset4
---
DATA = np.load(HERE / "data.npy")
AXES = np.load(HERE / "axes.npy")
NAMES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
}


def held(dtype, array):
    tensor = ov.Tensor(getattr(ov.Type, dtype), ov.Shape(list(array.shape)))
    # As bytes: OpenVINO shows bfloat16 as float16.
    if tensor.byte_size:
        tensor.data.reshape(-1).view(np.uint8)[:] = np.frombuffer(array.tobytes(), np.uint8)
    return tensor, opset4.parameter(list(array.shape), tensor.element_type)


def call():
    (data, first), (axes, second) = held("@TYPE@", DATA), held("@AXES_TYPE@", AXES)
@if l1@    node = opset4.reduce_l1(first, second@KEEP_DIMS@)
@if l2@    node = opset4.reduce_l2(first, second@KEEP_DIMS@)
@if elements@    node = opset4.reduce_sum(first, second@KEEP_DIMS@)
    results = [ov.Tensor(data.element_type, ov.Shape([0]))]
    ov.Model([node], [first, second], "norm").evaluate(results, [data, axes])
    (result,) = results
    name = result.element_type.get_type_name()
    return NAMES.get(name, name), list(result.shape), result.data.tobytes()


REFUSALS = (RuntimeError, ValueError, TypeError)
