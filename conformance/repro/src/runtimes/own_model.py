needs numpy
---
@if bf16@# NumPy has no bfloat16: these are its bits.
@if bf16@DATA = np.load(HERE / "data.npy").view(np.uint16)
@if !bf16@DATA = np.load(HERE / "data.npy")
FEEDS = @FEEDS@


def run(model, feeds):
    """Fill in: run the model (bytes of a ModelProto, of @SPEC@), and return its output as an array."""
    print("expected a call of the runtime under test in place of this line")
    raise SystemExit(2)


def call():
    answer = run((HERE / "model.onnx").read_bytes(), FEEDS)
    try:
        result = np.asarray(answer)
    except (ValueError, TypeError) as error:
        raise RuntimeError("expected an array from the runtime") from error
@if bf16@    return "bfloat16", result.shape, result.tobytes()
@if !bf16@    return result.dtype.name, result.shape, result.tobytes()


# The exceptions by which the runtime refuses a call: add its own. A TypeError is also that of a call with wrong arguments.
REFUSALS = (ValueError, IndexError, OverflowError)
