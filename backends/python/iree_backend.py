"""IREE on the CPU as a backend: `cargo xtask conformance --backend "cmd:python3 THIS_FILE"`.

A call is written as a model of one node, as onnx_model.py says, and goes the way of IREE's own tools:

    iree-import-onnx    infer_shapes, check_model, NodeImporter
    iree-compile        --iree-input-type=onnx, for the processor at hand; a process of its own for each call
    iree-run-module     one_node(data)

What any of the three refuses is a rejection, and its first line of error the reason; an operator or a type that the
compiler has no lowering for is unsupported, where it says so. Data of every type are handed over as NumPy arrays.
"""

import importlib.metadata

from normative.worker import Identity, Rejected, Unsupported, run, unavailable

try:
    import iree.compiler as compiler
    import iree.runtime as runtime
    import onnx
    from iree.compiler.extras.onnx_importer import ModelInfo, NodeImporter, OnnxImportError
    from iree.compiler.ir import Context, MLIRError
    from normative.numpy_types import tensor
    from onnx_model import written
except ImportError as missing:
    unavailable(f"IREE: {missing}")

CONFIG = runtime.Config("local-sync")
#: What the compiler says of an operator that it does not lower.
NOT_LOWERED = "failed to legalize operation 'torch.operator'"


def answer(call):
    model, feeds = written(call)
    try:
        compiled = compiler.compile_str(
            imported(model), input_type="onnx", target_backends=["llvm-cpu"], extra_args=["--iree-llvmcpu-target-cpu=host"]
        )
        module = runtime.VmModule.copy_buffer(CONFIG.vm_instance, compiled)
        context = runtime.SystemContext(config=CONFIG)
        context.add_vm_module(module)
        return tensor(context.modules[module.name]["one_node"](*feeds.values()).to_host())
    except compiler.CompilerToolError as refusal:
        lines = [line for line in str(refusal).splitlines() if "error:" in line]
        if not lines:
            # It did not refuse the model; it fell over.
            raise
        why = lines[0].partition("error:")[2].strip()
        raise (Unsupported if NOT_LOWERED in why else Rejected)(why) from refusal
    except (onnx.checker.ValidationError, OnnxImportError, MLIRError, ValueError, TypeError, IndexError, RuntimeError) as refusal:
        raise Rejected(f"{type(refusal).__name__}: {refusal}".partition("\n")[0]) from refusal


def imported(model):
    """The model in the text of MLIR, as `iree-import-onnx` prints it."""
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    onnx.checker.check_model(model)
    info = ModelInfo(model)
    module = info.create_module(context=Context()).operation
    NodeImporter.define_function(info.main_graph, module).import_all()
    module.verify()
    return module.get_asm()


if __name__ == "__main__":
    version = importlib.metadata.version("iree-base-compiler")
    run(Identity("IREE", version, "https://github.com/iree-org/iree/issues", slow=True, values_of=("onnx",), other_forms=True), answer)
