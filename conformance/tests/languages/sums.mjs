// A backend of Node alone: norms of short f32, i32 and i64 tensors, and, in a role, misconduct. It is to the worker in
// JavaScript what sums.py is to the one in Python.

import { spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";

import { Rejected, Unsupported, run, tensor, unavailable, values } from "../../../backends/javascript/normative_worker.mjs";

export const IDENTITY = { name: "sums", version: "0.3", reportBugsTo: "me@example.org", accumulation: { f16: "f32" } };

/** More of the identity, in some roles. */
const SAID = {
  "values-alone": { valuesOf: ["onnx"] },
  declares: { operators: ["openvino/ReduceL1-4", "onnx"], dtypes: ["f32", "i64"] },
};

/** What the library does with a call. */
export function norms({ operator, data, axes }) {
  if (!["f32", "i32", "i64"].includes(data.dtype)) throw new Unsupported(`no sums of ${data.dtype}`);
  const family = { openvino, onnx, "array-api": arrayApi, blas }[operator.family];
  if (family === undefined) throw new Unsupported(`nothing of ${operator.family}`);
  return family(operator, data, axes);
}

function openvino({ norm, keepDims }, data, axes) {
  if (!axes || axes.shape.length > 1) throw new Unsupported("only a list of axes");
  return reduced(norm, data, axes, keepDims === true);
}

function onnx({ norm, opset, keepdims, noopWithEmptyAxes }, data, axes) {
  if (![undefined, 0n, 1n].includes(keepdims) || (opset < 18 && noopWithEmptyAxes !== undefined)) {
    throw new Unsupported("only plain attributes");
  }
  const none = !axes || axes.values.length === 0;
  const all = none && noopWithEmptyAxes !== 1n;
  return reduced(norm, data, all ? listed(data.shape.keys()) : (axes ?? listed([])), keepdims !== 0n);
}

function arrayApi({ ord, keepdims }, data, axes) {
  return reduced(ord === 1 ? "L1" : "L2", data, axes ?? listed(data.shape.keys()), keepdims === true);
}

/** asum has no elements where they do not lie forwards. */
function blas({ norm, n, incx }, data) {
  if (data.dtype !== "f32") throw new Rejected(`no routine for ${data.dtype}`);
  const none = n <= 0 || (incx <= 0 && norm === "L1");
  const first = incx >= 0 ? 0 : (1 - n) * incx;
  const all = values(data);
  return tensor("f32", [], [normOf(norm, "f32", Array.from({ length: none ? 0 : n }, (_, i) => all[first + i * incx]))]);
}

export function listed(numbers) {
  const list = Array.from(numbers, BigInt);
  return { dtype: "i64", shape: [list.length], values: list };
}

export function reduced(norm, data, axes, keep) {
  if (axes.dtype !== "i64") throw new Rejected(`axes of ${axes.dtype}`);
  const { shape } = data;
  const inner = shape.map(() => false);
  for (const axis of axes.values) {
    const at = Number(axis < 0n ? axis + BigInt(shape.length) : axis);
    if (!(at in shape)) throw new Rejected(`axis ${axis} of rank ${shape.length}`);
    inner[at] = true;
  }
  const rows = Array.from({ length: shape.reduce((size, dim, at) => (inner[at] ? size : size * dim), 1) }, () => []);
  values(data).forEach((x, place) => {
    let [to, stride] = [0, 1];
    for (let at = shape.length - 1; at >= 0; at -= 1) {
      if (!inner[at]) {
        to += (place % shape[at]) * stride;
        stride *= shape[at];
      }
      place = Math.floor(place / shape[at]);
    }
    rows[to].push(x);
  });
  const dims = shape.map((dim, at) => (inner[at] ? 1 : dim)).filter((_, at) => keep || !inner[at]);
  return tensor(data.dtype, dims, rows.map((row) => normOf(norm, data.dtype, row)));
}

function normOf(norm, dtype, row) {
  if (dtype === "f32") {
    const sum = row.reduce((sum, x) => sum + (norm === "L1" ? Math.abs(x) : x * x), 0);
    return norm === "L1" ? sum : Math.sqrt(sum);
  }
  const whole = row.map(BigInt);
  const sum = whole.reduce((sum, x) => sum + (norm === "L1" ? (x < 0n ? -x : x) : x * x), 0n);
  const result = norm === "L1" ? sum : root(sum);
  if (BigInt.asIntN(dtype === "i32" ? 32 : 64, result) !== result) throw new Rejected(`${result} is too great`);
  return dtype === "i32" ? Number(result) : result;
}

/** The integer square root, by Newton's method. */
function root(square) {
  if (square < 2n) return square;
  let guess = 1n << BigInt(square.toString(2).length / 2 + 1 | 0);
  for (let next; (next = (guess + square / guess) >> 1n) < guess; ) guess = next;
  return guess;
}

const ROLES = {
  raises: () => {
    throw new RangeError("no such kernel");
  },
  changes: ({ data }) => {
    data.elements[5] ^= 1;
    return data;
  },
  prints: ({ data }) => {
    console.log("print\n".repeat(5000));
    spawnSync("echo", ["from a process"], { stdio: ["ignore", 2, 2] });
    return data;
  },
  "says-much": () => {
    throw new Rejected("?" + "ö".repeat(1_000_000));
  },
  "returns-nothing": () => undefined,
  "returns-too-little": () => ({ dtype: "f32", shape: [3], elements: new Uint8Array(4) }),
  echoes: ({ data }) => data,
};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const role = process.argv[2];
  if (role === "unavailable") unavailable("sums: No module named 'möck'");
  else run({ ...IDENTITY, ...SAID[role] }, (call) => (call.operator.family === "openvino" && call.axes === null ? ROLES[role](call) : norms(call)));
}
