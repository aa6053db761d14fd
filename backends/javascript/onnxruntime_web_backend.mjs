// onnxruntime-web on WebAssembly as a backend: `cargo xtask conformance --backend "onnx-cmd:node THIS_FILE FOLDER"`, FOLDER
// being where `npm install` put onnxruntime-web. It is given models, so all that it knows is how a session is made and run:
//
//     (await InferenceSession.create(bytes)).run({ data: new Tensor(type, elements, dims) })
//
// One thread; nothing else is set. What it says is not implemented or has no kernel is unsupported; any other error of its
// own is a rejection, in its words. Unsupported without asking: bf16, of which it has no tensor.

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { setFlagsFromString } from "node:v8";

import { DTYPES, Rejected, Unsupported, run, unavailable, values } from "./normative_worker.mjs";

const TYPES = {
  f16: "float16", f32: "float32", f64: "float64", i8: "int8", i16: "int16", i32: "int32", i64: "int64",
  u8: "uint8", u16: "uint16", u32: "uint32", u64: "uint64",
};
const NAMES = Object.fromEntries(Object.entries(TYPES).map(([ours, theirs]) => [theirs, ours]));
const DECLINES = /not implemented|could not find an implementation|unsupported/i;

// V8 would compile the module once more in the background, optimised, and a process that ends waits for that: for two seconds
// on a busy machine, where the judge waits for half of one.
setFlagsFromString("--liftoff-only");

const from = createRequire(resolve(process.argv[2] ?? ".", "package.json"));
let ort;
try {
  ort = from("onnxruntime-web");
} catch (missing) {
  unavailable(`onnxruntime-web: ${missing.message}`);
}
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "fatal";

const identity = {
  name: "onnxruntime-web",
  version: ort.env.versions.web,
  reportBugsTo: "https://github.com/microsoft/onnxruntime/issues",
  slow: true,
};

run(identity, async ({ bytes, inputs }) => {
  const fed = Object.entries(inputs).map(([name, tensor]) => [name, input(tensor)]);
  try {
    const session = await ort.InferenceSession.create(bytes, { executionProviders: ["wasm"] });
    const { reduced } = await session.run(Object.fromEntries(fed));
    await session.release();
    return output(reduced);
  } catch (error) {
    throw error.constructor !== Error ? error : DECLINES.test(error.message) ? new Unsupported(error.message) : new Rejected(error.message);
  }
}, { takes: "models" });

function input(tensor) {
  if (!(tensor.dtype in TYPES)) throw new Unsupported(`onnxruntime-web has no tensor of ${tensor.dtype}`);
  return new ort.Tensor(TYPES[tensor.dtype], values(tensor), tensor.shape);
}

function output({ type, dims, data }) {
  const size = dims.reduce((count, dim) => count * dim, DTYPES[NAMES[type]]);
  return { dtype: NAMES[type], shape: dims, elements: new Uint8Array(data.buffer, data.byteOffset, size) };
}
