// A backend that refuses every call with what axis_argument.mjs makes of it.

import { axisAndKeepDims } from "../../../backends/javascript/axis_argument.mjs";
import { Rejected, run } from "../../../backends/javascript/normative_worker.mjs";

run({ name: "arguments", version: "1", reportBugsTo: "me@example.org" }, (call) => {
  const { axis, keepDims } = axisAndKeepDims(call);
  const said = axis === undefined ? "all" : Array.isArray(axis) ? `[${axis.join(", ")}]` : axis;
  throw new Rejected(`${said} ${keepDims ? "kept" : "dropped"}`);
});
