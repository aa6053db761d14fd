// `judge`: whether a function, or any backend, does what a specification says.
//
// The program judges. It starts `relay.mjs` as the worker, which hands its connection to this process, so a function is asked
// where it lives, with the state it has there.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { arrayApi } from "./adapted.mjs";
import { protocol } from "./normative_worker.mjs";
import { findProgram } from "./program.mjs";
import { Report } from "./report.mjs";

/**
 * Judges a function by the array API's `vector_norm`, or a backend by what it claims, and returns the report.
 *
 * `what` is a function `norm(x, { axis, keepdims, ord })` over arrays `{ data, shape, dtype }`, which may be asynchronous; or
 * `{ module, name }`, an export that a process of its own imports, by a URL, a package or a path from the current folder; or a backend as the program takes it, such as
 * `"cmd:node my_backend.mjs"`. Options are:
 *
 *   spec            a version of an operator, such as "array-api/vector_norm-l2-2022.12"
 *   property        the number of generated calls
 *   dtypes          the types of data that it is asked about; left out, f32 and f64
 *   valuesAlone     judge values and shapes, and neither types nor refusals
 *   timeout         the seconds that an answer may take
 *   name, version   what the report calls the function
 *   baseline        a file of known failures, which do not count; `update` writes it
 *   options         further options of `normative conformance`
 *
 * Exceptions are verdicts on a call. This process does not survive a crash of native code nor `process.exit`, and an endless loop
 * keeps it from noticing that time is up: `{ module, name }` survives all of these.
 */
export async function judge(what, { spec, property, timeout, baseline, update = false, options = [], ...rest } = {}) {
  const named = [["--spec", spec], ["--property", property], ["--timeout", timeout]];
  const more = named.flatMap(([option, value]) => (value === undefined ? [] : [option, String(value)]));
  if (baseline !== undefined && !update && !existsSync(baseline)) {
    throw new Error(`expected a baseline at ${baseline}, got no file: update: true writes one`);
  }
  if (baseline !== undefined) more.push("--baseline", String(baseline));
  if (baseline !== undefined && update) more.push("--baseline-update");
  const folder = await mkdtemp(join(tmpdir(), "normative-"));
  try {
    const run = (backend, words) => reportOf(folder, backend, [...words, ...more, ...options]);
    if (typeof what === "string") return new Report(await run(what, rest.name ? ["--name", rest.name] : []));
    const identity = identityOf(what, rest);
    const words = ["--name", identity.name];
    if (typeof what !== "function") return new Report(await run(isolated(what, identity), words), what.name ?? "norm");
    const serving = await serve(folder, what, identity);
    try {
      return new Report(await run(serving.backend, ["--jobs", "1", ...words]), identity.name);
    } finally {
      serving.end();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function identityOf(what, { name, version = "of this process", dtypes = ["f32", "f64"], valuesAlone = false }) {
  const called = name ?? (what.name || "norm");
  const claims = valuesAlone ? { valuesOf: ["array-api"] } : { families: ["array-api"] };
  return { name: called, version, reportBugsTo: "its author", operators: ["array-api"], dtypes, ...claims };
}

/** Runs the program, and returns the report of its one run. */
async function reportOf(folder, backend, words) {
  const kept = ["--format", "json", "--record", join(folder, "record.ndjson")];
  const program = spawn(findProgram(), ["--quiet", "conformance", "--backend", backend, ...kept, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  const [report, said] = [program.stdout, program.stderr].map((stream) => {
    const chunks = [];
    stream.on("data", (chunk) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString();
  });
  const code = await new Promise((resolve, reject) => program.on("error", reject).on("close", resolve));
  const text = report();
  if (!text.startsWith("{")) throw new Error(said().trim() || `normative conformance ended with ${code}`);
  return JSON.parse(text).runs[0];
}

/** Answers every conversation that the judge starts, and gives the backend that starts one. */
async function serve(folder, norm, identity) {
  const path = process.platform === "win32" ? `\\\\.\\pipe\\${folder.replaceAll(/[\\/:]/g, "-")}` : join(folder, "socket");
  const answer = arrayApi(norm);
  const connections = new Set();
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    connections.add(connection);
    connection.on("error", () => {}).on("close", () => connections.delete(connection));
    // The judge may end a conversation at any time.
    protocol.converseOver(connection, identity, answer).catch(() => {}).finally(() => connection.end());
  });
  await new Promise((resolve, reject) => server.on("error", reject).listen(path, resolve));
  const end = () => {
    server.close();
    for (const connection of connections) connection.destroy();
  };
  return { backend: command("relay.mjs", path), end };
}

/** The backend of an export that a process of its own imports. */
function isolated({ module, name = "default" }, identity) {
  return command("isolated.mjs", JSON.stringify({ module: urlOf(module), name, identity }));
}

function urlOf(module) {
  if (module instanceof URL || /^[a-z]{2,}:/.test(module)) return String(module);
  return pathToFileURL(createRequire(join(process.cwd(), "here")).resolve(module)).href;
}

function command(file, argument) {
  const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;
  return `cmd:${[process.execPath, fileURLToPath(new URL(`./${file}`, import.meta.url)), argument].map(quoted).join(" ")}`;
}
