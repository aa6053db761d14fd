needs openvino==@RELEASE@ numpy
import openvino as ov
---
@if bf16@DATA = np.load(HERE / "data.npy").view(np.uint16)
@if !bf16@DATA = np.load(HERE / "data.npy")
# What the model is fed with; it has the rest as constants.
FEEDS = @FEEDS@
NAMES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
}


def call():
    core = ov.Core()
    # A CPU that has bfloat16 would use it for float32.
    core.set_property("CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    # From memory: of some models, what is read from a file has other inputs.
@if onnx/@    compiled = core.compile_model(core.read_model((HERE / "model.onnx").read_bytes(), b""), "CPU")
@if openvino/@    compiled = core.compile_model(core.read_model((HERE / "model.xml").read_bytes(), (HERE / "model.bin").read_bytes()), "CPU")
    request = compiled.create_infer_request()
    for name, array in FEEDS.items():
        taken = request.get_tensor(name).data
        if taken.nbytes != array.nbytes:
            raise ValueError(f"the input takes {taken.nbytes} bytes, {name} has {array.nbytes}")
        # OpenVINO hands out bfloat16 as an array of float16 with the same bits.
        taken[...] = array.view(taken.dtype).reshape(taken.shape)
    # Memory that is not written is to be seen.
    request.get_output_tensor(0).data.reshape(-1).view(np.uint8)[...] = 0xA5
    request.infer()
    result = request.get_output_tensor(0)
    name = result.element_type.get_type_name()
    return NAMES.get(name, name), list(result.shape), result.data.tobytes()


# Whatever OpenVINO says against a model or its inputs.
REFUSALS = (Exception,)
