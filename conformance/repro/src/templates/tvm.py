DATA = np.load(HERE / "data.npy")@VIEW@


def call():
    compiled = tvm.compile(from_onnx(onnx.load(HERE / "model.onnx")), target="llvm")
    main = relax.VirtualMachine(compiled, tvm.cpu())["main"]
    result = main(tvm.runtime.tensor(DATA)).numpy()
    return result.dtype.name, result.shape, result.tobytes()


# Whatever its frontend or its compiler says against the model.
REFUSALS = (ValueError, TypeError, IndexError, OverflowError, RuntimeError, AttributeError, AssertionError)
