// `exact` and `assertNorm`: what a norm is, and whether values are within what the arithmetic of a specification allows. The
// program evaluates and compares; this file only translates.

import { AssertionError } from "node:assert";

import { arrayOf, encodeCall, tensorOf } from "./arrays.mjs";
import { protocol } from "./normative_worker.mjs";
import { ask } from "./oracle.mjs";

/**
 * The exact norm of `data`: `{ lower, upper, rounded }`, arrays in the type and shape of the result. Every float from `lower` to
 * `upper` is the result of some order of rounded operations; `rounded` is the norm itself, rounded once. `options` are `ord` (2),
 * `axis`, `keepdims` and `spec` ("array-api").
 */
export async function exact(data, options = {}) {
  const call = encodeCall(tensorOf(data), options);
  const [{ is }] = await ask({ answers: call.toString("hex") });
  const [kind, near] = Object.entries(is)[0];
  if (kind !== "near") throw new RangeError(`expected a call whose result is floats, got one whose result is ${kind}`);
  const count = near.shape.reduce((count, dim) => count * dim, 1);
  // A list of the program starts again where it ends.
  const all = (list, of) => Array.from({ length: count }, (_, at) => of(list[at % list.length] || 0));
  const nearest = all(near.nearest ? near.nearest.split(" ") : [], (word) => BigInt(`0x${word}`));
  const { below, above } = near.accepted.find((accepted) => accepted.class === "any-order");
  const offset = (list, sign) => all(list, BigInt).map((offset, at) => nearest[at] + sign * offset);
  return {
    lower: array(near, offset(below, -1n)),
    upper: array(near, offset(above, 1n)),
    rounded: array(near, nearest),
  };
}

function array({ dtype, shape }, bits) {
  const [words, { buffer }] = protocol.bitsOf(dtype, bits);
  return arrayOf({ dtype, shape, elements: new Uint8Array(buffer, 0, words) });
}

/**
 * Resolves if `actual` is a result that the specification allows for the norm of `data`, in type, shape and every element; rejects
 * with an AssertionError that has the exact value, the error in ulp, the bound and its derivation. There is no tolerance. Numbers
 * that are not in a typed array are taken as elements of the data's type.
 */
export async function assertNorm(actual, data, options = {}) {
  const of = tensorOf(data);
  const [call, came] = [encodeCall(of, options).toString("hex"), tensorOf(actual, of.dtype)];
  const answer = { dtype: came.dtype, shape: came.shape, bits: Buffer.from(came.elements).toString("hex") };
  const verdict = await ask({ judge: { call, answer: { tensor: answer } } });
  if (verdict.conforms) {
    // Where any answer is right, no assertion may hold for nothing.
    const outside = !verdict.conforms.accuracy && (await ask({ answers: call })).some(({ is }) => "outside" in is);
    if (outside) throw new RangeError(`expected data that the specification defines norms of, got ${of.dtype} of shape [${of.shape}]`);
    return;
  }
  const lines = verdict.fails.lines.filter(([label]) => label !== "data").map(([label, text]) => `  ${label.padEnd(9)} ${text}`);
  throw new AssertionError({ message: ["not a norm of the data:", ...lines].join("\n"), operator: "assertNorm" });
}
