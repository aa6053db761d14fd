@TITLE@
//
// Needs: npm install, in this folder
// Run:   node repro.mjs
// Exit status: 0 where the result is one that is due, 1 where it is not.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

@IMPORTS@

const CALL = @CALL@;
const SHAPE = @SHAPE@;
@if in-file@
const DATA = new @TYPED_ARRAY@(Uint8Array.from(readFileSync(new URL("data.bin", import.meta.url))).buffer);
@else@
const DATA = @TYPED_ARRAY_OF_DATA@
@end@

@CODE@

// What is due: one of these. Of each element, the bits from the first number of a pair to the second are accepted,
// both included.
@OPEN@
const DUE = [
@DUE@
];

@CHECK@

@if child@
/** The exit status of the call in a process of its own. */
function alone() {
  const script = fileURLToPath(import.meta.url);
  const { status, signal } = spawnSync(process.execPath, [script, "--here"], { stdio: "inherit", timeout: 60_000 });
  return status ?? signal;
}

if (process.argv[2] === "--here") main();
@if until-wrong@// When this script was written, the answer was not the same each time, so the call is made until it is wrong.
@if until-wrong@let status = 0;
@if until-wrong@for (let run = 0; run < 20 && status === 0; run += 1) status = alone();
@if !until-wrong@// When this script was written, the call ended its process, so it is made in one of its own.
@if !until-wrong@const status = alone();
if (status !== 0 && status !== 1) {
  console.log(`came   nothing: the process ended with ${status}`);
  finish(false);
}
process.exit(status);
@else@
main();
@end@
