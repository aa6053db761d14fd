// Arrays as JavaScript has them, made into tensors and back, and calls made into the bytes of the protocol.
//
// An array is `{ data, shape }`, as most libraries have it; a typed array alone is a vector, a number a scalar, and nested arrays
// of numbers are what they look like. The type of elements is that of the typed array: numbers of JavaScript are f64 unless
// another type is asked for.

import { DTYPES, protocol, tensor, values } from "./normative_worker.mjs";

const { ARRAYS, encodeTensor, u32 } = protocol;
const OPSETS = [18, 13, 11, 1];

/** A tensor of the protocol, with elements of type `dtype` where an array does not say its own. */
export function tensorOf(array, dtype = "f64") {
  if (typeof array === "number" || typeof array === "bigint") return tensor(dtype, [], [array]);
  if (Array.isArray(array)) return tensor(dtype, shapeOf(array), array.flat(Infinity));
  if (ArrayBuffer.isView(array)) return tensor(dtypeOf(array), [array.length], array);
  if (array?.data === undefined || array.shape === undefined) {
    throw new TypeError("expected { data, shape }, a typed array, a number or nested arrays of numbers");
  }
  const typed = ArrayBuffer.isView(array.data);
  return tensor(typed ? dtypeOf(array.data) : dtype, array.shape, array.data);
}

/** The array of a tensor: `{ data, shape, dtype }`, with a typed array. */
export function arrayOf(tensor) {
  return { data: values(tensor), shape: [...tensor.shape], dtype: tensor.dtype };
}

/** The type of a typed array's elements. 16-bit floats have no typed array that all versions of Node have. */
function dtypeOf(typed) {
  const name = ["f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"].find((dtype) => typed instanceof ARRAYS[dtype]);
  if (name === undefined) throw new TypeError(`expected a typed array of numbers, got ${typed.constructor.name}`);
  return name;
}

function shapeOf(nested) {
  const shape = [];
  for (let inner = nested; Array.isArray(inner); inner = inner[0]) shape.push(inner.length);
  if (nested.flat(Infinity).length !== shape.reduce((count, dim) => count * dim, 1)) {
    throw new RangeError("expected nested arrays of one length each");
  }
  return shape;
}

/** The body of a call frame, numbered 0: the norm of `data` by a spec, such as "array-api", "onnx" or "onnx/ReduceL2-13". */
export function encodeCall(data, { ord = 2, axis, keepdims = false, spec = "array-api" }) {
  if (ord !== 1 && ord !== 2) throw new RangeError(`expected ord 1 or 2, got ${ord}`);
  const [family, version] = spec.split("/");
  const keep = keepdims ? 2 : 1;
  const none = axis === undefined || axis === null;
  const list = none ? undefined : [axis].flat();
  const head = {
    "array-api": () => [Buffer.of(4, ord, keep)],
    webnn: () => [Buffer.of(5, ord, keep)],
    openvino: () => [Buffer.of(1, ord, keep)],
    onnx: () => {
      const opset = version === undefined ? OPSETS[0] : OPSETS.find((opset) => version === `ReduceL${ord}-${opset}`);
      if (opset === undefined) throw new RangeError(`expected onnx/ReduceL${ord}-N with an opset of ${OPSETS}, got ${spec}`);
      const noop = opset === 18 && list?.length === 0;
      return [Buffer.of(2, ord, opset), integer(keepdims ? 1 : 0), noop ? integer(1) : Buffer.of(0)];
    },
  }[family];
  if (head === undefined) throw new RangeError(`expected a spec of array-api, onnx, openvino or webnn, got ${spec}`);
  return Buffer.concat([Buffer.alloc(8), ...head(), encodeTensor(data), ...axesOf(family, data, axis, list)]);
}

function axesOf(family, data, axis, list) {
  // OpenVINO's axes cannot be left out; null is an argument of the array API alone.
  if (list === undefined && family === "openvino") return given([...data.shape.keys()], true);
  if (list === undefined) return [Buffer.of(family === "array-api" ? 1 : 0)];
  return given(list, family !== "array-api" || Array.isArray(axis));
}

function given(axes, isList) {
  const dims = isList ? [u32(1), integer(axes.length).subarray(1)] : [u32(0)];
  const value = (axis) => Buffer.concat([integer(axis).subarray(1), Buffer.alloc(8, axis < 0 ? 0xff : 0)]);
  return [Buffer.of(2, Object.keys(DTYPES).indexOf("i64")), ...dims, u32(axes.length), ...axes.map(value)];
}

/** A byte 1, and the integer in 64 bits. */
function integer(value) {
  const bytes = Buffer.of(1, 0, 0, 0, 0, 0, 0, 0, 0);
  bytes.writeBigInt64LE(BigInt(value), 1);
  return bytes;
}
