// The adapter of sums.mjs with one mistake, which the word on the command line names: what `smoke` has to find. The names are
// those of planted.py; without one that is known the adapter is honest.

import { Rejected, Unsupported, run, tensor, values } from "../../../backends/javascript/normative_worker.mjs";
import { IDENTITY, listed, norms } from "./sums.mjs";

/** Hands on other axes than the call has. */
const axesOf = (change) => (call) => {
  const given = call.axes && call.data.shape.length > 0;
  return given ? { ...call, axes: listed(change(call.axes.values.map(Number), call.data.shape.length)) } : call;
};

/** Hands on another operator in place of one that fits. */
const where = (fits, changed) => (call) =>
  fits(call.operator) ? { ...call, operator: { ...call.operator, ...changed } } : call;

const ofShape = (x, shape) => ({ ...x, shape });
const throughFloats = (x) => (x.dtype === "i32" ? tensor("i32", x.shape, Float32Array.from(values(x))) : x);
const kept = { family: "openvino", keepDims: false };

// What each makes of the call.
const BEFORE = {
  "axes-ignored": axesOf((_, rank) => Array(rank).keys()),
  "axes-from-the-other-end": axesOf((axes, rank) => axes.map((axis) => rank - 1 - axis)),
  "first-axis-alone": axesOf((axes) => axes.slice(0, 1)),
  "refusal-repaired": axesOf((axes, rank) => new Set(axes.map((axis) => axis % rank))),
  "type-of-axes-dropped": (call) => (call.axes ? { ...call, axes: { ...call.axes, dtype: "i64" } } : call),
  "null-is-a-list-of-none": (call) =>
    call.axes === null ? { ...call, axes: listed([]), operator: { norm: "L1", ...call.operator, ...kept } } : call,
  "empty-list-is-everything": (call) =>
    call.axes?.values.length === 0 ? { ...call, axes: listed(call.data.shape.keys()) } : call,
  "noop-dropped": where((operator) => operator.noopWithEmptyAxes !== undefined, { noopWithEmptyAxes: undefined }),
  "default-filled-in": where((operator) => operator.family === "openvino" && operator.keepDims === undefined, { keepDims: true }),
  "default-of-onnx-filled-in": where((operator) => operator.family === "onnx" && operator.keepdims === undefined, { keepdims: 0n }),
  "ord-filled-in": where((operator) => operator.family === "array-api" && operator.ord === undefined, { ord: 1 }),
  "attribute-ignored": where((operator) => operator.family === "openvino", { keepDims: undefined }),
  "other-norm": where((operator) => operator.family === "openvino" && operator.norm === "L1", { norm: "L2" }),
  "dims-of-the-data-reversed": (call) => ({ ...call, data: ofShape(call.data, [...call.data.shape].reverse()) }),
  "spacing-ignored": where((operator) => operator.family === "blas", { incx: 1 }),
  "data-through-f32": (call) => ({ ...call, data: throughFloats(call.data) }),
};

let first;

// What each makes of the result.
const AFTER = {
  "dims-of-the-answer-reversed": (result) => ofShape(result, [...result.shape].reverse()),
  "a-scalar-as-a-list": (result) => ofShape(result, result.shape.length > 0 ? result.shape : [1]),
  "another-type": (result) => (result.dtype === "i32" ? tensor("i64", result.shape, Array.from(values(result), BigInt)) : result),
  "result-through-f32": throughFloats,
  "result-repaired": (result) =>
    result.dtype === "f32" ? tensor("f32", result.shape, values(result).map((x) => (Number.isFinite(x) ? x : 0))) : result,
  "stale-result": (result) => {
    first ??= result;
    return first.dtype === result.dtype && String(first.shape) === String(result.shape) ? first : result;
  },
};

class IndexError extends Error {}
IndexError.prototype.name = "IndexError";

// What each makes of a refusal.
const REFUSED = {
  "refusal-raised": (refusal) => new IndexError(refusal.message),
  "refusal-without-words": () => new Rejected(""),
  "refusal-is-unsupported": (refusal) => new Unsupported(refusal.message),
};

const mistake = process.argv[2];
const same = (x) => x;
const [before, after, refused] = [BEFORE, AFTER, REFUSED].map((place) => place[mistake] ?? same);

run(IDENTITY, (call) => {
  // As one whose loop over outer dims ends before the last.
  const one = call.data.shape.length === 1 && call.operator.family === "openvino";
  if (mistake === "one-dim-kept" && one) return call.data;
  try {
    return after(norms(before(call)));
  } catch (error) {
    throw error instanceof Rejected ? refused(error) : error;
  }
});
