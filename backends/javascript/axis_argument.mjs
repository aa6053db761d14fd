// What calls are to an array library of JavaScript's: a function over a tensor with the arguments `axis` and `keepDims`. It is
// to adapters in JavaScript what backends/python/axis_argument.py is to those in Python, rule for rule.
//
// A value is handed over as it came, and nothing is checked: axes left out or null are `undefined`, a scalar is a number, a
// list an array, a matrix an array of arrays. An attribute that is left out is the operator's default, and 0 and 1 are `false`
// and `true`. ONNX 18 says what a list without axes means; elsewhere it is `[]`.
//
// There is no place for what axis_argument.py names, nor, as numbers of JavaScript have no type, for axes that are floats or
// integers beyond 2^53.

import { Unsupported } from "./normative_worker.mjs";

/** `{ axis, keepDims }` of a call of OpenVINO's or ONNX's. */
export function axisAndKeepDims({ operator, axes }) {
  if (operator.family === "openvino") return openvino(operator, axes);
  if (operator.family === "onnx") return onnx(operator, axes);
  if (operator.family === "bnns") throw new Unsupported("an array library allocates its output itself");
  throw new Unsupported(`the library does not claim ${operator.family}`);
}

function openvino({ keepDims }, axes) {
  if (!axes) throw new Unsupported("axis may be left out, the axes of this operator may not");
  return { axis: axisOf(axes), keepDims: keepDims === true };
}

function onnx({ opset, keepdims, noopWithEmptyAxes }, axes) {
  if (opset < 18 && noopWithEmptyAxes !== undefined) throw new Unsupported("there is no noop_with_empty_axes before opset 18");
  if (opset < 18 && axes === null) throw new Unsupported("an attribute cannot be null");
  const noop = noopWithEmptyAxes ?? 0n;
  if (noop !== 0n && noop !== 1n) {
    throw new Unsupported(`nothing stands for noop_with_empty_axes, so ${noop} cannot be translated`);
  }
  if (axes && axes.dtype !== "i64") throw new Unsupported("axis has no type");
  const axis = axes ? axisOf(axes) : undefined;
  const none = axis === undefined || (Array.isArray(axis) && axis.length === 0);
  const flags = { 0: false, 1: true, undefined: true };
  return { axis: opset === 18 && none ? (noop ? [] : undefined) : axis, keepDims: flags[keepdims] ?? Number(keepdims) };
}

/** A number for a scalar, an array for a list, nested arrays for more dims. */
function axisOf({ dtype, shape, values }) {
  if (!"iu".includes(dtype[0])) throw new Unsupported("a number of JavaScript has no type");
  if (shape.length > 1 && values.length === 0) {
    throw new Unsupported(`as an argument, axes of shape [${shape}] are what a list without axes is`);
  }
  const numbers = values.map(Number);
  if (!numbers.every(Number.isSafeInteger)) throw new Unsupported("no number of JavaScript holds this axis");
  if (shape.length === 0) return numbers[0];
  // The innermost dim first: what is left after the last is the array for the slowest one.
  return shape.slice(1).reduceRight(
    (rows, dim) => Array.from({ length: rows.length / dim }, (_, at) => rows.slice(at * dim, (at + 1) * dim)),
    numbers,
  );
}

/** Throws `Unsupported` where `name`, a `norm` that knows matrices, does not read these axes as one vector. */
export function oneVector(norm, axis, rank, name) {
  const count = axis === undefined ? rank : Array.isArray(axis) ? axis.length : 1;
  if (count !== 1 && (norm === "L1" || (count !== 2 && axis !== undefined))) {
    throw new Unsupported(`${name} does not take ${count} axes as one vector for ${norm}`);
  }
}
