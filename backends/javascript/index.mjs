// The package: a worker for adapters, and judgement within a project's own tests.

export { arrayApi } from "./adapted.mjs";
export { judge } from "./judge.mjs";
export { DTYPES, Rejected, Unsupported, run, tensor, unavailable, values } from "./normative_worker.mjs";
export { findProgram } from "./program.mjs";
export { Report } from "./report.mjs";
export { assertNorm, exact } from "./values.mjs";
