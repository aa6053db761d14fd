// @NAME@, as Normative judges it: calls in, answers out.
//
// An adapter translates and never repairs. It takes no absolute value, mends no axis and converts no element that @NAME@'s
// own user would not have to. What @NAME@ refuses is `Rejected`, in its words; what it has no place for is `Unsupported`.
// @WORKER@ says what a call is.

import { Rejected, Unsupported, run, tensor, values } from "@WORKER@";

/** Stands here for @NAME@: put a call of it in its place. `data` is a Float32Array, row-major; `axes` may be left out. */
function norm(which, { data, shape }, axes = [...shape.keys()], keepDims) {
  const bad = axes.find((axis, at) => !(axis in shape) || axes.indexOf(axis) < at);
  if (bad !== undefined) throw new RangeError(`axis ${bad} of rank ${shape.length} is out of range, or named twice`);
  const ones = shape.map((dim, axis) => (axes.includes(axis) ? 1 : dim));
  const sums = new Float64Array(ones.reduce((count, dim) => count * dim, 1));
  data.forEach((x, at) => {
    let [place, step] = [0, 1];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      if (ones[axis] > 1) place += (at % shape[axis]) * step;
      step *= ones[axis];
      at = Math.floor(at / shape[axis]);
    }
    sums[place] += which === "L1" ? Math.abs(x) : x * x;
  });
  const norms = which === "L1" ? sums : sums.map(Math.sqrt);
  return { data: norms, shape: keepDims ? ones : shape.filter((_, axis) => !axes.includes(axis)) };
}

const identity = {
  name: "@NAME@",
  // The version of what is judged, read from it if it can tell.
  version: "0.0.0 of the example",
  reportBugsTo: "where @NAME@'s maintainers take bug reports",
  // It is asked about these operators and types alone, and judged by values and shapes; types and refusals are its own.
  operators: ["webnn"],
  dtypes: ["f32"],
  valuesOf: ["webnn"],
};

run(identity, ({ operator, data, axes }) => {
  if (operator.family !== "webnn") throw new Unsupported("there is nothing but WebNN's reduceL1 and reduceL2");
  if (axes === null || (axes && axes.shape.length !== 1)) throw new Unsupported("axes are a list");
  const x = { data: values(data), shape: data.shape };
  try {
    const norms = norm(operator.norm, x, axes?.values.map(Number), operator.keepDimensions === true);
    return tensor(data.dtype, norms.shape, norms.data);
  } catch (refusal) {
    throw refusal instanceof RangeError ? new Rejected(refusal.message) : refusal;
  }
});
