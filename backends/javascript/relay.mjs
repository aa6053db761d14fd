// Hands the judge's connection to the process that listens at the socket named on the command line, byte for byte, both ways. The
// judge starts this program as the worker.

import { fstatSync } from "node:fs";
import { Socket, connect } from "node:net";

const answering = connect(process.argv[2]);
const ended = () => process.exit(0);
answering.on("error", () => process.exit(1));
if (fstatSync(0).isSocket()) {
  const judge = new Socket({ fd: 0, readable: true, writable: true, allowHalfOpen: true });
  judge.on("error", ended).pipe(answering);
  answering.pipe(judge).on("finish", ended);
} else {
  process.stdin.pipe(answering);
  answering.pipe(process.stdout);
  answering.on("end", () => process.stdout.end(ended));
}
