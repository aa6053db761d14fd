# Prints the number of every check. Runs `python run.py FOLDER` with single or bundles.
import pathlib
import sys

import numpy
import onnxruntime

onnxruntime.set_default_logger_severity(4)
print("suite", pathlib.Path(__file__).with_name("suite.txt").read_text().strip(), sep="\t")
for model in sorted(pathlib.Path(sys.argv[1]).glob("*.onnx")):
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
