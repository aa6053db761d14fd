// The runs of the site, and their pictures: a matrix of operators by types, and a strip of releases.

const index = data.index;

/** The sign and the words of each state, the worst first. In strips, a worse state is a taller bar. */
const STATES = {
  defects: { sign: "✕", words: "defects", tall: 1 },
  hazards: { sign: "△", words: "hazards", tall: 0.66 },
  conforms: { sign: "✓", words: "conforms", tall: 0.36 },
  refused: { sign: "–", words: "not supported", tall: 0.1 },
  never: { sign: "·", words: "never asked", tall: 0 },
};
/** The states of a release in the life of one defect or hazard, too. */
const LIFE = { ...STATES, without: { words: "without it", tall: 0 } };
const NEVER = { state: "never", answered: 0, valid: 0, wrong: 0, died: 0, matters: [] };
const TYPES = ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"];

const shortOf = (spec) => spec.split("/")[1];
const bareOf = (spec) => shortOf(spec).replace(/-[\d.]+$/, "");
const byType = (a, b) => TYPES.indexOf(a) - TYPES.indexOf(b);
const inOrder = (specs) => specs.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
const worst = (states) => Object.keys(STATES).find((state) => states.includes(state)) ?? "never";
const unique = (items) => [...new Set(items)];

/** Returns the function that names each of these specs: with its family, if there are several. A line may break behind / and -. */
function namesOf(specs) {
  const isOne = unique(specs.map((spec) => spec.split("/")[0])).length === 1;
  return (spec) => (isOne ? shortOf(spec) : spec).split(/(?<=[/-])/).flatMap((part) => [part, make("wbr")]);
}

/** A runtime with the cell of every release, oldest first, in each of its rows. */
function expanded(runtime) {
  const rows = runtime.types.map(({ spec, dtype, changes }) => {
    let at = -1;
    const cells = runtime.releases.map(({ release }) => {
      if (changes[at + 1]?.since === release) at += 1;
      return changes[at] ?? NEVER;
    });
    return { spec, dtype, cells };
  });
  return { ...runtime, rows };
}

const runtimes = Object.values(data.runtimes).map(expanded);
const runtimeOf = (backend) => runtimes.find((runtime) => runtime.backend === backend);

/** The place of the newest judged release of this name or minor version, or else `none`; without a name, of the newest. */
const placeOf = ({ releases }, name) => name
  ? releases.findLastIndex(({ release }) => release === name || release.startsWith(`${name}.`)) : releases.length - 1;

/** The worst state of these rows in a release. */
const stateOf = (rows, at) => worst(rows.map(({ cells }) => cells[at].state));

/** The run that judged a release, with its cells by spec and type. */
function runOf(runtime, at) {
  const { release, judged, suite, cases, generated, seed } = runtime.releases[at];
  const cells = Object.fromEntries(runtime.rows.map(({ spec, dtype, cells: of }) => [`${spec} ${dtype}`, of[at]]));
  const by = `${counted(cases, "case")} and ${counted(generated, "generated call")} of seed ${seed}`;
  const said = `Whole run, judged ${judged} by ${by}, suite ${shortSuite(suite)}.`;
  return { name: `${runtime.runtime} ${release}`, backend: runtime.backend, release, said, cells };
}

/** A run with the versions of an operator together, to stand beside a run of another text. */
function anyVersion(run) {
  const cells = {};
  for (const [place, cell] of Object.entries(run.cells)) {
    const [spec, dtype] = place.split(" ");
    const all = cells[`operators/${bareOf(spec)} ${dtype}`] ??= { ...NEVER };
    for (const field of ["answered", "valid", "wrong", "died"]) all[field] += cell[field];
    all.state = worst([all.state, cell.state]);
  }
  return { ...run, cells };
}

/** A suite's version, and the start of its commit. */
const shortSuite = (suite) => suite.replace(/\b([0-9a-f]{10})[0-9a-f]{30}/, "$1");

/** The defects and hazards of these rows at a release; those of one name together, with all their calls and releases. */
function mattersOf(runtime, rows, at) {
  const found = new Map();
  for (const { spec, dtype, cells } of rows) {
    for (const place of cells[at].matters) {
      const matter = runtime.matters[place];
      const key = `${matter.label} ${matter.name}`;
      const known = found.get(key) ?? { ...matter, places: [], reports: [], each: [] };
      known.places.push([spec, dtype]);
      known.each.push(matter);
      if (known.answers === null && matter.answers !== null) Object.assign(known, { answers: matter.answers, call: matter.call });
      known.reports.push(...matter.reports.filter(({ link }) => known.reports.every((report) => report.link !== link)));
      found.set(key, known);
    }
  }
  return [...found.values()].toSorted((a, b) => a.label.localeCompare(b.label));
}

/** True if two are one, whose name changed from release to release: they share a call. */
const isSame = (one, other) => one.label === other.label
  && (one.name === other.name || one.each.some(({ call }) => call !== null && other.each.some((of) => of.call === call)));

/** The releases that a matter holds in, and their words. */
function lifeOf({ releases }, { label, each }, at) {
  const place = (release) => releases.findIndex((one) => one.release === release);
  const spans = each.map(({ since, until, silent }) => (since === null ? { from: at, to: at + 1, or: "" }
    : { from: place(since.split(" ")[0]), to: (until ?? silent) === null ? releases.length : place(until ?? silent), or: since.replace(/^\S+/, "") }));
  const states = releases.map((_, nth) => (spans.some(({ from, to }) => from <= nth && nth < to) ? `${label}s` : "without"));
  if (each.every(({ since }) => since === null)) return { states, words: "since not known" };
  const from = spans.reduce((one, other) => (other.from < one.from ? other : one));
  const to = Math.max(...spans.map((span) => span.to));
  const ends = (field) => each.some((one) => one[field] && one[field] === releases[to]?.release);
  const end = ends("silent") ? "not answered since" : ends("turns") ? "for another reason since" : "mended in";
  const until = to === releases.length ? "not mended" : `${end} ${releases[to].release}`;
  return { states, words: `since ${releases[from.from].release}${from.or}, ${until}` };
}

/** The answer for these rows at a release, in the words of `ask`, and the release to take. */
function verdictOf(runtime, rows, at) {
  const rank = (nth) => {
    const matters = mattersOf(runtime, rows, nth);
    return { defects: matters.filter(({ label }) => label === "defect").length, all: matters.length };
  };
  const isServed = (nth) => rows.some(({ cells }) => cells[nth].answered > 0);
  const [now, here] = [rank(at), stateOf(rows, at)];
  const hazards = counted(now.all - now.defects, "hazard");
  const bad = inOrder(unique(rows.filter(({ cells }) => cells[at].state === "defects").map(({ spec }) => spec)));
  const isGood = ({ spec, cells }) => cells[at].answered > 0 && !bad.includes(spec);
  const alone = state.operator && bad.length === 1 && rows.some(isGood) ? ` in ${bad[0]} alone` : "";
  const says = {
    defects: `NOT SAFE${alone}: ${counted(now.defects, "defect")}, ${hazards}`, hazards: `no defect known, ${hazards}`,
    conforms: "no defect and no hazard known", refused: "not supported", never: "never asked",
  }[here];
  let best = none;
  for (const nth of runtime.releases.keys()) {
    const one = rank(nth);
    const other = best === none ? one : rank(best);
    if (isServed(nth) && (one.defects - other.defects || one.all - other.all) <= 0) best = nth;
  }
  const added = (nth) => {
    const names = (of) => mattersOf(runtime, rows, of).filter(({ label }) => label === "defect").map(({ name }) => name);
    const known = names(at);
    const fresh = names(nth).filter((name) => !known.includes(name));
    return fresh.length === 0 ? "" : `; it adds: ${fresh.join("; ")}`;
  };
  const other = best === none ? now : rank(best);
  const isBest = best === at || (other.defects - now.defects || other.all - now.all) >= 0 && isServed(at);
  const take = best === none ? "No judged release answers such a call." : isBest ? "No judged release is better."
    : `Take ${runtime.releases[best].release}: ${counted(other.defects, "defect")}, ${counted(other.all - other.defects, "hazard")}${added(best)}.`;
  return { state: here, says, take };
}

// ---- pictures ----

const badge = (state, words = STATES[state].words) =>
  make("span", `state ${state}`, make("span", { "aria-hidden": "true" }, STATES[state].sign), ` ${words}`);

const legend = () => make("p", "legend", ...Object.keys(STATES).flatMap((state) => [badge(state), " "]));

/** Consecutive releases of one state, as words. */
function inWords(states, releases) {
  const runs = [];
  for (const [at, state] of states.entries()) {
    if (runs.at(-1)?.state === state) runs.at(-1).to = at;
    else runs.push({ state, from: at, to: at });
  }
  const span = ({ from, to }) => (from === to ? "" : ` to ${releases[to].release}`);
  return runs.map((run) => `${releases[run.from].release}${span(run)} ${LIFE[run.state].words}`).join(", ");
}

/** A bar for each release, oldest first. */
function strip(states, releases) {
  const words = inWords(states, releases);
  const svg = filled(blank.cloneNode(), { class: "strip", viewBox: `0 0 ${states.length} 1`, "aria-label": words }, [draw("title", "", words)]);
  for (const [at, state] of states.entries()) {
    const { tall } = LIFE[state];
    svg.append(draw("rect", { class: state, x: at + 0.04, y: 1 - tall, width: 0.92, height: tall }));
  }
  return svg;
}

/** The names of some releases, above strips. */
function axis(releases) {
  const every = Math.max(1, Math.ceil(releases.length / 6));
  const line = make("div", { class: "axis", "aria-hidden": "true", style: `--columns: ${releases.length}` });
  for (let at = releases.length - 1; at >= 0; at -= every) {
    line.prepend(make("span", { style: `grid-column: ${at + 1}` }, releases[at].release));
  }
  return line;
}

/** Rows of strips, each behind its label. */
function strips(rows, releases) {
  const line = ({ label, states }) => [make("div", "label", ...label), strip(states, releases)];
  return make("div", "strips", make("div", "label"), axis(releases), ...rows.flatMap(line));
}

/** A type, whose number stands below on a narrow screen. */
const headOf = (dtype) => make("span", "", dtype.replace(/\d+/, ""), make("br"), dtype.replace(/\D+/, ""));

/** Operators by types, of one run or of two side by side. `toCell` leads one to its details. */
function matrixOf(runs, label, toCell, isShown = () => true) {
  const places = unique(runs.flatMap(({ cells }) => Object.keys(cells))).map((place) => place.split(" ")).filter(isShown);
  const specs = inOrder(unique(places.map(([spec]) => spec)));
  const types = unique(places.map(([, dtype]) => dtype)).toSorted(byType);
  const one = (cell) => {
    const count = cell.state === "defects" ? cell.wrong + cell.died : 0;
    const words = `${STATES[cell.state].words}, ${number(cell.answered)} of ${number(cell.valid)} valid calls answered`;
    return make("span", { class: `state ${cell.state}`, title: `${words}${count > 0 ? `, ${number(count)} wrong` : ""}` },
      make("span", { "aria-hidden": "true" }, STATES[cell.state].sign), make("span", "unseen", STATES[cell.state].words));
  };
  const cellsOf = (spec, dtype) => runs.map(({ cells }) => cells[`${spec} ${dtype}`] ?? NEVER);
  const cell = (spec, dtype) => {
    const cells = cellsOf(spec, dtype);
    const differs = cells.length > 1 && cells[0].state !== cells[1].state && cells.every((of) => of.state !== "never");
    const inside = cells.flatMap((of) => [one(of), " "]);
    const box = toCell === null ? make("span", "pair", ...inside) : make("a", { class: "pair", href: toCell(spec, dtype) }, ...inside);
    return make("td", differs ? "differs" : "", box);
  };
  const families = unique(specs.map((spec) => spec.split("/")[0]));
  const named = namesOf(specs);
  const rows = specs.map((spec) => make("tr", "", make("th", { scope: "row" }, ...named(spec)), ...types.map((dtype) => cell(spec, dtype))));
  const asked = places.map(([spec, dtype]) => cellsOf(spec, dtype).map(({ state }) => state)).filter((states) => !states.includes("never"));
  const differing = asked.filter((states) => unique(states).length > 1);
  const head = headed([families.length === 1 ? families[0] : "", ...types.map(headOf)]);
  return { table: wide(label, make("table", "grid", make("caption", "unseen", label), head, make("tbody", "", ...rows))), asked, differing };
}
