// TensorFlow.js on its backend in plain JavaScript: `cargo xtask conformance --backend "cmd:node THIS_FILE sum FOLDER"`, FOLDER
// being where `npm install` put @tensorflow/tfjs-core and @tensorflow/tfjs-backend-cpu.
//
// The word on the command line says which of the two ways of its users is asked:
//
//     sum    L1    tf.sum(tf.abs(x), axis, keepDims)
//            L2    tf.sqrt(tf.sum(tf.square(x), axis, keepDims))
//     norm   tf.norm(x, 1 or "euclidean", axis, keepDims)
//
// `norm` takes two axes as a matrix. What a call says is handed over where there is a place for it, and never checked first:
// TensorFlow.js refuses with a plain `Error`, which is a rejection, in its words. How axes and attributes are translated is said
// in axis_argument.mjs. Unsupported beyond that: types other than f32 and i32, of which there are no tensors; and what it says
// itself that it does not take, such as the root of an i32.

import { createRequire } from "node:module";
import { resolve } from "node:path";

import { axisAndKeepDims, oneVector } from "./axis_argument.mjs";
import { Rejected, Unsupported, run, tensor, unavailable, values } from "./normative_worker.mjs";

const TYPES = { f32: "float32", i32: "int32" };
const NAMES = { float32: "f32", int32: "i32" };
/** What it says where it has no kernel for a type. */
const NOT_THERE = /must be float32 tensor, but got int32/;

const [way, folder] = process.argv.slice(2);
const from = createRequire(resolve(folder ?? ".", "package.json"));
let tf;
try {
  tf = from("@tensorflow/tfjs-core");
  // What it says of a faster package would go to standard output.
  tf.env().set("IS_TEST", true);
  from("@tensorflow/tfjs-backend-cpu");
} catch (missing) {
  unavailable(`TensorFlow.js: ${missing.message.split("\n")[0]}`);
}

const WAYS = {
  sum: (norm, x, axis, keepDims) =>
    norm === "L1" ? tf.sum(tf.abs(x), axis, keepDims) : tf.sqrt(tf.sum(tf.square(x), axis, keepDims)),
  norm: (norm, x, axis, keepDims) => {
    oneVector(norm, axis, x.rank, "tf.norm");
    return tf.norm(x, norm === "L1" ? 1 : "euclidean", axis, keepDims);
  },
};

function answer({ operator, data, axes }) {
  const { axis, keepDims } = axisAndKeepDims({ operator, axes });
  if (!(data.dtype in TYPES)) throw new Unsupported(`TensorFlow.js has no tensor of ${data.dtype}`);
  try {
    return tf.tidy(() => {
      const x = tf.tensor(values(data), data.shape, TYPES[data.dtype]);
      const result = WAYS[way](operator.norm, x, axis, keepDims);
      return tensor(NAMES[result.dtype], result.shape, result.dataSync());
    });
  } catch (error) {
    if (error.constructor !== Error) throw error;
    throw NOT_THERE.test(error.message) ? new Unsupported(error.message) : new Rejected(error.message);
  }
}

const bugs = "https://github.com/tensorflow/tfjs/issues";
const name = `TensorFlow.js ${way}`;
if (tf) run({ name, version: tf.version_core, reportBugsTo: bugs, slow: true, valuesOf: ["openvino", "onnx"] }, answer);
