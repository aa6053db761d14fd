needs numpy
---
@if bf16@# NumPy has no bfloat16: these are its bits.
@if bf16@DATA = np.load(HERE / "data.npy").view(np.uint16)
@if !bf16@DATA = np.load(HERE / "data.npy")
FEEDS = @FEEDS@


def run(model, feeds):
    """Fill in: run the model (bytes of a ModelProto, of @SPEC@), and return its output as an array."""
    raise NotImplementedError("expected a call of the runtime under test")


def call():
    result = np.asarray(run((HERE / "model.onnx").read_bytes(), FEEDS))
@if bf16@    return "bfloat16", result.shape, result.tobytes()
@if !bf16@    return result.dtype.name, result.shape, result.tobytes()


# The exceptions by which the runtime refuses a call.
REFUSALS = (ValueError, TypeError, IndexError, OverflowError)
