// @NAME@, as Normative judges it: calls in, answers out.
//
// An adapter translates and never repairs. It takes no absolute value, mends no axis and converts no element that @NAME@'s
// own user would not have to. What @NAME@ refuses is `Rejected`, in its words; what it has no place for is `Unsupported`.
// @WORKER@ says what a call is.

import { Rejected, Unsupported, run, tensor, values } from "@WORKER@";

/**
 * Stands here for @NAME@: put a call of it in its place, with arguments as the array API's `vector_norm` has them. `data` is a
 * Float32Array, row-major.
 */
function norm({ data, shape }, { axis = null, keepdims = false, ord = 2 }) {
  const rank = shape.length;
  const axes = axis === null ? [...shape.keys()] : [axis].flat().map((at) => (at < 0 ? at + rank : at));
  const bad = axes.find((axis, at) => !(axis in shape) || axes.indexOf(axis) < at);
  if (bad !== undefined) throw new RangeError(`axis ${bad} of rank ${rank} is out of range, or named twice`);
  const ones = shape.map((dim, at) => (axes.includes(at) ? 1 : dim));
  const sums = new Float64Array(ones.reduce((count, dim) => count * dim, 1));
  data.forEach((x, at) => {
    let [place, step] = [0, 1];
    for (let axis = rank - 1; axis >= 0; axis--) {
      if (ones[axis] > 1) place += (at % shape[axis]) * step;
      step *= ones[axis];
      at = Math.floor(at / shape[axis]);
    }
    sums[place] += ord === 1 ? Math.abs(x) : x * x;
  });
  const norms = ord === 1 ? sums : sums.map(Math.sqrt);
  return { data: norms, shape: keepdims ? ones : shape.filter((_, at) => !axes.includes(at)) };
}

const identity = {
  name: "@NAME@",
  // The version of what is judged, read from it if it can tell.
  version: "0.0.0 of the example",
  reportBugsTo: "where @NAME@'s maintainers take bug reports",
  // It is asked about these operators and types alone, and judged by values and shapes; types and refusals are its own.
  operators: ["array-api"],
  dtypes: ["f32"],
  valuesOf: ["array-api"],
};

run(identity, ({ operator, data, axes }) => {
  if (operator.family !== "array-api") throw new Unsupported("there is nothing but the array API's vector_norm");
  // What the call leaves out is left out.
  const given = { axis: axes && axisOf(axes), keepdims: operator.keepdims, ord: operator.ord };
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  try {
    const norms = norm({ data: values(data), shape: data.shape }, options);
    return tensor(data.dtype, norms.shape, norms.data);
  } catch (refusal) {
    throw refusal instanceof RangeError ? new Rejected(refusal.message) : refusal;
  }
});

/** A number for a scalar, an array for a list. */
function axisOf({ dtype, shape, values }) {
  const numbers = values.map(Number);
  if (dtype !== "i64" || shape.length > 1 || !numbers.every(Number.isSafeInteger)) {
    throw new Unsupported("axis is a number or a list of them");
  }
  return shape.length === 0 ? numbers[0] : numbers;
}
