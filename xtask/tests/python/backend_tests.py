"""Runs exported test directories as the onnx package runs its own: its checker, then its runner.

    python3 backend_tests.py DIR BACKEND

BACKEND is a module with ONNX's backend interface, such as onnxruntime.backend, or "reference" for the onnx package's own
evaluator. Prints a line a directory ("ok NAME", or "fail NAME reason") and exits with 0 when all were run, whatever
came of them; a model that the checker refuses ends it with 1.
"""

import importlib
import pathlib
import sys
import unittest

import onnx
import onnx.backend.base
import onnx.backend.test.loader
import onnx.backend.test.runner
import onnx.reference


class Prepared(onnx.backend.base.BackendRep):
    """A model in the onnx package's evaluator."""

    def __init__(self, model):
        self.session = onnx.reference.ReferenceEvaluator(model)

    def run(self, inputs, **kwargs):
        names = self.session.input_names
        return self.session.run(None, dict(zip(names, inputs)))


class Reference(onnx.backend.base.Backend):
    """The onnx package's evaluator, behind its interface of backends."""

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        return Prepared(model)

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"


class Lines(unittest.TestResult):
    """One line a test."""

    def say(self, word, test, reason=""):
        name = test.id().rsplit(".", 1)[-1]
        if name.endswith("_cpu"):
            print(word, name.removesuffix("_cpu"), " ".join(reason.split())[:200])

    def addSuccess(self, test):
        self.say("ok", test)

    def addSkip(self, test, reason):
        self.say("skip", test, reason)

    def addFailure(self, test, err):
        self.say("fail", test, str(err[1]))

    addError = addFailure


def main(directory, backend):
    directory = pathlib.Path(directory).resolve()
    for model in sorted(directory.glob("*/model.onnx")):
        try:
            onnx.checker.check_model(onnx.load(model), full_check=True)
        except Exception as error:
            print("refused", model.parent.name, error)
            return 1
    tests = onnx.backend.test.loader.load_model_tests(str(directory.parent), kind=directory.name)
    with_interface = Reference if backend == "reference" else importlib.import_module(backend)
    runner = onnx.backend.test.runner.Runner(with_interface, __name__)
    # Not the package's own tests, which the runner is made with.
    runner._test_items.clear()
    for test in sorted(tests, key=lambda test: test.name):
        runner._add_model_test(test, directory.name)
    runner.test_suite.run(Lines())
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
