// The report of a judgement, as the program's `--format json` has it.

import { lineOf } from "./adapted.mjs";
import { protocol } from "./normative_worker.mjs";

/** The findings beside defects that `toString` shows. */
const SHOWN = 12;

/** What a judgement found. `String(report)` shows it as text. */
export class Report {
  constructor(run, norm) {
    /** True if nothing speaks against the backend. */
    this.conforms = run.conforms;
    /** The verdict and the counts, in a line. */
    this.outcome = run.outcome;
    /** The defects, the worst first: `name`, `failures`, `clause`, `call`, `expected`, `got`, `line` (which repeats it), `lines`. */
    this.defects = run.defects.map((defect) => withLine(defect, norm));
    /** What speaks against several answers together, the process or the baseline: `kind`, `name` and `lines` of each. */
    this.findings = run.findings;
    /** The clauses that were tested: `clause`, `says`, `status` and more of each. */
    this.clauses = run.clauses;
    /** The readings of open questions. */
    this.readings = run.questions;
    /** Hazards, which are allowed and not the norm, and questions that were read in several ways. */
    this.hazards = run.safety;
    /** The accuracy that was reached: tables with `of`, `header` and `rows`. */
    this.accuracy = run.accuracy;
  }

  toString() {
    const lines = ({ lines }) => lines.map(([label, text]) => `  ${label.padEnd(9)} ${text}`);
    const count = this.defects.length;
    const defects = this.defects.map((defect, at) => {
      const repeat = defect.line === undefined ? [] : [`  repeat    ${defect.line}`];
      return [`DEFECT ${at + 1} of ${count}: ${defect.name}`, ...repeat, ...lines(defect), ""].join("\n");
    });
    const findings = this.findings.slice(0, SHOWN).map((one) => [`${one.kind} ${one.name}`, ...lines(one), ""].join("\n"));
    const more = this.findings.length > SHOWN ? [`and ${this.findings.length - SHOWN} more findings`] : [];
    return [...defects, ...findings, ...more, ...this.hazards, this.outcome].join("\n");
  }
}

function withLine(defect, norm) {
  const call = protocol.decodeCall(Buffer.from(defect.call, "hex")).asked;
  let line;
  try {
    if (norm !== undefined) line = lineOf(norm, call);
  } catch {
    // No line of JavaScript makes this call.
  }
  return { ...defect, call, line };
}
