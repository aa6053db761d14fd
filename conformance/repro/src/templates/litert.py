DATA = @DATA@@COMMENT@
AXES = np.array(@AXES@, np.@AXES_TYPE@)
CODES, TYPES = schema.BuiltinOperator, schema.TensorType
OPERATORS = @OPERATORS@


def tensor(at, shape, dtype, buffer=0):
    described = schema.TensorT()
    described.name, described.shape, described.type, described.buffer = f"t{at}", list(shape), dtype, buffer
    return described


def model():
    """As TensorFlow's converter writes it: each operator takes the result before it, and SUM the axes as well."""
    graph, model = schema.SubGraphT(), schema.ModelT()
    graph.tensors = [tensor(0, DATA.shape, TYPES.@TYPE@), tensor(1, AXES.shape, TYPES.@AXES_CODE@, buffer=1)]
    graph.operators, model.operatorCodes = [], []
    for at, code in enumerate(OPERATORS):
        operator, kernel = schema.OperatorT(), schema.OperatorCodeT()
        kernel.builtinCode, kernel.deprecatedBuiltinCode, kernel.version = code, min(code, 127), 1
        operator.opcodeIndex, operator.inputs, operator.outputs = at, [at + 1 if at else 0], [at + 2]
        if code == CODES.SUM:
            operator.inputs.append(1)
            operator.builtinOptionsType = schema.BuiltinOptions.ReducerOptions
            operator.builtinOptions = schema.ReducerOptionsT()
            operator.builtinOptions.keepDims = @KEEP@
        graph.operators.append(operator)
        model.operatorCodes.append(kernel)
        graph.tensors.append(tensor(at + 2, () if at else DATA.shape, TYPES.@TYPE@))
    graph.inputs, graph.outputs = [0], [len(graph.tensors) - 1]
    model.version, model.subgraphs, model.buffers = 3, [graph], [schema.BufferT(), schema.BufferT()]
    model.buffers[1].data = np.frombuffer(AXES.tobytes(), np.uint8)
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def call():
    kernels = OpResolverType.@KERNELS@
    interpreter = Interpreter(model_content=model(), experimental_op_resolver_type=kernels, num_threads=1)
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, DATA)
    interpreter.invoke()
    result = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    return result.dtype.name, result.shape, result.tobytes()


REFUSALS = (ValueError, RuntimeError)
