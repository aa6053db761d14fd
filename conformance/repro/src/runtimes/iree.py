needs iree-base-compiler==@VERSION@ iree-base-runtime==@VERSION@ onnx
@if bf16@needs ml_dtypes
needs numpy
import iree.compiler as compiler
import iree.runtime as runtime
@if bf16@import ml_dtypes
import onnx
from iree.compiler.extras.onnx_importer import ModelInfo, NodeImporter, OnnxImportError
from iree.compiler.ir import Context, MLIRError
---
DATA = np.load(HERE / "data.npy")@ML_DTYPE@


def call():
    model = onnx.shape_inference.infer_shapes(onnx.load(HERE / "model.onnx"), data_prop=True)
    onnx.checker.check_model(model)
    # As iree-import-onnx does.
    info = ModelInfo(model)
    module = info.create_module(context=Context()).operation
    NodeImporter.define_function(info.main_graph, module).import_all()
    module.verify()
    extra = ["--iree-llvmcpu-target-cpu=host"]
    try:
        code = compiler.compile_str(module.get_asm(), input_type="onnx", target_backends=["llvm-cpu"], extra_args=extra)
    except compiler.CompilerToolError as error:
        if "error:" in str(error):
            raise
        raise SystemError("the compiler did not refuse the model, it fell over") from error
    config = runtime.Config("local-sync")
    loaded = runtime.VmModule.copy_buffer(config.vm_instance, code)
    context = runtime.SystemContext(config=config)
    context.add_vm_module(loaded)
    result = context.modules[loaded.name][model.graph.name](DATA).to_host()
    return result.dtype.name, result.shape, result.tobytes()


# Whatever the importer, the compiler or the runtime says against the model.
REFUSALS = (
    onnx.checker.ValidationError, OnnxImportError, MLIRError, compiler.CompilerToolError,
    ValueError, TypeError, IndexError, RuntimeError,
)
