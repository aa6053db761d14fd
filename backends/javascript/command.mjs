#!/usr/bin/env node
// `npx normative`: the program of this platform, with the same words, streams and exit code.

import { spawnSync } from "node:child_process";

import { findProgram } from "./program.mjs";

try {
  // The commands that it prints are as its user calls it.
  const env = { ...process.env, NORMATIVE_CALLED: "npx normative" };
  const { status, signal, error } = spawnSync(findProgram(), process.argv.slice(2), { stdio: "inherit", env });
  if (error) throw error;
  if (signal) process.kill(process.pid, signal);
  process.exitCode = status ?? 2;
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 2;
}
