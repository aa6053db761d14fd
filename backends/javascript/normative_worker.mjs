// A worker of Normative's protocol, version 1: what a backend in JavaScript needs, in one file to copy.
//
//     import { Rejected, Unsupported, run, tensor, values } from "./normative_worker.mjs";
//
//     run({ name: "my runtime", version: "1.0", reportBugsTo: "https://where.bugs.go" }, (call) => {
//       ...                       // translate the call, run it, return a tensor
//     });
//
// The function gets one call at a time and returns a tensor, or throws `Rejected` (the runtime refused the call as invalid:
// its own message) or `Unsupported` (the runtime has no way to express the call: what is missing). Any other exception is
// reported as a crash, and the process ends. It may return a promise of its answer. To translate is all it may do: it never
// repairs a result, and it never checks what the runtime does not check.
//
// `run(identity, answer, { takes: "models" })` is for a runtime that reads ONNX: run by `--backend "onnx-cmd:..."`, the
// function gets `{ bytes, inputs }`, a serialized model and the tensors to feed it by name, and needs to know no calls.
//
// The identity may say more: `accumulation`, `slow`, `families` or `valuesOf` (what it claims), and `operators` and `dtypes`, such
// as `["onnx/ReduceL1-18"]` or `["onnx"]`, and `["f32"]`: it is asked no others, and claims their families where it says nothing
// of that.
//
// A call is `{ operator, data, axes }`:
//
// - `operator`: `{ family: "openvino", norm, keepDims }`, `{ family: "onnx", norm, opset, keepdims, noopWithEmptyAxes }`,
//   `{ family: "bnns", outputShape }`, `{ family: "array-api", ord, keepdims }`, `{ family: "webnn", norm, keepDimensions }`
//   or `{ family: "blas", norm, n, incx }`. `norm` is "L1", "L2", or "SumSquare" or "Sum" where `operators` names that. An attribute that the call leaves out is
//   `undefined`; the integers of ONNX are BigInts.
// - `data`: `{ dtype, shape, elements }`, row-major, axis 0 the slowest; `elements` is a Uint8Array of little-endian bytes.
// - `axes`: `undefined` where they are left out, `null` where they are null, or `{ dtype, shape, values }`, BigInts.
//
// Node 18 or later, no package. This file knows the bytes of the protocol (conformance/backend/PROTOCOL.md) and nothing of
// norms.

import { fstatSync, readSync, writeSync } from "node:fs";
import { isatty } from "node:tty";

/** The size in bytes of an element of each type. Their order is that of the numbers on the wire. */
export const DTYPES = { f16: 2, bf16: 2, f32: 4, f64: 8, i8: 1, i16: 2, i32: 4, i64: 8, u8: 1, u16: 2, u32: 4, u64: 8 };

/** The array that holds elements of each type; of 16-bit floats, their bits. */
const ARRAYS = {
  f16: Uint16Array, bf16: Uint16Array, f32: Float32Array, f64: Float64Array,
  i8: Int8Array, i16: Int16Array, i32: Int32Array, i64: BigInt64Array,
  u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, u64: BigUint64Array,
};

/** The runtime refused the call as invalid. */
export class Rejected extends Error {}

/** The runtime has no way to express the call, or says that it does not implement it. */
export class Unsupported extends Error {}

/** The elements of a tensor as a typed array of its type: a copy. */
export function values({ dtype, elements }) {
  const copy = new Uint8Array(elements);
  return new ARRAYS[dtype](copy.buffer, 0, copy.length / DTYPES[dtype]);
}

/** A tensor of these elements, row-major: an array of numbers, or of BigInts for 64-bit integers. */
export function tensor(dtype, shape, elements) {
  const typed = ARRAYS[dtype].from(elements);
  return { dtype, shape: [...shape], elements: new Uint8Array(typed.buffer, typed.byteOffset, typed.byteLength) };
}

/** Answers calls until the judge ends the stream, then ends the process. Does not return. */
export function run(identity, answer, { takes = "calls" } = {}) {
  const [due, decode, what] =
    takes === "models" ? [MODEL, decodeModel, "models, which onnx-cmd: asks for"] : [CALL, decodeCall, "calls"];
  converse(async (line) => {
    line.write(HELLO, hello(identity));
    for (let frame; (frame = line.read()) !== undefined; ) {
      if (frame.tag !== due) throw new Broken(`expected frame tag ${due}, got ${frame.tag}: the worker takes ${what}`);
      const { number, asked, data } = decode(frame.body);
      const outcome = await outcomeOf(asked, data, answer);
      line.write(ANSWER, Buffer.concat([number, ...outcome]));
      if (outcome[0][0] === CRASHED) {
        line.flush();
        return 1;
      }
    }
    return 0;
  });
}

/** Shared with the other files of the package. */
export const protocol = { ARRAYS, bitsOf, converseOver, decodeCall, encodeTensor, u32 };

/**
 * Answers the calls that a stream of Node's brings, until it ends: a conversation in a process that does other things as well.
 * After a crash it ends the stream, and the judge begins another.
 */
async function converseOver(stream, identity, answer) {
  const send = (tag, body) => stream.write(Buffer.concat([u32(body.length), Buffer.of(tag), body]));
  send(HELLO, hello(identity));
  let came = Buffer.alloc(0);
  for await (const chunk of stream) {
    came = Buffer.concat([came, chunk]);
    while (came.length >= 5 && came.length >= 5 + came.readUInt32LE(0)) {
      const end = 5 + came.readUInt32LE(0);
      if (came[4] !== CALL) throw new Broken(`expected frame tag ${CALL}, got ${came[4]}`);
      const { number, asked, data } = decodeCall(came.subarray(5, end));
      came = came.subarray(end);
      const outcome = await outcomeOf(asked, data, answer, () => {});
      send(ANSWER, Buffer.concat([number, ...outcome]));
      if (outcome[0][0] === CRASHED) return stream.end();
    }
  }
}

/** The bytes of elements with these bits, which are BigInts: their number, and the typed array that holds them. */
function bitsOf(dtype, bits) {
  const words = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array }[DTYPES[dtype]];
  return [bits.length * DTYPES[dtype], words.from(bits, (word) => (DTYPES[dtype] === 8 ? word : Number(word)))];
}

/** Tells the judge that the runtime is not there, and why, then ends the process. */
export function unavailable(why) {
  converse(async (line) => {
    line.write(UNAVAILABLE, text(why));
    return 0;
  });
}

const [HELLO, CALL, ANSWER, UNAVAILABLE, MODEL] = [1, 2, 3, 4, 5];
const [TENSOR, REJECTED, UNSUPPORTED, CRASHED, CHANGED] = [1, 2, 3, 4, 6];
const FAMILIES = { openvino: 1, onnx: 2, bnns: 3, "array-api": 4, webnn: 5, blas: 6 };
const NAMES = Object.keys(DTYPES);
const MAX_BODY = 2 ** 30;
const HELD = 2 ** 16;

/** The judge does not keep to the protocol. */
class Broken extends Error {}

async function converse(conversation) {
  if (isatty(0)) {
    console.error("This program is a worker: a judge starts it, and speaks to it over descriptor 0.");
    process.exit(2);
  }
  let status;
  try {
    const line = new Line();
    status = await conversation(line);
    line.flush();
  } catch (error) {
    console.error(`worker: ${error.message}`);
    status = 2;
  }
  process.exit(status);
}

/** The connection: frames out of a stream of bytes, and answers held back until more input is needed. */
class Line {
  constructor() {
    this.sink = fstatSync(0).isSocket() ? 0 : 1;
    // Whatever the runtime prints must not get between the frames.
    if (this.sink === 1) console.log = console.info = console.debug = console.error;
    this.came = Buffer.alloc(0);
    this.held = [];
    this.heldBytes = 0;
  }

  /** The next frame; undefined where the stream ends between frames. */
  read() {
    if (!this.fill(5)) {
      if (this.came.length > 0) throw new Broken("the stream ended inside a frame");
      return undefined;
    }
    const [length, tag] = [this.came.readUInt32LE(0), this.came[4]];
    if (length > MAX_BODY) throw new Broken(`expected at most ${MAX_BODY} bytes in a frame, got ${length}`);
    if (!this.fill(5 + length)) throw new Broken("the stream ended inside a frame");
    const body = this.came.subarray(5, 5 + length);
    this.came = this.came.subarray(5 + length);
    return { tag, body };
  }

  /** Whether so many bytes came. Memory grows with what comes, not with what was promised. */
  fill(size) {
    const chunks = [this.came];
    let length = this.came.length;
    while (length < size) {
      this.flush();
      const chunk = Buffer.allocUnsafe(Math.max(HELD, Math.min(size - length, 2 ** 24)));
      const got = readSome(chunk);
      if (got === 0) break;
      chunks.push(chunk.subarray(0, got));
      length += got;
    }
    if (chunks.length > 1) this.came = Buffer.concat(chunks);
    return length >= size;
  }

  write(tag, body) {
    const head = Buffer.alloc(5);
    head.writeUInt32LE(body.length, 0);
    head[4] = tag;
    this.held.push(head, body);
    this.heldBytes += 5 + body.length;
    if (this.heldBytes >= HELD) this.flush();
  }

  flush() {
    let rest = Buffer.concat(this.held);
    [this.held, this.heldBytes] = [[], 0];
    while (rest.length > 0) rest = rest.subarray(writeSync(this.sink, rest));
  }
}

function readSome(chunk) {
  try {
    return readSync(0, chunk);
  } catch (error) {
    // What Windows says at the end of a pipe.
    if (error.code === "EOF") return 0;
    throw error;
  }
}

/** The parts of an outcome; the first begins with its number. */
async function outcomeOf(asked, data, answer, print = console.error) {
  const before = Buffer.from(data.elements);
  let outcome;
  try {
    outcome = [Buffer.of(TENSOR), encodeTensor(await answer(asked))];
  } catch (error) {
    const kind = error instanceof Rejected ? REJECTED : error instanceof Unsupported ? UNSUPPORTED : CRASHED;
    if (kind === CRASHED) print(error);
    const why = kind === CRASHED ? String(error) : error.message;
    outcome = [Buffer.of(kind), text(why)];
    if (kind === CRASHED) return outcome;
  }
  if (before.equals(data.elements)) return outcome;
  const at = before.findIndex((byte, place) => byte !== data.elements[place]);
  const element = Math.floor(at / DTYPES[data.dtype]);
  return [Buffer.of(CHANGED), text(`element ${element} of its input is another after the call`)];
}

function u32(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}

function text(words) {
  const bytes = Buffer.from(words, "utf8");
  return Buffer.concat([u32(bytes.length), bytes]);
}

function hello({ name, version, reportBugsTo, accumulation = {}, ...rest }) {
  const sums = Object.entries(accumulation);
  const parts = [Buffer.from("NORMATIV"), u32(1), text(name), text(version), text(reportBugsTo), u32(sums.length)];
  parts.push(...sums.map((dtypes) => Buffer.from(dtypes.map((dtype) => NAMES.indexOf(dtype)))));
  return Buffer.concat([...parts, ...whatIsUnusual(rest)]);
}

/** The parts up to the last that is not as usual: a worker that says nothing new says it as it always did. */
function whatIsUnusual({ slow = false, families, valuesOf = [], operators = [], dtypes = [] }) {
  const claims = families !== undefined || valuesOf.length + operators.length > 0;
  const named = [...new Set(operators.map((operator) => operator.split("/")[0]))];
  const usual = named.length > 0 ? named : ["openvino", "onnx", "bnns"];
  const inFull = families ?? (valuesOf.length > 0 ? [] : usual);
  const codes = [...inFull.map((family) => FAMILIES[family]), ...valuesOf.map((family) => FAMILIES[family] | 0x80)];
  const parts = [
    [slow, Buffer.of(slow ? 1 : 0)],
    [claims, list(codes.map((code) => Buffer.of(code)))],
    // Neither axes in the form of another opset nor layouts.
    [false, Buffer.of(0)],
    [false, list([])],
    [operators.length > 0, list(operators.map(text))],
    [dtypes.length > 0, list(dtypes.map((dtype) => Buffer.of(NAMES.indexOf(dtype))))],
  ];
  const said = parts.map(([differs]) => differs).lastIndexOf(true) + 1;
  return parts.slice(0, said).map(([, part]) => part);
}

function list(items) {
  return Buffer.concat([u32(items.length), ...items]);
}

function encodeTensor(answer) {
  if (!(answer?.elements instanceof Uint8Array)) throw new TypeError("the adapter returned no tensor");
  const { dtype, shape, elements } = answer;
  const due = shape.reduce((count, dim) => count * dim, DTYPES[dtype]);
  if (elements.length !== due) {
    throw new RangeError(`expected ${due} bytes for ${dtype}[${shape}], got ${elements.length}`);
  }
  const head = Buffer.alloc(5 + 8 * shape.length);
  head[0] = NAMES.indexOf(dtype);
  head.writeUInt32LE(shape.length, 1);
  shape.forEach((dim, at) => head.writeBigUInt64LE(BigInt(dim), 5 + 8 * at));
  return Buffer.concat([head, elements]);
}

/** A body being read from the front. */
class Body {
  constructor(body) {
    [this.body, this.at] = [body, 0];
  }

  take(size) {
    const left = this.body.length - this.at;
    if (left < size) throw new Broken(`byte ${this.at}: expected ${size} bytes, got ${left}`);
    this.at += size;
    return this.body.subarray(this.at - size, this.at);
  }

  u32() {
    return this.take(4).readUInt32LE();
  }

  /** The meaning of a byte. */
  oneOf(meanings) {
    const code = this.take(1)[0];
    if (!(code in meanings)) throw new Broken(`byte ${this.at - 1}: ${code} means nothing here`);
    return meanings[code];
  }

  end() {
    const left = this.body.length - this.at;
    if (left > 0) throw new Broken(`byte ${this.at}: ${left} bytes follow the call`);
  }

  tensor() {
    const data = { dtype: this.oneOf(NAMES), shape: this.dims() };
    const size = data.shape.reduce((count, dim) => count * dim, DTYPES[data.dtype]);
    return { ...data, elements: new Uint8Array(this.take(size)) };
  }

  dims() {
    return Array.from({ length: this.u32() }, () => Number(this.take(8).readBigUInt64LE()));
  }
}

function decodeCall(bytes) {
  const body = new Body(bytes);
  const number = Buffer.from(body.take(8));
  const operator = body.oneOf({ 1: openvino, 2: onnx, 3: bnns, 4: arrayApi, 5: webnn, 6: blas })(body);
  const data = body.tensor();
  const axes = body.oneOf({ 0: () => undefined, 1: () => null, 2: given })(body);
  body.end();
  return { number, asked: { operator, data, axes }, data };
}

function decodeModel(bytes) {
  const body = new Body(bytes);
  const number = Buffer.from(body.take(8));
  const model = new Uint8Array(body.take(body.u32()));
  const input = () => [body.take(body.u32()).toString(), body.tensor()];
  const inputs = Object.fromEntries(Array.from({ length: body.u32() }, input));
  body.end();
  return { number, asked: { bytes: model, inputs }, data: inputs.data };
}

const int32 = (body) => body.take(4).readInt32LE();
const norm = (body) => body.oneOf({ 1: "L1", 2: "L2", 3: "SumSquare", 4: "Sum" });
const flag = (body) => body.oneOf({ 0: undefined, 1: false, 2: true });
const attribute = (body) => (body.oneOf({ 0: false, 1: true }) ? body.take(8).readBigInt64LE() : undefined);

const openvino = (body) => ({ family: "openvino", norm: norm(body), keepDims: flag(body) });
const onnx = (body) => ({
  family: "onnx",
  norm: norm(body),
  opset: body.oneOf({ 1: 1, 11: 11, 13: 13, 18: 18 }),
  keepdims: attribute(body),
  noopWithEmptyAxes: attribute(body),
});
const bnns = (body) => ({ family: "bnns", outputShape: body.dims() });
const arrayApi = (body) => ({ family: "array-api", ord: body.oneOf({ 0: undefined, 1: 1, 2: 2 }), keepdims: flag(body) });
const blas = (body) => ({ family: "blas", norm: norm(body), n: int32(body), incx: int32(body) });
const webnn = (body) => ({ family: "webnn", norm: norm(body), keepDimensions: flag(body) });

function given(body) {
  const axes = { dtype: body.oneOf(NAMES), shape: body.dims() };
  axes.values = Array.from({ length: body.u32() }, () => {
    const bytes = body.take(16);
    return bytes.readBigUInt64LE(0) + (bytes.readBigInt64LE(8) << 64n);
  });
  return axes;
}
