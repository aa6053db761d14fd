// The views. Each is a function of the fragment of the address, so that a view is a link.

const form = element("filters");
const FIELDS = ["view", "operator", "type", "runtime", "release", "clause", "a", "b"];
let state = {};
let record = null;

const read = () => Object.fromEntries([...new URLSearchParams(location.hash.slice(1))].filter(([name]) => FIELDS.includes(name)));
const linkTo = (facets) => fragment(Object.fromEntries(FIELDS.filter((name) => facets[name]).map((name) => [name, facets[name]])));
const filters = () => ({ operator: state.operator, type: state.type });
const isAsked = ([spec, dtype]) => (!state.operator || [shortOf(spec), bareOf(spec)].includes(state.operator)) && (!state.type || dtype === state.type);
const isAbout = ({ spec, dtype }) => spec === "" || isAsked([`/${spec}`, dtype]);
const rowsOf = (runtime) => runtime.rows.filter(({ spec, dtype }) => isAsked([spec, dtype]));
const note = (...words) => make("p", "note", ...words);
const heading = (words) => make("h2", "", words);
const list = (items) => make("ul", "chips", ...items.map((item) => make("li", "", item)));

// ---- is it safe? ----

/** Every release as a link, newest first, with its state for the question. */
function chips(runtime, rows, current) {
  return list([...runtime.releases.keys()].reverse().map((at) => {
    const { release } = runtime.releases[at];
    const link = { href: linkTo({ view: "runtime", ...filters(), runtime: runtime.backend, release }) };
    if (at === current) link["aria-current"] = "true";
    const here = worst(rows.map(({ cells }) => cells[at].state));
    const count = mattersOf(runtime, rows, at).filter(({ label }) => `${label}s` === here).length;
    return make("a", link, make("span", { class: `state ${here}` }, `${release} ${STATES[here].sign} ${count || ""}`, make("span", "unseen", ` ${STATES[here].words}`)));
  }));
}

function overTime(runtime, rows) {
  const groups = Map.groupBy(rows, ({ spec, cells }) => `${spec} ${cells.map((cell) => cell.state).join(" ")}`);
  const lines = [...groups.values()].map((alike) => ({ spec: alike[0].spec, types: alike.map(({ dtype }) => dtype).toSorted(byType), states: alike[0].cells.map((cell) => cell.state) }));
  const specs = inOrder(unique(lines.map(({ spec }) => spec)));
  const sorted = specs.flatMap((spec) => lines.filter((line) => line.spec === spec).toSorted((a, b) => byType(a.types[0], b.types[0])));
  return strips(sorted.map(({ spec, types, states }) => ({ label: [`${shortOf(spec)} `, make("small", "", types.join(" "))], states })), runtime.releases);
}

function answer(runtime, rows, at) {
  const { state: here, says, take } = verdictOf(runtime, rows, at);
  return make("p", "verdict", badge(here, STATES[here].words), " ", make("b", "", says), `. ${take}`);
}

function ofRuntime(runtime) {
  const rows = rowsOf(runtime);
  const at = runtime.releases.length - 1;
  const run = runOf(runtime, at);
  const link = (spec, dtype) => linkTo({ view: "runtime", runtime: runtime.backend, operator: shortOf(spec), type: dtype });
  const narrow = state.operator && state.type;
  const older = make("details", "", make("summary", "", `${counted(at, "older release")}: ${unique([runtime.releases[0].release, runtime.releases[Math.max(0, at - 1)].release]).join(" to ")}`),
    ...(narrow ? [chips(runtime, rows, at)] : [overTime(runtime, rows)]));
  older.open = Boolean(narrow);
  return make("section", { "aria-label": runtime.backend, "data-runtime": runtime.backend },
    make("h2", "", make("a", { href: linkTo({ view: "runtime", ...filters(), runtime: runtime.backend }) }, run.name), make("small", "", ` ${runtime.backend}`)),
    answer(runtime, rows, at), note(run.said, " ", ...absent(runtime)), matrixOf([run], `${run.name}: operators by types`, link, isAsked).table, older);
}

const absent = ({ absent: all }) => [...Map.groupBy(all, ({ why }) => why)].map(([why, of]) =>
  make("span", { title: of.map(({ release }) => release).join(", ") }, `${counted(of.length, "release")} (${unique([of[0].release, of.at(-1).release]).join(" to ")}) could not be asked: ${why}. `));

function byHand() {
  const line = ({ runtime, backend, checked, about }) => make("a", { href: linkTo({ view: "runtime", ...filters(), runtime: backend }) },
    badge(about.some((one) => one.state !== "mended" && !one.hazard) ? "defects" : "hazards", `${runtime} ${checked}, ${backend}: ${counted(about.length, "finding")} by hand, no history`));
  const shown = index["by-hand"].map((hand) => ({ ...hand, about: hand.findings.filter(isAbout) })).filter(({ about }) => about.length > 0);
  return [heading("Read by hand"), note("No release of these runtimes was judged as a whole, so an operator without a finding is not known to conform."), list(shown.map(line))];
}

function tableView() {
  const shown = runtimes.filter((runtime) => (!state.runtime || runtime.backend === state.runtime) && rowsOf(runtime).length > 0);
  const about = [state.operator, state.type].filter(Boolean).join(" ");
  return { title: `Is ${about || "it"} safe?`, parts: [
    note("Choose an operator and a type. A defect is an answer that the text excludes; a hazard is one that the text allows and that is not the norm, although its type holds the norm."),
    legend(), ...shown.map(ofRuntime), ...(shown.length === 0 ? [make("p", "", "No runtime with a history has this operator in this type.")] : []), ...byHand()] };
}

// ---- a runtime ----

function term(label, ...content) {
  return [make("dt", "", label), make("dd", "value", ...content)];
}

const reportLink = ({ link, of, defect }) => {
  const where = /^https:\/\/github\.com\/(.+?)\/(?:issues|pull)\/(\d+)$/.exec(link);
  const words = where === null ? link : `${where[1]}#${where[2]}`;
  return [/^https?:/.test(link) ? make("a", { href: link, rel: "noreferrer" }, words) : words, of ? ` (of ${of})` : "", defect ? `: ${defect}` : ""];
};

const clauseLink = (name) => make("a", { href: linkTo({ view: "clauses", clause: name }) }, name);

/** A matter with the releases that have it, which opens to its smallest call. */
function matterLine(runtime, matter, at) {
  const { release } = runtime.releases[at];
  const { states, words: life } = lifeOf(runtime, matter, at);
  const specs = inOrder(unique(matter.places.map(([spec]) => spec))).map(shortOf).join(" ");
  const types = unique(matter.places.map(([, dtype]) => dtype)).toSorted(byType).join(" ");
  const lines = [...term("in", `${specs}: ${types}`), ...term("because of", ...(matter.clauses.length === 0 ? [matter.about] : matter.clauses.flatMap((name) => [clauseLink(name), " "])))];
  if (matter.answers !== null) lines.push(...term("answers", matter.answers));
  if (matter.call !== null) lines.push(...term("smallest call", make("code", "", matter.call)), ...term("repeat", make("code", "", `normative conformance --backend ${runtime.backend}@${release} --case '${matter.call}'`)));
  if (matter.reports.length > 0) lines.push(...term("upstream", ...matter.reports.flatMap((report) => [...reportLink(report), make("br")])));
  return make("li", "", make("details", "", make("summary", "",
    make("span", "", make("span", "cause", badge(`${matter.label}s`, matter.label), ` ${matter.name}`), make("span", "life", life, ...(matter.reports.length > 0 ? ["; reported upstream: ", ...reportLink({ ...matter.reports[0], defect: "" })] : []))),
    strip(states, runtime.releases)), make("div", "detail", make("dl", "", ...lines))));
}

function findingLine(one) {
  const life = [one.since && `since ${one.since}`, one.until && `mended in ${one.until}`, one.state].filter(Boolean).join(", ");
  return make("li", "", make("details", "", make("summary", "",
    make("span", "", make("span", "cause", badge(one.hazard ? "hazards" : "defects", one.hazard ? "hazard" : "defect"), ` ${one.defect}`), make("span", "life", life)),
    make("span", "", ...(one.upstream === "none" ? ["no report upstream is known"] : reportLink({ link: one.upstream, of: one.upstream_of })))),
    make("div", "detail", make("dl", "", ...term("clause", clauseLink(one.clause)), ...term("due", one.due), ...term("came", one.came), ...term("call", make("code", "", one.case ?? one.call))))));
}

const findingList = (findings) => make("ul", "matters", ...findings.map(findingLine));

function handView({ runtime, backend, checked, findings }) {
  const about = findings.filter(isAbout);
  return { title: `${runtime}, ${backend}: ${counted(about.length, "finding")} by hand, no history`, parts: [
    note(`Asked in ${checked}. No release was judged as a whole, so an operator without a finding is not known to conform.`), findingList(about)] };
}

function readingsOf(runtime) {
  const row = ({ question, asks, places, changes }) => make("tr", "",
    make("th", { scope: "row" }, make("code", "", question), ` ${asks ?? ""}`), make("td", "", places),
    make("td", "", changes.map(([release, reading]) => `${release} ${reading}`).join(", ")));
  const rows = runtime.readings.map(row);
  return make("details", "", make("summary", "", `Readings of ${counted(unique(runtime.readings.map(({ question }) => question)).length, "open question")}`),
    make("table", "readings", headed(["question", "where", "from release on"]), make("tbody", "", ...rows)));
}

function runtimeView() {
  const runtime = runtimeOf(state.runtime);
  if (runtime === undefined) {
    const found = index["by-hand"].find(({ backend }) => backend === state.runtime);
    return found === undefined ? tableView() : handView(found);
  }
  const at = placeOf(runtime, state.release);
  const [rows, run] = [rowsOf(runtime), runOf(runtime, at)];
  const here = mattersOf(runtime, rows, at);
  const elsewhere = [];
  for (const nth of [...runtime.releases.keys()].reverse()) {
    for (const matter of mattersOf(runtime, rows, nth)) {
      if (![...here, ...elsewhere.map(([one]) => one)].some((one) => isSame(one, matter))) elsewhere.push([matter, nth]);
    }
  }
  const about = [state.operator, state.type].filter(Boolean).join(" ");
  const findings = runtime.findings.filter(isAbout);
  const link = (spec, dtype) => linkTo({ view: "runtime", runtime: runtime.backend, release: state.release, operator: shortOf(spec), type: dtype });
  const compare = { view: "compare", a: `${runtime.backend}@${run.release}`, b: `${runtime.backend}@${runtime.releases.at(-1).release}`, ...filters() };
  return { title: `${run.name}${about === "" ? "" : `, ${about}`}`, parts: [
    answer(runtime, rows, at), note(run.said, " ", make("a", { href: linkTo(compare) }, "Side by side with another run"), ". ", ...absent(runtime)),
    matrixOf([run], `${run.name}: operators by types`, link, isAsked).table, legend(),
    heading("Releases over time"), chips(runtime, rows, at), overTime(runtime, rows),
    heading(`Defects and hazards in ${run.release}`), here.length === 0 ? make("p", "", "None is known.") : make("ul", "matters", ...here.map((matter) => matterLine(runtime, matter, at))),
    ...(elsewhere.length === 0 ? [] : [heading("In other releases"), make("ul", "matters", ...elsewhere.map(([matter, nth]) => matterLine(runtime, matter, nth)))]),
    heading("How it reads the texts"), readingsOf(runtime),
    ...(findings.length === 0 ? [] : [heading("Findings read by hand"), findingList(findings)])] };
}

// ---- clauses ----

/** The state of a clause in each runtime: of the newest judged release, or of what was found by hand. */
function stand({ name, specs }) {
  const judged = runtimes.flatMap((runtime) => {
    const rows = runtime.rows.filter(({ spec, cells }) => specs.includes(spec) && cells.at(-1).answered > 0);
    if (rows.length === 0) return [];
    const matters = mattersOf(runtime, rows, runtime.releases.length - 1).filter(({ label, clauses }) => label === "defect" && clauses.includes(name));
    return [{ runtime, name: runOf(runtime, runtime.releases.length - 1).name, backend: runtime.backend, state: matters.length > 0 ? "defects" : "conforms", matters }];
  });
  const isOf = (one) => one.clause === name && !one.hazard && one.state !== "mended" && specs.some((spec) => shortOf(spec) === one.spec);
  const found = index["by-hand"].map((hand) => ({ ...hand, findings: hand.findings.filter(isOf) })).filter(({ findings }) => findings.length > 0);
  return { judged, found, holds: judged.filter((one) => one.state === "conforms").length };
}

const standWords = ({ judged, found, holds }) => [judged.length > 0 ? `holds in ${holds} of ${counted(judged.length, "judged runtime")}` : "no judged runtime has it",
  ...(found.length > 0 ? [`broken in ${found.length} by findings read by hand`] : [])].join("; ");
const standBadges = ({ judged, found }) => list([...judged.map((one) => badge(one.state, one.name)), ...found.map(({ runtime, backend }) => badge("defects", `${runtime}, ${backend}, by hand`))]);

function clausesView() {
  const all = index.clauses.filter(({ name }) => !state.clause || name === state.clause).map((clause) => ({ clause, stood: stand(clause) }))
    .filter(({ stood }) => stood.judged.length + stood.found.length > 0);
  const line = ({ clause, stood }) => make("li", "", make("b", "", clauseLink(clause.name)), ` ${clause.says} `, make("small", "", `${clause.source}: ${clause.where}; ${clause.specs.map(shortOf).join(" ")}`),
    make("div", "life", standWords(stood)), standBadges(stood),
    ...(state.clause ? [make("ul", "matters", ...stood.judged.flatMap(({ runtime, matters }) => matters.map((matter) => matterLine(runtime, matter, runtime.releases.length - 1))), ...stood.found.flatMap(({ findings }) => findings.map(findingLine)))] : []));
  const broken = all.filter(({ stood }) => stood.found.length > 0 || stood.holds < stood.judged.length);
  const held = all.filter((one) => !broken.includes(one));
  const parts = [note("A clause is one statement of a text. It holds in a runtime if no defect of its newest judged release breaks it.")];
  if (state.clause) return { title: `Clause ${state.clause}`, parts: [...parts, make("ul", "matters", ...all.map(line))] };
  const more = make("details", "", make("summary", "", `${counted(held.length, "clause")} that no known defect breaks`), make("ul", "matters", ...held.map(line)));
  return { title: "Clauses", parts: [...parts, heading(`${counted(broken.length, "clause")} that a runtime breaks`), make("ul", "matters", ...broken.map(line)), more] };
}

// ---- side by side, and a visitor's record ----

const OWN = "record";
const runNamed = (word) => {
  if (word === OWN) return record;
  const [backend, release] = (word ?? "").split("@");
  const runtime = runtimeOf(backend);
  return runtime === undefined ? null : runOf(runtime, placeOf(runtime, release));
};

function choice(name, value) {
  const options = runtimes.map((runtime) => make("optgroup", { label: runtime.runtime === runtime.backend ? runtime.backend : `${runtime.runtime} (${runtime.backend})` },
    ...[...runtime.releases].reverse().map(({ release }) => new Option(`${runtime.backend} ${release}`, `${runtime.backend}@${release}`))));
  const select = make("select", { name }, ...(record === null ? [] : [new Option(`your record: ${record.name}`, OWN)]), ...options);
  select.value = value;
  select.addEventListener("change", () => { location.hash = linkTo({ ...state, [name]: select.value }); });
  return make("label", "", name === "a" ? "Left " : "Right ", select);
}

function pairView() {
  const newest = (runtime) => `${runtime.backend}@${runtime.releases.at(-1).release}`;
  const words = [state.a ?? newest(runtimes.find(({ releases }) => releases.length > 1) ?? runtimes[0]), state.b ?? newest(runtimes.at(-1))];
  const runs = words.map(runNamed);
  if (runs.includes(null)) return { title: "Side by side", parts: [make("p", "error", "Expected two runs that are here; a record has to be dropped again after the page was closed."), dropZone()] };
  const specsOf = ({ cells }) => Object.keys(cells).map((place) => place.split(" ")[0]);
  const isOneText = specsOf(runs[0]).some((spec) => specsOf(runs[1]).includes(spec));
  const { table: matrix, asked, differing } = matrixOf(isOneText ? runs : runs.map(anyVersion), `${runs[0].name} beside ${runs[1].name}`, null, isAsked);
  const worse = (one, other) => differing.filter((states) => STATES[states[one]].tall > STATES[states[other]].tall).length;
  return { title: "Side by side", parts: [
    make("p", "pickers", choice("a", words[0]), " ", choice("b", words[1])), ...runs.map((run) => note(make("b", "", run.name), `: ${run.said}`)),
    make("p", "verdict", `${number(differing.length)} of ${counted(asked.length, "cell")} that both were asked differ: ${runs[0].name} is worse in ${worse(0, 1)}, ${runs[1].name} in ${worse(1, 0)}.`),
    note("In each cell the left run stands to the left; a frame says that they differ.", isOneText ? "" : " The runs are of different texts, so all versions of an operator are one row."), legend(), matrix] };
}

function dropZone() {
  const input = make("input", { type: "file", id: "file", accept: ".ndjson,.jsonl,.json" });
  const zone = make("div", { id: "drop" }, make("label", { for: "file" }, "Drop a record here, or choose its file (", make("code", "", "conformance --record FILE"), "): "), input, make("p", { role: "status", id: "said" }));
  const take = async (file) => {
    try {
      record = recordOf(await file.text());
    } catch (error) {
      element("said").replaceChildren(make("span", "error", `This is not a record that this page reads: ${error.message}`));
      return;
    }
    if (state.view === "record") show();
    else location.hash = linkTo({ view: "record" });
  };
  input.addEventListener("change", () => { if (input.files.length > 0) take(input.files[0]); });
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => { event.preventDefault(); if (event.dataTransfer.files.length > 0) take(event.dataTransfer.files[0]); });
  return zone;
}

function recordView() {
  const parts = [note("A record is read in this browser and is not sent anywhere."), dropZone()];
  if (record === null) return { title: "Your record", parts };
  const total = (field) => Object.values(record.cells).reduce((sum, cell) => sum + cell[field], 0);
  const counts = [["answered", total("answered")], ["wrong", total("wrong")], ["died", total("died")], ["unsupported", total("valid") - total("answered")]];
  const split = ([label, { name, lines }]) => make("li", "", make("details", "", make("summary", "", make("span", "cause", badge(label === "hazard" ? "hazards" : "defects", label), ` ${name}`)),
    make("div", "detail", make("dl", "", ...lines.flatMap(([head, text]) => term(head, text))))));
  const rows = Object.entries(record.cells).map(([place, cell]) => [...place.split(" "), ...["valid", "answered", "wrong", "died"].map((field) => number(cell[field]))]);
  const beside = runtimes.map((runtime) => make("a", { href: linkTo({ view: "compare", a: OWN, b: `${runtime.backend}@${runtime.releases.at(-1).release}` }) }, `${runtime.runtime} (${runtime.backend})`));
  return { title: record.name, parts: [...parts,
    make("p", record.isPartial ? "error" : "asked", record.said), make("p", "tally", counts.map(([name, count]) => `${number(count)} ${name}`).join(", "), ...record.kinds.map(([kind, count]) => `; ${number(count)} ${kind}`), "."),
    make("p", "", "Beside ", ...beside.flatMap((link) => [link, " · "]).slice(0, -1)), matrixOf([record], `${record.name}: operators by types`, null, isAsked).table, legend(),
    ...(record.splits.length === 0 ? [] : [heading("Hazards and contradictions"), make("ul", "matters", ...record.splits.map(split))]),
    ...(record.smaller.length === 0 ? [] : [heading("Failing calls, made small"), make("ul", "", ...record.smaller.slice(0, 50).map(({ spec, dtype, call }) => make("li", "", `${shortOf(spec)} ${dtype}: `, make("code", "", call))))]),
    make("details", "", make("summary", "", "Counts by operator and type"), wide("counts", table("errors", { header: ["spec", "type", "calls", "answered", "wrong", "died"], rows })))] };
}

// ---- the page ----

const VIEWS = { table: tableView, runtime: runtimeView, clauses: clausesView, compare: pairView, record: recordView };

function fill(name, first, values, groups = [["", values]]) {
  const options = groups.flatMap(([label, of]) => (label === "" ? of : [make("optgroup", { label }, ...of)]));
  form.elements[name].replaceChildren(new Option(first, ""), ...options);
  form.elements[name].value = state[name] ?? "";
  form.elements[name].classList.toggle("set", Boolean(state[name]));
}

function fillFilters() {
  const places = runtimes.flatMap(({ rows }) => rows);
  const specs = inOrder(unique(places.map(({ spec }) => shortOf(spec))));
  const options = (all) => all.map((one) => new Option(one, one));
  fill("operator", "every operator", [], [["any version", options(unique(specs.map((spec) => bareOf(`/${spec}`))))], ["one version", options(specs)]]);
  fill("type", "every type", options(unique(places.map(({ dtype }) => dtype)).toSorted(byType)));
  const named = ({ runtime, backend }) => new Option(`${runtime} (${backend})`, backend);
  fill("runtime", "every runtime", [], [["with a history", runtimes.map(named)], ["findings by hand", index["by-hand"].map(named)]]);
  const releases = runtimeOf(state.runtime)?.releases ?? [];
  fill("release", "the newest", options([...releases].reverse().map(({ release }) => release)));
  form.elements.release.disabled = releases.length === 0;
}

function show() {
  const before = state.view;
  state = read();
  state.view = VIEWS[state.view] === undefined ? (state.runtime ? "runtime" : "table") : state.view;
  fillFilters();
  const { title, parts } = VIEWS[state.view]();
  element("title").textContent = title;
  document.title = `${title} · Normative`;
  form.hidden = state.view === "clauses";
  form.classList.toggle("narrow", ["compare", "record"].includes(state.view));
  element("view").replaceChildren(...parts);
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.hash === `#view=${state.view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
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
