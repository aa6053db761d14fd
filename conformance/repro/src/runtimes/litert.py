needs ai-edge-litert==@VERSION@ numpy
@if bf16@no NumPy has no bfloat16
@if !keeps-or-drops@no keep_dims is true or false, and cannot be @KEEP@
@if !axes-in-i32@no the axes of SUM are int32
import flatbuffers
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType
---
DATA = @ARRAY@@COMMENT@
@if !axes-in-floats@AXES = np.array(@EVERY_AXIS@, np.int32)
@if axes-in-floats@AXES = np.array(@EVERY_AXIS@, np.float32)
CODES, TYPES = schema.BuiltinOperator, schema.TensorType
@if l1@OPERATORS = (CODES.ABS, CODES.SUM)
@if l2@OPERATORS = (CODES.SQUARE, CODES.SUM, CODES.SQRT)
@if squares@OPERATORS = (CODES.SQUARE, CODES.SUM)
@if elements@OPERATORS = (CODES.SUM,)


def tensor(at, shape, dtype, buffer=0):
    described = schema.TensorT()
    described.name, described.shape, described.type, described.buffer = f"t{at}", list(shape), dtype, buffer
    return described


def model():
    """As TensorFlow's converter writes it: each operator takes the result before it, and SUM the axes as well."""
    graph, model = schema.SubGraphT(), schema.ModelT()
@if !axes-in-floats@    graph.tensors = [tensor(0, DATA.shape, TYPES.@UPPER_DTYPE@), tensor(1, AXES.shape, TYPES.INT32, buffer=1)]
@if axes-in-floats@    graph.tensors = [tensor(0, DATA.shape, TYPES.@UPPER_DTYPE@), tensor(1, AXES.shape, TYPES.FLOAT32, buffer=1)]
    graph.operators, model.operatorCodes = [], []
    for at, code in enumerate(OPERATORS):
        operator, kernel = schema.OperatorT(), schema.OperatorCodeT()
        kernel.builtinCode, kernel.deprecatedBuiltinCode, kernel.version = code, min(code, 127), 1
        operator.opcodeIndex, operator.inputs, operator.outputs = at, [at + 1 if at else 0], [at + 2]
        if code == CODES.SUM:
            operator.inputs.append(1)
            operator.builtinOptionsType = schema.BuiltinOptions.ReducerOptions
            operator.builtinOptions = schema.ReducerOptionsT()
            operator.builtinOptions.keepDims = @KEEPDIMS@
        graph.operators.append(operator)
        model.operatorCodes.append(kernel)
        graph.tensors.append(tensor(at + 2, () if at else DATA.shape, TYPES.@UPPER_DTYPE@))
    graph.inputs, graph.outputs = [0], [len(graph.tensors) - 1]
    model.version, model.subgraphs, model.buffers = 3, [graph], [schema.BufferT(), schema.BufferT()]
    model.buffers[1].data = np.frombuffer(AXES.tobytes(), np.uint8)
    builder = flatbuffers.Builder()
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def call():
@if litert@    kernels = OpResolverType.AUTO
@if litert-builtin@    kernels = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = Interpreter(model_content=model(), experimental_op_resolver_type=kernels, num_threads=1)
    interpreter.allocate_tensors()
    interpreter.set_tensor(0, DATA)
    interpreter.invoke()
    result = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    return result.dtype.name, result.shape, result.tobytes()


REFUSALS = (ValueError, RuntimeError)
