// Adapts a function to calls of the array API's `vector_norm`: `norm(x, { axis, keepdims, ord })`, with `x` an array
// `{ data, shape, dtype }`. A call is translated and never repaired: what it leaves out is left out, and nothing is checked before
// the function is asked. RangeErrors and TypeErrors are refusals, in the function's words; any other exception is a crash.

import { arrayOf, tensorOf } from "./arrays.mjs";
import { Rejected, Unsupported } from "./normative_worker.mjs";

/** An answer of a worker, by a function. */
export function arrayApi(norm) {
  return async (call) => {
    const [array, options] = argumentsOf(call);
    try {
      return tensorOf(await norm(array, options), call.data.dtype);
    } catch (error) {
      if (error instanceof RangeError || error instanceof TypeError) throw new Rejected(`${error.name}: ${error.message}`);
      throw error;
    }
  };
}

/** A line of JavaScript that makes the call. */
export function lineOf(norm, call) {
  const [{ data, shape, dtype }, options] = argumentsOf(call);
  const bigint = typeof data[0] === "bigint" ? "n" : "";
  const elements = [...data].map((x) => (Object.is(x, -0) ? "-0" : `${x}${bigint}`));
  const array = `{ data: ${data.constructor.name}.of(${elements.join(", ")}), shape: ${JSON.stringify(shape)}, dtype: ${JSON.stringify(dtype)} }`;
  const given = Object.entries(options).map(([key, value]) => `${key}: ${JSON.stringify(value) ?? value}`);
  return `${norm}(${array}, { ${given.join(", ")} })`;
}

function argumentsOf({ operator, data, axes }) {
  if (operator.family !== "array-api") throw new Unsupported("the function is of the array API alone");
  if (data.dtype === "f16" || data.dtype === "bf16") throw new Unsupported(`there is no typed array of ${data.dtype}`);
  const options = {};
  if (axes !== undefined) options.axis = axes === null ? null : axisOf(axes);
  if (operator.keepdims !== undefined) options.keepdims = operator.keepdims;
  if (operator.ord !== undefined) options.ord = operator.ord;
  return [arrayOf(data), options];
}

/** A number for a scalar, an array for a list. */
function axisOf({ dtype, shape, values }) {
  const numbers = values.map(Number);
  if (dtype !== "i64" || shape.length > 1) throw new Unsupported(`axis is a number or a list of them, not ${dtype} of shape [${shape}]`);
  if (!numbers.every(Number.isSafeInteger)) throw new Unsupported("no number of JavaScript holds this axis");
  return shape.length === 0 ? numbers[0] : numbers;
}
