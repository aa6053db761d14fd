// The views. Each is a function of the fragment of the address, so that a view is a link.

const form = element("filters");
const FIELDS = ["view", "operator", "type", "runtime", "release", "clause", "a", "b"];
let state = {};
let record = null;

/** Reads the address. A name in other capitals, and a minor version, stand for the choice that they name. */
function read() {
  const asked = Object.fromEntries([...new URLSearchParams(location.hash.slice(1))].filter(([name]) => FIELDS.includes(name)));
  for (const [name, choices] of Object.entries(CHOICES)) {
    asked[name] = choices.find((choice) => choice.toLowerCase() === asked[name]?.toLowerCase()) ?? asked[name];
  }
  const runtime = runtimeOf(asked.runtime);
  const at = runtime === undefined || !asked.release ? none : placeOf(runtime, asked.release);
  return at === none ? asked : { ...asked, release: runtime.releases[at].release };
}

const linkTo = (facets) => fragment(Object.fromEntries(FIELDS.filter((name) => facets[name]).map((name) => [name, facets[name]])));
const filters = () => ({ operator: state.operator, type: state.type });
const isAsked = ([spec, dtype]) => (!state.operator || [shortOf(spec), bareOf(spec)].includes(state.operator))
  && (!state.type || dtype === state.type);
const isAbout = ({ spec, dtype }) => isAsked([`/${spec}`, dtype]);
const rowsOf = (runtime) => runtime.rows.filter(({ spec, dtype }) => isAsked([spec, dtype]));
const question = () => [state.operator, state.type].filter(Boolean).join(" ");

const note = (...words) => make("p", "note", ...words);
const heading = (words) => make("h2", "", words);
const list = (items) => make("ul", "chips", ...items.map((item) => make("li", "", item)));
const link = (facets, ...words) => make("a", { href: linkTo(facets) }, ...words);
const code = (words) => make("code", "", words);
const term = (label, ...content) => [make("dt", "", label), make("dd", "value", ...content)];
const more = (words, ...content) => make("details", "", make("summary", "", words), ...content);
const entries = (items) => make("ul", "matters", ...items);

/** A heading with what stands under and beside it, which opens to labelled lines. */
function entry(label, name, under, beside, lines) {
  const cause = make("span", "cause", badge(label === "hazard" ? "hazards" : "defects", label), ` ${name}`);
  const summary = make("summary", "", make("span", "", cause, make("span", "life", ...under)), ...beside);
  return make("li", "", make("details", "", summary, make("div", "detail", make("dl", "", ...lines))));
}

// ---- is it safe? ----

/** Every release as a link, newest first, with its state for the question. */
function chips(runtime, rows, current) {
  return list([...runtime.releases.keys()].reverse().map((at) => {
    const { release } = runtime.releases[at];
    const here = stateOf(rows, at);
    const count = mattersOf(runtime, rows, at).filter(({ label }) => `${label}s` === here).length;
    const words = make("span", `state ${here}`, `${release} ${STATES[here].sign} ${count || ""}`, make("span", "unseen", ` ${STATES[here].words}`));
    const made = link({ view: "runtime", ...filters(), runtime: runtime.backend, release }, words);
    if (at === current) made.setAttribute("aria-current", "true");
    return made;
  }));
}

/** A strip for each spec; types that agree in every release share one. */
function overTime(runtime, rows) {
  const statesOf = ({ cells }) => cells.map((cell) => cell.state);
  const groups = [...Map.groupBy(rows, (row) => `${row.spec} ${statesOf(row).join(" ")}`).values()].map((alike) =>
    ({ spec: alike[0].spec, types: alike.map(({ dtype }) => dtype).toSorted(byType), states: statesOf(alike[0]) }));
  const sorted = inOrder(unique(groups.map(({ spec }) => spec))).flatMap((spec) =>
    groups.filter((group) => group.spec === spec).toSorted((a, b) => byType(a.types[0], b.types[0])));
  const named = namesOf(sorted.map(({ spec }) => spec));
  return strips(sorted.map(({ spec, types, states }) => ({ label: [...named(spec), " ", make("small", "", types.join(" "))], states })), runtime.releases);
}

function answer(runtime, rows, at) {
  const { state: here, says, take } = verdictOf(runtime, rows, at);
  return make("p", "verdict", badge(here), " ", make("b", "", says), `. ${take}`);
}

/** The releases that could not be asked, those of one reason together. */
function absent(runtime) {
  return [...Map.groupBy(runtime.absent, ({ why }) => why)].map(([why, of]) => {
    const names = of.map(({ release }) => release);
    const span = unique([names[0], names.at(-1)]).join(" to ");
    return make("span", { title: names.join(", ") }, `${counted(of.length, "release")} (${span}) could not be asked: ${why}. `);
  });
}

function ofRuntime(runtime) {
  const [rows, at] = [rowsOf(runtime), runtime.releases.length - 1];
  const run = runOf(runtime, at);
  const narrow = Boolean(state.operator && state.type);
  const span = `${runtime.releases[0].release} to ${runtime.releases[at].release}`;
  const older = more(at ? `${counted(at + 1, "judged release")}: ${span}` : "no older release was judged", narrow ? chips(runtime, rows, at) : overTime(runtime, rows));
  older.open = narrow;
  const toCell = (spec, dtype) => linkTo({ view: "runtime", runtime: runtime.backend, operator: shortOf(spec), type: dtype });
  return make("section", { "aria-label": runtime.backend, "data-runtime": runtime.backend },
    make("h2", "", link({ view: "runtime", ...filters(), runtime: runtime.backend }, run.name), make("small", "", ` ${runtime.backend}`)),
    answer(runtime, rows, at), note(run.said, " ", ...absent(runtime)),
    matrixOf([run], `${run.name}: operators by types`, toCell, isAsked).table, older);
}

/** A runtime with the state of its newest release, as a link. */
function newestChip(runtime) {
  const [rows, at] = [rowsOf(runtime), runtime.releases.length - 1];
  return link({ view: "runtime", ...filters(), runtime: runtime.backend }, badge(stateOf(rows, at), runOf(runtime, at).name));
}

const CAUTION = "as a whole, so an operator without a finding is not known to conform.";
const byHandWords = (findings) => `${counted(findings.length, "finding")} by hand, no history`;

function byHand() {
  const shown = index["by-hand"].map((hand) => ({ ...hand, findings: hand.findings.filter(isAbout) }))
    .filter(({ backend, findings }) => (!state.runtime || backend === state.runtime) && findings.length > 0);
  if (shown.length === 0) return [];
  return [heading("Read by hand"), note(`No release of these runtimes was judged ${CAUTION}`), list(shown.map(({ runtime, backend, checked, findings }) => {
    const here = findings.some((one) => one.state !== "mended" && !one.hazard) ? "defects" : "hazards";
    return link({ view: "runtime", ...filters(), runtime: backend }, badge(here, `${runtime} ${checked}, ${backend}: ${byHandWords(findings)}`));
  }))];
}

function tableView() {
  const shown = runtimes.filter((runtime) => (!state.runtime || runtime.backend === state.runtime) && rowsOf(runtime).length > 0);
  return { title: `Is ${question() || "it"} safe?`, parts: [
    note("Choose an operator and a type. A defect is an answer that the text excludes; a hazard is one that the text allows and that is",
      " not the norm, although its type holds the norm."), ...(question() ? [list(shown.map(newestChip))] : []), legend(), ...shown.map(ofRuntime),
    ...(shown.length === 0 ? [make("p", "", "No runtime with a history has this operator in this type.")] : []), ...byHand()] };
}

// ---- a runtime ----

/** A link to a report upstream, and its subject if that is another. */
function reportLink({ link: to, of }) {
  const where = /^https:\/\/github\.com\/(.+?)\/(?:issues|pull)\/(\d+)$/.exec(to);
  const words = where === null ? to : `${where[1]}#${where[2]}`;
  return [/^https?:/.test(to) ? make("a", { href: to, rel: "noreferrer" }, words) : words, of ? ` (of ${of})` : ""];
}

/** A link to the page of a clause; hazards name questions, which have none. */
const clauseLink = (clause) => index.clauses.some(({ name }) => name === clause) ? link({ view: "clauses", clause }, clause) : code(clause);

/** The answers to the smallest call of a matter, or else those to the call that the run made small, and its operator and type. */
function answersTo({ matters }, { label, name, answers }) {
  if (answers !== null) return [answers, ""];
  const own = matters.find((one) => one.label === label && one.name === name && one.answers !== null) ?? { answers };
  const [, spec, dtype] = /^\{specs: \[(.+?)\], dtypes: \[(.+?)\]/.exec(own.call) ?? [];
  return [own.answers, spec === undefined ? `to ${own.call}: ` : `in ${spec} ${dtype}: `];
}

/** A matter with the releases that have it. */
function matterLine(runtime, matter, at, who = "") {
  const { label, name, title = name, about, clauses, call, reports, places } = matter;
  const [answers, where] = answersTo(runtime, matter);
  const { states, words: life } = lifeOf(runtime, matter, at);
  const specs = inOrder(unique(places.map(([spec]) => spec))).map(shortOf).join(" ");
  const types = unique(places.map(([, dtype]) => dtype)).toSorted(byType).join(" ");
  const command = `normative conformance --backend ${runtime.releases[at].backend} --case '${call}'`;
  return entry(label, title, [who, `${types}: ${life}`, ...(reports.length > 0 ? ["; upstream: ", ...reportLink(reports[0])] : [])], [strip(states, runtime.releases)], [
    ...term("in", `${specs}: ${types}`),
    ...term("because of", ...(clauses.length === 0 ? [about] : clauses.flatMap((clause) => [clauseLink(clause), " "]))),
    ...(answers === null ? [] : term("answers", `${where}${answers}`)),
    ...(call === null ? [] : [...term("smallest call", code(call)), ...term("repeat", code(command))]),
    ...reports.flatMap((report) => term("upstream", ...reportLink(report), `, found as: ${report.defect}`))]);
}

function findingLine(one, who = "") {
  const life = [one.since && `since ${one.since}`, one.until && `mended in ${one.until}`, one.state].filter(Boolean).join(", ");
  const upstream = one.upstream === "none" ? ["no report upstream is known"] : reportLink({ link: one.upstream, of: one.upstream_of });
  return entry(one.hazard ? "hazard" : "defect", one.defect, [who, life], [make("span", "", ...upstream)], [
    ...term("clause", clauseLink(one.clause)), ...term("due", one.due), ...term("came", one.came), ...term("call", code(one.case ?? one.call))]);
}

const findingList = (findings) => entries(findings.map((one) => findingLine(one)));

function handView({ runtime, backend, checked, findings }) {
  const about = findings.filter(isAbout);
  return { title: `${runtime}, ${backend}: ${byHandWords(about)}`, parts: [note(`Asked in ${checked}. No release was judged ${CAUTION}`), findingList(about)] };
}

function readingsOf({ readings }) {
  const rows = readings.map(({ question: name, asks, places, changes }) => make("tr", "", make("th", { scope: "row" }, code(name), ` ${asks ?? ""}`),
    make("td", "", places), make("td", "", changes.map(([release, reading]) => `${release} ${reading}`).join(", "))));
  return more(`Readings of ${counted(unique(readings.map(({ question: name }) => name)).length, "open question")}`,
    make("table", "readings", headed(["question", "where", "from release on"]), make("tbody", "", ...rows)));
}

function runtimeView() {
  const runtime = runtimeOf(state.runtime);
  if (runtime === undefined) {
    const found = index["by-hand"].find(({ backend }) => backend === state.runtime);
    return found === undefined ? tableView() : handView(found);
  }
  const [rows, at] = [rowsOf(runtime), placeOf(runtime, state.release)];
  if (at === none) {
    return { title: `${runtime.runtime} ${state.release}`, parts: [
      make("p", "error", `${state.release} was not judged. Judged releases:`), chips(runtime, rows), note(...absent(runtime))] };
  }
  const run = runOf(runtime, at);
  const here = mattersOf(runtime, rows, at);
  // A matter of another release that also holds here is here by another name.
  const elsewhere = [];
  for (const nth of [...runtime.releases.keys()].reverse()) {
    for (const matter of mattersOf(runtime, rows, nth)) {
      const isListed = [...here, ...elsewhere.map(([one]) => one)].some((one) => isSame(one, matter));
      if (!isListed && lifeOf(runtime, matter, nth).states[at] === "without") elsewhere.push([matter, nth]);
    }
  }
  const findings = runtime.findings.filter(isAbout);
  const toCell = (spec, dtype) => linkTo({ ...state, operator: shortOf(spec), type: dtype });
  const pair = { view: "compare", a: `${runtime.backend}@${run.release}`, b: `${runtime.backend}@${runtime.releases.at(-1).release}`, ...filters() };
  return { title: `${run.name}${question() && `, ${question()}`}`, parts: [
    answer(runtime, rows, at), note(run.said, " ", link(pair, "Side by side with another run"), ". ", ...absent(runtime)),
    matrixOf([run], `${run.name}: operators by types`, toCell, isAsked).table, legend(),
    heading("Releases over time"), chips(runtime, rows, at), overTime(runtime, rows), heading(`Defects and hazards in ${run.release}`),
    here.length === 0 ? make("p", "", "None is known.") : entries(here.map((matter) => matterLine(runtime, matter, at))),
    ...(elsewhere.length === 0 ? [] : [heading("In other releases"), entries(elsewhere.map(([matter, nth]) => matterLine(runtime, matter, nth)))]),
    heading("How it reads the texts"), readingsOf(runtime),
    ...(findings.length === 0 ? [] : [heading("Findings read by hand"), findingList(findings)])] };
}

// ---- clauses ----

/** A clause in each runtime: in the newest judged release, or by what was found by hand. */
function stand({ name, specs }) {
  const judged = runtimes.flatMap((runtime) => {
    const at = runtime.releases.length - 1;
    const rows = runtime.rows.filter(({ spec, cells }) => specs.includes(spec) && (cells[at].answered > 0 || cells[at].state === "defects"));
    const matters = mattersOf(runtime, rows, at).filter(({ label, clauses }) => label === "defect" && clauses.includes(name));
    const lines = () => matters.map((matter) => matterLine(runtime, matter, at, `${runtime.runtime}: `));
    return rows.length === 0 ? [] : [{ name: runOf(runtime, at).name, lines, holds: matters.length === 0 }];
  });
  const isOf = (one) => one.clause === name && !one.hazard && one.state !== "mended" && specs.some((spec) => shortOf(spec) === one.spec);
  const found = index["by-hand"].flatMap(({ runtime, backend, findings }) => {
    const own = findings.filter(isOf);
    const lines = () => own.map((one) => findingLine(one, `${runtime}, ${backend}: `));
    return own.length === 0 ? [] : [{ name: `${runtime}, ${backend}, by hand`, lines, holds: false }];
  });
  return { judged, found, holds: judged.filter((one) => one.holds).length };
}

function clauseLine({ clause: { name, says, source, where, specs }, stood: { judged, found, holds } }) {
  const words = [judged.length > 0 ? `holds in ${holds} of ${counted(judged.length, "judged runtime")}` : "no judged runtime has it",
    ...(found.length > 0 ? [`broken in ${found.length} by findings read by hand`] : [])].join("; ");
  const all = [...judged, ...found];
  return make("li", "", make("b", "", clauseLink(name)), ` ${says} `, make("small", "", `${source}: ${where}; ${specs.map(shortOf).join(" ")}`),
    make("div", "life", words), list(all.map((one) => badge(one.holds ? "conforms" : "defects", one.name))),
    ...(state.clause ? [entries(all.flatMap(({ lines }) => lines()))] : []));
}

function clausesView() {
  const all = index.clauses.filter(({ name }) => !state.clause || name === state.clause).map((clause) => ({ clause, stood: stand(clause) }))
    .filter(({ stood }) => stood.judged.length + stood.found.length > 0);
  const first = note("A clause is one statement of a text. It holds in a runtime if no defect of its newest judged release breaks it.");
  if (state.clause) {
    const none = make("p", "", "No judged runtime and no finding has a clause of this name. ", link({ view: "clauses" }, "All clauses"));
    return { title: `Clause ${state.clause}`, parts: [first, all.length === 0 ? none : entries(all.map(clauseLine))] };
  }
  const [broken, held] = [true, false].map((is) => all.filter(({ stood }) => is === (stood.found.length > 0 || stood.holds < stood.judged.length)));
  return { title: "Clauses", parts: [first, heading(`${counted(broken.length, "clause")} that a runtime breaks`), entries(broken.map(clauseLine)),
    more(`${counted(held.length, "clause")} that no known defect breaks`, entries(held.map(clauseLine)))] };
}

// ---- side by side, and a visitor's record ----

const OWN = "record";
const newest = (runtime) => `${runtime.backend}@${runtime.releases.at(-1).release}`;
const fullName = ({ runtime, backend }) => `${runtime} (${backend})`;

function runNamed(word) {
  if (word === OWN) return record;
  const [backend, release] = word.split("@");
  const runtime = runtimeOf(backend);
  const at = runtime === undefined ? none : placeOf(runtime, release);
  return at === none ? null : runOf(runtime, at);
}

function choice(name, value) {
  const options = runtimes.map((runtime) => make("optgroup", { label: fullName(runtime) },
    ...runtime.releases.toReversed().map(({ release }) => new Option(`${runtime.backend} ${release}`, `${runtime.backend}@${release}`))));
  const select = make("select", { name }, ...(record === null ? [] : [new Option(`your record: ${record.name}`, OWN)]), ...options);
  select.value = value;
  select.addEventListener("change", () => { location.hash = linkTo({ ...state, [name]: select.value }); });
  return make("label", "", name === "a" ? "Left " : "Right ", select);
}

function pairView() {
  const longest = runtimes.toSorted((a, b) => b.releases.length - a.releases.length)[0];
  const words = [state.a ?? `${longest.backend}@${longest.releases[0].release}`, state.b ?? newest(longest)];
  const runs = words.map(runNamed);
  const chosen = make("p", "", ...["a", "b"].flatMap((name, at) => {
    const run = runs[at];
    return [choice(name, run === null ? "" : run === record ? OWN : `${run.backend}@${run.release}`), " "];
  }));
  if (runs.includes(null)) {
    const got = words.filter((_, at) => runs[at] === null).map((word) => word === OWN ? "a record, which has to be dropped again" : word);
    return { title: "Side by side", parts: [make("p", "error", `Expected two runs that are here, got ${got.join(" and ")}.`), chosen, dropZone()] };
  }
  const specsOf = ({ cells }) => Object.keys(cells).map((place) => place.split(" ")[0]);
  const isOneText = specsOf(runs[0]).some((spec) => specsOf(runs[1]).includes(spec));
  const label = `${runs[0].name} beside ${runs[1].name}`;
  const { table: matrix, asked, differing } = matrixOf(isOneText ? runs : runs.map(anyVersion), label, null, isAsked);
  const alone = (one, other) => number(differing.filter((states) => states[one] === "defects" && states[other] !== "defects").length);
  return { title: "Side by side", parts: [
    chosen,
    ...runs.map((run) => note(make("b", "", run.name), ": ", make("span", run.isPartial ? "error" : "", run.said))),
    make("p", "verdict", `${number(differing.length)} of ${counted(asked.length, "cell")} that both were asked differ; only ${runs[0].name}`,
      ` has defects in ${alone(0, 1)}, only ${runs[1].name} in ${alone(1, 0)}.`),
    note("In each cell the left run stands to the left; a frame says that they differ.",
      isOneText ? "" : " The runs are of different texts, so all versions of an operator are one row."), legend(), matrix] };
}

function dropZone() {
  const input = make("input", { type: "file", id: "file", accept: ".ndjson,.jsonl,.json" });
  const label = make("label", { for: "file" }, "Drop a record here, or choose its file (", code("normative conformance --record FILE"), "): ");
  const zone = make("div", { id: "drop" }, label, input, make("p", { role: "status", id: "said" }));
  const take = async (file) => {
    if (file === undefined) return;
    try {
      record = recordOf(await file.text());
    } catch (error) {
      element("said").replaceChildren(make("span", "error", `This is not a record that this page reads: ${error.message}`));
      return;
    }
    if (state.view === "record") show();
    else location.hash = linkTo({ view: "record" });
  };
  input.addEventListener("change", () => take(input.files[0]));
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => { event.preventDefault(); zone.classList.remove("over"); take(event.dataTransfer.files[0]); });
  return zone;
}

function recordView() {
  const parts = [note("A record is read in this browser and is not sent anywhere."), dropZone()];
  if (record === null) return { title: "Your record", parts };
  const total = (field) => Object.values(record.cells).reduce((sum, cell) => sum + cell[field], 0);
  const [valid, answered] = [total("valid"), total("answered")];
  const counts = { answered, wrong: total("wrong"), died: total("died"), unsupported: valid - answered, "answered in two ways": record.unstable };
  const opened = (label, name, lines) => entry(label, name, [], [], lines.flatMap(([head, text]) => term(head, text)));
  const rows = Object.entries(record.cells).map(([place, cell]) => [...place.split(" "), ...["valid", "answered", "wrong", "died"].map((field) => number(cell[field]))]);
  const beside = runtimes.flatMap((runtime) => [" · ", link({ view: "compare", a: OWN, b: newest(runtime) }, fullName(runtime))]).slice(1);
  return { title: record.name, parts: [...parts, make("p", record.isPartial ? "error" : "asked", record.said),
    make("p", "", Object.entries(counts).map(([name, count]) => `${number(count)} ${name}`).join(", "), "."), make("p", "", "Beside ", ...beside),
    matrixOf([record], `${record.name}: operators by types`, null, isAsked).table, legend(),
    ...(record.splits.length === 0 ? [] : [heading("Hazards and contradictions"), entries(record.splits.map(([label, { name, lines }]) => opened(label, name, lines)))]),
    ...(record.samples.length === 0 ? [] : [heading("Failures, about one of each defect"), entries(record.samples.map(([name, lines]) => opened("fails", name, lines)))]),
    more("Counts by operator and type", wide("counts", table("errors", { header: ["spec", "type", "calls", "answered", "wrong", "died"], rows })))] };
}

// ---- the page ----

const VIEWS = { table: tableView, runtime: runtimeView, clauses: clausesView, compare: pairView, record: recordView };

const VERSIONS = inOrder(unique(runtimes.flatMap(({ rows }) => rows.map(({ spec }) => shortOf(spec)))));
const OPERATORS = unique(VERSIONS.map((version) => bareOf(`/${version}`)));

/** The words that a field of the address may have. */
const CHOICES = {
  view: Object.keys(VIEWS), operator: [...OPERATORS, ...VERSIONS], type: TYPES,
  runtime: [...runtimes, ...index["by-hand"]].map(({ backend }) => backend),
};

/** Fills a filter with a first option for none, and groups of others. */
function fill(name, first, groups) {
  const select = form.elements[name];
  select.replaceChildren(new Option(first, ""), ...groups.map(([label, options]) => make("optgroup", { label }, ...options)));
  select.value = state[name] ?? "";
  select.classList.toggle("set", Boolean(state[name]));
  select.disabled = groups.every(([, options]) => options.length === 0);
}

function fillFilters() {
  const places = runtimes.flatMap(({ rows }) => rows);
  const options = (all) => all.map((one) => new Option(one, one));
  const named = (all) => all.map((one) => new Option(fullName(one), one.backend));
  fill("operator", "every operator", [["any version", options(OPERATORS)], ["one version", options(VERSIONS)]]);
  fill("type", "every type", [["types", options(unique(places.map(({ dtype }) => dtype)).toSorted(byType))]]);
  fill("runtime", "every runtime", [["with a history", named(runtimes)], ["findings by hand", named(index["by-hand"])]]);
  fill("release", "the newest", [["judged releases", options((runtimeOf(state.runtime)?.releases ?? []).toReversed().map(({ release }) => release))]]);
}

/** The words of the address that name nothing here, each with what was expected. */
function unknown() {
  const names = [...new URLSearchParams(location.hash.slice(1)).keys()].filter((name) => !FIELDS.includes(name));
  const lines = names.map((name) => `Expected ${FIELDS.join(", ")} in the address, got ${name}.`);
  const values = Object.keys(CHOICES).filter((name) => state[name] && !CHOICES[name].includes(state[name]));
  const choices = { ...CHOICES, operator: OPERATORS };
  return [...lines, ...values.map((name) => `Expected ${name} to be one of ${choices[name].join(", ")}, got ${state[name]}.`)]
    .map((line) => make("p", "error", line));
}

function show() {
  const before = state.view;
  state = read();
  const errors = unknown();
  if (!Object.hasOwn(VIEWS, state.view ?? "")) state.view = state.runtime ? "runtime" : "table";
  fillFilters();
  const { title, parts } = VIEWS[state.view]();
  element("title").textContent = title;
  document.title = `${title} · Normative`;
  form.hidden = state.view === "clauses";
  form.classList.toggle("narrow", ["compare", "record"].includes(state.view));
  const focused = document.activeElement?.name;
  element("view").replaceChildren(...errors, ...parts);
  if (focused) document.querySelector(`select[name="${focused}"]`)?.focus();
  for (const to of document.querySelectorAll("header nav a")) {
    if (to.hash === `#view=${state.view}`) to.setAttribute("aria-current", "page");
    else to.removeAttribute("aria-current");
  }
  if (before !== undefined && before !== state.view) { scrollTo(0, 0); element("title").focus(); }
}

form.addEventListener("change", ({ target: { name, value } }) => {
  const next = { ...state, [name]: value };
  if (name === "runtime") Object.assign(next, { release: "", view: value === "" ? "table" : "runtime" });
  location.hash = linkTo(next);
});
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", (event) => { event.preventDefault(); location.hash = linkTo({ view: state.view === "runtime" ? "table" : state.view }); });
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); element("view").focus(); });
addEventListener("hashchange", show);
themes();
show();
