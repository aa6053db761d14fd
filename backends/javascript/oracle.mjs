// The program as an oracle: one process, started with the first request, that answers a line of JSON each. It is started again if
// it died, and does not keep this process from ending.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import { findProgram } from "./program.mjs";

/** The process: how to write to it, and who waits for its next lines. */
let oracle;

/** The content of the reply to a request. */
export async function ask(request) {
  const line = `${JSON.stringify(request)}\n`;
  const said = (await exchange(line)) ?? (await exchange(line));
  if (said === undefined) throw new Error("expected a reply of `normative oracle`, got the end of its output, twice");
  const [[kind, content]] = Object.entries(JSON.parse(said));
  if (kind === "error") throw new Error(content);
  return content;
}

/** The reply; undefined if the process ended first. */
function exchange(line) {
  oracle ??= started();
  const { process: asked, waiting } = oracle;
  return new Promise((resolve, reject) => {
    waiting.push({ resolve, reject });
    asked.ref();
    asked.stdout.ref?.();
    asked.stdin.write(line, () => {});
  });
}

function started() {
  const asked = spawn(findProgram(), ["oracle"], { stdio: ["pipe", "pipe", "inherit"] });
  const mine = { process: asked, waiting: [] };
  const ended = (error) => {
    if (oracle === mine) oracle = undefined;
    for (const { resolve, reject } of mine.waiting.splice(0)) error ? reject(error) : resolve(undefined);
  };
  createInterface({ input: asked.stdout }).on("line", (line) => {
    mine.waiting.shift()?.resolve(line);
    if (mine.waiting.length === 0) idle(asked);
  });
  asked.on("error", ended).on("close", () => ended());
  asked.stdin.on("error", () => {});
  return mine;
}

/** A process that is asked nothing keeps no program alive. */
function idle(asked) {
  asked.unref();
  asked.stdin.unref?.();
  asked.stdout.unref?.();
}
