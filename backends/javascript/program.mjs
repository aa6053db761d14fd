// Finds the program `normative`, which a package of this platform brings: npm installs the one of `optionalDependencies` that
// fits, and no script of a package runs for it. A path in the environment variable NORMATIVE_PROGRAM comes before all.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** The packages of programs: the target each is built for, and the systems npm installs it on. */
export const PLATFORMS = JSON.parse(readFileSync(new URL("./platforms.json", import.meta.url), "utf8"));

/** The path of the program. Throws an error that says what is missing. */
export function findProgram() {
  const named = process.env.NORMATIVE_PROGRAM;
  if (named) return named;
  const fitting = PLATFORMS.filter(({ os, cpu, libc }) => os === process.platform && cpu === process.arch && (libc ?? "") === libcHere());
  for (const { package: name, program } of fitting) {
    try {
      return require.resolve(`${name}/${program}`);
    } catch {
      // Looked for below.
    }
  }
  const [{ package: name } = {}] = fitting;
  throw new Error(
    name === undefined
      ? `there is no program for ${process.platform} ${process.arch}: build it, and name it by NORMATIVE_PROGRAM`
      : `expected the package ${name}, got none: npm leaves it out after --omit=optional, where a lock file is of another system, and from a checkout. NORMATIVE_PROGRAM names a program that you have`,
  );
}

function libcHere() {
  if (process.platform !== "linux") return "";
  return process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "glibc";
}
