// Makes the package of a platform: `node platform_package.mjs TARGET PROGRAM FOLDER` puts a copy of the program that was built
// for TARGET into FOLDER, beside a package.json. The release packs and publishes it; nothing of it is in the repository.

import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { PLATFORMS } from "./program.mjs";

const [target, program, folder] = process.argv.slice(2);
const platform = PLATFORMS.find((platform) => platform.target === target);
if (platform === undefined || folder === undefined) {
  console.error(`expected TARGET PROGRAM FOLDER, with a target of ${PLATFORMS.map(({ target }) => target).join(", ")}`);
  process.exit(2);
}
const beside = (file) => new URL(`./${file}`, import.meta.url);
const { version, license, engines } = JSON.parse(readFileSync(beside("package.json"), "utf8"));
const { package: name, program: file, os, cpu, libc } = platform;
const described = {
  name,
  version,
  description: `The program of normative-suite for ${os} ${cpu}`,
  license,
  os: [os],
  cpu: [cpu],
  ...(libc && { libc: [libc] }),
  engines,
  files: [file],
};
mkdirSync(folder, { recursive: true });
copyFileSync(program, join(folder, file));
chmodSync(join(folder, file), 0o755);
for (const license of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(beside(license), join(folder, license));
writeFileSync(join(folder, "package.json"), `${JSON.stringify(described, null, 2)}\n`);
