// @stdlib's BLAS as a backend: `cargo xtask conformance --backend "cmd:node THIS_FILE FOLDER"`, FOLDER being where npm put its
// packages @stdlib/blas-base-sasum, -dasum, -snrm2 and -dnrm2.
//
//     dasum(n, x, incx)    dnrm2(n, x, incx)    and the same with s, of a Float32Array
//
// Asked is what `require` gives of a package: the routine in JavaScript, or its add-on where npm built one. A call says all that
// a routine takes, and nothing of it is checked. Unsupported is every call of another family, and every type for which BLAS has
// no routine.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";

import { Unsupported, run, tensor, unavailable, values } from "./normative_worker.mjs";

const LETTERS = { f32: "s", f64: "d" };
const ROUTINES = { L1: "asum", L2: "nrm2" };

const require = createRequire(join(resolve(process.argv[2] ?? "."), "package.json"));
const packageOf = (dtype, norm) => `@stdlib/blas-base-${LETTERS[dtype]}${ROUTINES[norm]}`;

const routines = {};
let version;
try {
  for (const dtype of Object.keys(LETTERS)) {
    for (const norm of Object.keys(ROUTINES)) routines[dtype + norm] = require(packageOf(dtype, norm));
  }
  ({ version } = require(`${packageOf("f64", "L2")}/package.json`));
} catch (missing) {
  unavailable(`@stdlib/blas: ${missing.message}`);
}

const identity = {
  name: "@stdlib/blas-base",
  version,
  reportBugsTo: "https://github.com/stdlib-js/stdlib/issues",
  families: ["blas"],
};

run(identity, ({ operator, data }) => {
  if (operator.family !== "blas") throw new Unsupported("a BLAS has vectors alone");
  if (!LETTERS[data.dtype]) throw new Unsupported(`BLAS has no routine for ${data.dtype}`);
  const routine = routines[data.dtype + operator.norm];
  return tensor(data.dtype, [], [routine(operator.n, values(data), operator.incx)]);
});
