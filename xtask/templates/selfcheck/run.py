# Prints the number of every check: `python run.py single`, or bundles. Needs Python 3.10 and the packages numpy and onnxruntime.
import pathlib
import sys

import numpy
import onnxruntime

onnxruntime.set_default_logger_severity(4)
print("suite", pathlib.Path(__file__).with_name("suite.txt").read_text().strip(), sep="\t")
models = sorted(model for folder in sys.argv[1:] for model in pathlib.Path(folder).glob("*.onnx"))
if not models:
    sys.exit("expected a folder with models, single or bundles")
for model in models:
    listed = model.with_suffix(".txt")
    names = listed.read_text().split() if listed.exists() else [model.stem]
    try:
        session = onnxruntime.InferenceSession(model)
        numbers = session.run(None, {one.name: numpy.array(0) for one in session.get_inputs()})[0]
        lines = [str(int(number)) for number in numbers]
    except Exception as error:
        lines = ["error\t" + " ".join(str(error).split())] * len(names)
    for name, line in zip(names, lines, strict=True):
        print(name, line, sep="\t", flush=True)
