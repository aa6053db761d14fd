// Reads the record of a run, which the visitor drops, without sending it anywhere. `record.schema.json` describes its lines.

/** The run of a record; throws an error that says what was expected. */
function recordOf(text) {
  const lines = text.split("\n");
  // The last line of a run that was cut off may be cut too.
  lines.pop();
  const parsed = lines.map((line, at) => {
    try {
      return Object.entries(JSON.parse(line))[0];
    } catch {
      throw new Error(`line ${at + 1}: expected a JSON object`);
    }
  });
  if (parsed[0]?.[0] !== "run") throw new Error("expected the head of a run's record on the first line");
  if (parsed.filter(([kind]) => kind === "run").length > 1) throw new Error("expected a record of one run, got several");
  const head = parsed[0][1];
  if (head.format !== index["record-format"]) throw new Error(`expected a record of format ${index["record-format"]}, got format ${head.format}`);
  const all = (kind) => parsed.filter(([name]) => name === kind).map(([, value]) => value);
  const settled = new Map(all("settled").map(({ name, verdict }) => [name, verdict]));
  const [cells, hazards, failures] = [{}, {}, new Map()];
  for (const { spec, dtype, name, verdict: first } of [...all("case"), ...all("call")]) {
    const verdict = settled.get(name) ?? first;
    const cell = cells[`${spec} ${dtype}`] ??= { ...NEVER };
    cell.valid += 1;
    if (verdict === "unsupported") continue;
    cell.answered += 1;
    if (verdict.fails !== undefined) {
      cell[["crash", "timeout"].includes(verdict.fails.kind) ? "died" : "wrong"] += 1;
      failures.set(name, verdict.fails.lines);
    } else if (verdict.conforms.hazard !== undefined) hazards[`${spec} ${dtype}`] = true;
  }
  for (const [place, cell] of Object.entries(cells)) {
    cell.state = cell.wrong + cell.died > 0 ? "defects" : cell.answered === 0 ? "refused" : hazards[place] ? "hazards" : "conforms";
  }
  const end = all("end")[0];
  const asked = all("case").length;
  const why = end === undefined ? "it was cut off" : !end.complete ? "it was stopped early"
    : head.cases < head.corpus ? "filters left cases out" : null;
  const said = [why === null ? "Whole run" : `PARTIAL RUN: ${why}`, `: ${number(asked)} of ${counted(head.corpus, "case")}`,
    `, ${counted(all("call").length, "generated call")} of seed ${head.seed}`,
    head["left-out"].length === 0 ? "" : `; not claimed and left out: ${head["left-out"].join(", ")}`,
    `. Run on ${head.started?.slice(0, 10) ?? "an unknown day"}, suite ${shortSuite(`${head.suite} ${head.commit ?? "(no commit)"}`)}.`].join("");
  // A run makes a call of each defect small; a run that made none has the first of each case.
  const made = unique(all("smaller").map(({ of }) => of)).filter((of) => failures.has(of));
  const firsts = [...Map.groupBy(failures.keys(), (of) => of.split("/")[0]).values()].map(([of]) => of);
  const samples = (made.length > 0 ? made : firsts).slice(0, 50).map((of) => [of, failures.get(of)]);
  const { name, version } = head.backend;
  return { name: `${name} ${version ?? ""}`.trim(), said, cells, isPartial: why !== null, samples, unstable: end?.nondeterministic ?? 0,
    splits: [["inconsistent", end?.inconsistent], ["hazard", end?.hazards]].flatMap(([label, of]) => (of ?? []).map((split) => [label, split])) };
}
