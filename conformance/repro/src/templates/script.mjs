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
const DATA = @DATA@

@CODE@

@DUE@

@CHECK@

@MAIN@
