// A worker for a function that it imports by name: `judge` starts it with what it needs as its one argument.

import { arrayApi } from "./adapted.mjs";
import { run } from "./normative_worker.mjs";

const { module, name, identity } = JSON.parse(process.argv[2]);
const norm = (await import(module))[name];
if (typeof norm !== "function") {
  console.error(`expected a function ${name} of ${module}, got ${typeof norm}`);
  process.exit(2);
}
run(identity, arrayApi(norm));
