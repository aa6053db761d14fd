// @NAME@, as Normative judges it: calls in, answers out.
//
// An adapter translates and never repairs. It takes no absolute value, mends no axis and converts no element that @NAME@'s
// own user would not have to. What @NAME@ refuses is `Rejected`, in its words; what it has no place for is `Unsupported`.
// normative_worker.mjs says what a call is.

import { Rejected, Unsupported, run, tensor, values } from "./normative_worker.mjs";

const identity = {
  name: "@NAME@",
  // The version of what is judged, read from it if it can tell.
  version: "0.0.0",
  reportBugsTo: "where @NAME@'s maintainers take bug reports",
};

run(identity, ({ operator, data, axes }) => {
  switch (operator.family) {
    case "openvino":
    case "onnx":
    case "bnns":
    case "array-api":
    case "webnn":
    case "blas":
    default:
      // For example: `return tensor(data.dtype, [], [sum(values(data))])`, or `throw new Rejected(error.message)`.
      throw new Unsupported(`the operators of ${operator.family} are not adapted yet`);
  }
});
