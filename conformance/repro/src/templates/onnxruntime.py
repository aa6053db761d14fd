DATA = np.load(HERE / "data.npy")
FEEDS = @FEEDS@


def call():
@OPTIONS@    session = ort.InferenceSession(str(HERE / "model.onnx"), @GIVEN@providers=["CPUExecutionProvider"])
    (result,) = session.run(["reduced"], FEEDS)
    return result.dtype.name, result.shape, result.tobytes()


# Whatever ONNX Runtime says against a model or its inputs.
REFUSALS = (Exception,)
