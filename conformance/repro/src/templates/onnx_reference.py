DATA = np.load(HERE / "data.npy")@VIEW@
FEEDS = @FEEDS@


@BODY@def call():
    with np.errstate(all="ignore"):
        evaluator = ReferenceEvaluator(@MODEL@)
        (result,) = evaluator.run(None, FEEDS)
    return result.dtype.name, result.shape, result.tobytes()


REFUSALS = (ValueError, TypeError, IndexError, OverflowError, RuntimeError)
