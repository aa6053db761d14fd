// The adapter of sums.mjs with one mistake, which the word on the command line names: what `smoke` has to find. The names are
// those of planted.py; without one that is known the adapter is honest.

import { run, tensor, values } from "../../../backends/javascript/normative_worker.mjs";
import { IDENTITY, listed, norms } from "./sums.mjs";

/** Hands on other axes than the call has. */
const axesOf = (change) => (call) => {
  const given = call.axes && call.data.shape.length > 0;
  return given ? { ...call, axes: listed(change(call.axes.values.map(Number), call.data.shape.length)) } : call;
};

const throughFloats = (x) => (x.dtype === "i32" ? tensor("i32", x.shape, Float32Array.from(values(x))) : x);

// What each makes of the call.
const BEFORE = {
  "refusal-repaired": axesOf((axes, rank) => new Set(axes.map((axis) => axis % rank))),
  "data-through-f32": (call) => ({ ...call, data: throughFloats(call.data) }),
};

let first;

// What each makes of the result.
const AFTER = {
  "stale-result": (result) => {
    first ??= result;
    return first.dtype === result.dtype && String(first.shape) === String(result.shape) ? first : result;
  },
};

const same = (x) => x;
const [before, after] = [BEFORE, AFTER].map((place) => place[process.argv[2]] ?? same);

run(IDENTITY, (call) => after(norms(before(call))));
