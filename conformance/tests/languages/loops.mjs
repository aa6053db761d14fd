// The loops of sums.mjs as a library with the arguments of TensorFlow.js, adapted by axis_argument.mjs.

import { axisAndKeepDims } from "../../../backends/javascript/axis_argument.mjs";
import { Unsupported, run } from "../../../backends/javascript/normative_worker.mjs";
import { listed, reduced } from "./sums.mjs";

run({ name: "loops", version: "1", reportBugsTo: "me@example.org", valuesOf: ["onnx"] }, ({ operator, data, axes }) => {
  if (!["f32", "i32", "i64"].includes(data.dtype)) throw new Unsupported(`no sums of ${data.dtype}`);
  const { axis, keepDims } = axisAndKeepDims({ operator, axes });
  return reduced(operator.norm, data, listed([axis ?? [...data.shape.keys()]].flat()), keepDims);
});
