// webnn-baseline as a backend: `cargo xtask conformance --backend "cmd:node THIS_FILE FOLDER"`, FOLDER being where npm put
// webmachinelearning/webnn-baseline, or a checkout of it in which `npm install` brought its one dependency.
//
//     reduceL1(new Tensor(shape, numbers), { axes, keepDimensions })
//
// It is the W3C group's own plain implementation, in double precision, and claims WebNN alone. Its tensors hold numbers of
// JavaScript and have no element type, and it has no bindings. So a type that the operator refuses cannot be asked about, nor
// axes that are no list, nor a 64-bit integer that no number holds; results become elements as a typed array of the operand's
// type makes them.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { Rejected, Unsupported, run, tensor, unavailable, values } from "./normative_worker.mjs";

const ALL = ["f16", "f32", "i32", "i64", "u32", "u64"];
const TYPES = { L1: ALL, L2: ["f16", "f32"], SumSquare: ALL, Sum: ALL };

const folder = resolve(process.argv[2] ?? ".");
const load = (path) => import(pathToFileURL(join(folder, path)).href);

let reduce, Tensor, Float16Array;
try {
  ({ Tensor } = await load("src/lib/tensor.js"));
  reduce = await load("src/reduce.js");
  ({ Float16Array } = createRequire(join(folder, "package.json"))("@petamoriken/float16"));
} catch (missing) {
  unavailable(`webnn-baseline: ${missing.message}`);
}

const identity = {
  name: "webnn-baseline",
  version: createRequire(join(folder, "package.json"))("./package.json").version,
  reportBugsTo: "https://github.com/webmachinelearning/webnn-baseline/issues",
  slow: true,
  families: ["webnn"],
  operators: ["webnn", "webnn/reduceSumSquare", "webnn/reduceSum"],
};

run(identity, ({ operator, data, axes }) => {
  if (operator.family !== "webnn") throw new Unsupported("webnn-baseline is WebNN alone");
  if (!TYPES[operator.norm].includes(data.dtype)) throw new Unsupported("its tensors have no element type to refuse");
  const options = {};
  if (operator.keepDimensions !== undefined) options.keepDimensions = operator.keepDimensions;
  if (axes === null || axes?.shape.length === 0) throw new Unsupported("it has no bindings of Web IDL to refuse what is no list");
  if (axes) options.axes = axes.values.map(Number);
  const input = new Tensor(data.shape, numbersOf(data));
  return output(data.dtype, answered(operator.norm, input, options));
});

function numbersOf(data) {
  const typed = data.dtype === "f16" ? new Float16Array(values(data).buffer) : values(data);
  const numbers = Array.from(typed, Number);
  if (data.dtype.endsWith("64") && !numbers.every(Number.isSafeInteger)) {
    throw new Unsupported("no number of JavaScript holds this integer");
  }
  return numbers;
}

/**
 * It refuses with a plain `Error`. WebNN asks for a TypeError, so one that JavaScript throws on its behalf is a refusal to
 * its caller too. Any other is a fault.
 */
function answered(norm, input, options) {
  try {
    return reduce[`reduce${norm}`](input, options);
  } catch (error) {
    throw [Error, TypeError].includes(error.constructor) ? new Rejected(error.message) : error;
  }
}

function output(dtype, { shape, data }) {
  if (dtype === "f16") return tensor(dtype, shape, new Uint16Array(Float16Array.from(data).buffer));
  if (!dtype.endsWith("64")) return tensor(dtype, shape, data);
  if (!data.every(Number.isSafeInteger)) throw new Unsupported("no number of JavaScript holds this result");
  return tensor(dtype, shape, data.map(BigInt));
}
