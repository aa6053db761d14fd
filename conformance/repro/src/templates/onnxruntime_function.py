DATA = np.load(HERE / "data.npy")@VIEW@
FEEDS = @FEEDS@


@BODY@def call():
    model = with_body(onnx.load(HERE / "model.onnx"))
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    (result,) = session.run(None, FEEDS)
    return result.dtype.name, result.shape, result.tobytes()


# Whatever ONNX Runtime says against a model or its inputs.
REFUSALS = (Exception,)
