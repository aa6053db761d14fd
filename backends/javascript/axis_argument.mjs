// What calls are to an array library of JavaScript's: a function over a tensor with the arguments `axis` and `keepDims`. It is
// to adapters in JavaScript what backends/python/axis_argument.py is to those in Python, rule for rule.
//
// A value is handed over as it came, and nothing is checked: axes left out or null are `undefined`, a scalar is a number, a
// list an array. An attribute that is left out is the operator's default, and 0 and 1 are `false` and `true`. ONNX says what a
// list without axes means, from opset 18 on; elsewhere it is `[]`.
//
// There is no place for what axis_argument.py names, nor for axes that no number of JavaScript holds.

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

function onnx({ norm, opset, keepdims, noopWithEmptyAxes }, axes) {
  const byInput = opset >= (norm === "Sum" ? 13 : 18);
  if (!byInput && noopWithEmptyAxes !== undefined) throw new Unsupported("there is no noop_with_empty_axes where axes are an attribute");
  if (!byInput && axes === null) throw new Unsupported("an attribute cannot be null");
  const keepDims = flag("keepdims", keepdims, true);
  const noop = flag("noop_with_empty_axes", noopWithEmptyAxes, false);
  const axis = axes ? axisOf(axes) : undefined;
  const none = axis === undefined || (Array.isArray(axis) && axis.length === 0);
  return { axis: byInput && none ? (noop ? [] : undefined) : axis, keepDims };
}

function flag(name, value, byDefault) {
  if (![undefined, 0n, 1n].includes(value)) {
    throw new Unsupported(`an argument that is true or false cannot be ${name} = ${value}`);
  }
  return value === undefined ? byDefault : value === 1n;
}

/** A number for a scalar, an array for a list. */
function axisOf({ dtype, shape, values }) {
  if (dtype !== "i64" || shape.length > 1) {
    throw new Unsupported(`axis is a number or a list of them, not ${dtype} of shape [${shape}]`);
  }
  const numbers = values.map(Number);
  if (!numbers.every(Number.isSafeInteger)) throw new Unsupported("no number of JavaScript holds this axis");
  return shape.length === 0 ? numbers[0] : numbers;
}

/** Throws `Unsupported` where `name`, a `norm` that knows matrices, does not read these axes as one vector. */
export function oneVector(norm, axis, rank, name) {
  const count = axis === undefined ? rank : Array.isArray(axis) ? axis.length : 1;
  if (count !== 1 && (norm === "L1" || (count !== 2 && axis !== undefined))) {
    throw new Unsupported(`${name} does not take ${count} axes as one vector for ${norm}`);
  }
}
