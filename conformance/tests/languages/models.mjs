// A worker that takes models and says what it was given, as models.py does.

import { Rejected, run } from "../../../backends/javascript/normative_worker.mjs";

const hex = (bytes) => Buffer.from(bytes).toString("hex");

run({ name: "models", version: "1", reportBugsTo: "this test" }, ({ bytes, inputs }) => {
  const fed = Object.entries(inputs).map(([name, x]) => `${name} ${x.dtype}[${x.shape}] ${hex(x.elements)}`);
  throw new Rejected([hex(bytes), ...fed].join("; "));
}, { takes: "models" });
