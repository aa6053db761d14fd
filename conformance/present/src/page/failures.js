// Lists, filters and opens the failures. The state is the fragment: what it says is what is shown, so a view can be
// linked.

const tables = data.failures;
const FACETS = ["backend", "defect", "spec", "dtype", "kind", "clause"];
const PAGE = 50;

// The defects of all backends: backend, number there, and name.
const causes = data.backends.flatMap(({ defects: all }, backend) => all.map(({ name }, at) => [backend, at + 1, name]));

// What each facet can be, by the place its numbers refer to.
const values = {
  backend: data.backends.map((backend) => backend.name),
  defect: causes.map(([backend, nth]) => `${data.backends[backend].name} ${nth}`),
  spec: data.specs,
  dtype: data.dtypes,
  kind: tables.kinds,
  clause: tables.clauses.map(([name]) => name),
};

// One failure, from the tables it points into.
const failures = tables.rows.map(([backend, kind, call, answer, defect], at) => {
  const [name, spec, dtype, clauses, asked] = tables.calls[call];
  return { at, backend, defect: defect ?? none, kind, spec, dtype: dtype ?? none, clauses, name: tables.texts[name], asked, came: tables.answers[answer] };
});
const keyOf = (failure) => `${values.backend[failure.backend]} ${failure.name}`;
// Several generated calls, or a call that is also answered otherwise, may bear one name: the kind tells them apart.
const byKey = new Map();
for (const failure of failures) {
  const key = keyOf(failure);
  byKey.set(byKey.has(key) ? `${key} ${tables.kinds[failure.kind]}` : key, failure);
}
const keys = new Map([...byKey].map(([key, failure]) => [failure, key]));

// ---- state ----

const empty = () => ({ backend: "", defect: "", spec: "", dtype: "", kind: "", clause: "", q: "", open: "", page: 1 });
let state = empty();
let shown = failures;

/** The state a fragment says, or null where it is the name of a section. */
function read(fragment) {
  const text = fragment.replace(/^#/, "");
  if (text !== "" && !text.includes("=")) return null;
  const said = new URLSearchParams(text.replaceAll("+", "%2B"));
  const next = empty();
  for (const facet of [...FACETS, "q", "open"]) next[facet] = said.get(facet) ?? "";
  next.page = Math.max(1, Number.parseInt(said.get("page") ?? "1", 10) || 1);
  return next;
}

/** The fragment of the state. */
function written() {
  const said = Object.fromEntries([...FACETS, "q", "open"].map((name) => [name, state[name]]).filter(([, value]) => value !== ""));
  return fragment(state.page > 1 && state.open === "" ? { ...said, page: state.page } : said);
}

function remember() {
  const said = written();
  history.replaceState(null, "", said === "#" ? location.pathname + location.search : said);
}

// ---- filtering ----

const lowered = tables.texts.map((text) => text.toLowerCase());
const isIn = (texts, hit) => texts.some((text, at) => at % 2 === 1 && hit[text] === 1);

/** For each word of the text filter, whether a failure has it anywhere. */
function matcher(text) {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const tests = words.map((word) => {
    const has = (all) => Uint8Array.from(all, (one) => (one.includes(word) ? 1 : 0));
    const texts = has(lowered);
    const calls = Uint8Array.from(tables.calls, ([name, , , , asked]) => (texts[name] || isIn(asked, texts) ? 1 : 0));
    const answers = Uint8Array.from(tables.answers, (came) => (isIn(came, texts) ? 1 : 0));
    const clauses = has(tables.clauses.map((clause) => clause.join(" ").toLowerCase()));
    const backends = has(data.backends.map((backend) => `${backend.name} ${backend.who}`.toLowerCase()));
    return (failure) => {
      const [backend, , call, answer] = tables.rows[failure.at];
      return calls[call] || answers[answer] || backends[backend] || failure.clauses.some((clause) => clauses[clause]);
    };
  });
  return (failure) => tests.every((test) => test(failure));
}

const has = (failure, facet, place) =>
  facet === "clause" ? failure.clauses.includes(place) : failure[facet] === place;

/** Applies the filters, and counts for each value of a facet how many failures it would leave. */
function filter() {
  const wanted = FACETS.map((facet) => (state[facet] === "" ? null : values[facet].indexOf(state[facet])));
  const matches = matcher(state.q);
  const counts = Object.fromEntries(FACETS.map((facet) => [facet, new Uint32Array(values[facet].length)]));
  const count = (failure, facet) => {
    if (facet === "clause") for (const clause of failure.clauses) counts.clause[clause] += 1;
    else if (failure[facet] !== none) counts[facet][failure[facet]] += 1;
  };
  shown = failures.filter((failure) => {
    const misses = FACETS.filter((facet, at) => wanted[at] !== null && !has(failure, facet, wanted[at]));
    if (misses.length > 1 || !matches(failure)) return false;
    // One that only this facet leaves out is what another choice of it would show.
    for (const facet of misses.length === 1 ? misses : FACETS) count(failure, facet);
    return misses.length === 0;
  });
  return counts;
}

// ---- the filters ----

const form = element("filters");
const options = {};

function fillFilters() {
  for (const facet of FACETS) {
    const select = form.elements[facet];
    select.append(new Option("all", ""));
    options[facet] = values[facet].map((value) => new Option(value, value));
    const order = facet === "clause" ? options[facet].toSorted((a, b) => (a.value < b.value ? -1 : 1)) : options[facet];
    select.append(...order);
  }
}

function showFilters(counts) {
  for (const facet of FACETS) {
    options[facet].forEach((option, place) => {
      const count = counts[facet][place];
      const name = facet === "defect" ? `${option.value}: ${causes[place][2]}` : option.value;
      option.text = `${name} (${number(count)})`;
      option.hidden = count === 0 && option.value !== state[facet];
    });
    form.elements[facet].value = state[facet];
    form.elements[facet].classList.toggle("set", state[facet] !== "");
  }
  if (form.elements.q.value !== state.q) form.elements.q.value = state.q;
  form.elements.q.classList.toggle("set", state.q !== "");
}

// ---- the list ----

function pairs(numbers) {
  const lines = [];
  for (let at = 0; at < numbers.length; at += 2) {
    lines.push({ label: tables.labels[numbers[at]], text: tables.texts[numbers[at + 1]] });
  }
  return lines;
}

/** What a closed row says of a failure. */
function brief(failure) {
  const lines = pairs(failure.came);
  const first = (label) => lines.find((line) => line.label === label)?.text;
  const error = first("error");
  const result = first("result") ?? first("crashed") ?? first("no answer") ?? first("then") ?? first("asks") ?? "";
  return error === undefined ? result : `${result}; error ${error}`;
}

function row(failure) {
  const kind = tables.kinds[failure.kind];
  const details = make("details", "", make("summary", "",
    make("span", "kind", kind),
    make("span", "who", values.backend[failure.backend]),
    make("bdi", "name", failure.name),
    make("bdi", "brief", brief(failure)),
  ));
  details.open = keys.get(failure) === state.open;
  if (details.open) details.append(detail(failure));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(detail(failure));
    const key = keys.get(failure);
    if (details.open) state.open = key;
    else if (state.open === key) state.open = "";
    remember();
  });
  return make("li", ["inconsistent", "nondeterministic"].includes(kind) ? "doubt" : "", details);
}

const WORDS = new Set(["catches", "clause", "asks", "under"]);

function entry(list, { label, text }, failure) {
  list.append(make("dt", "", label === "again" ? "repeat it" : label === "repro" ? "alone" : label));
  const value = make("dd", WORDS.has(label) ? "" : "value");
  if (label === "again") value.append(command(repeating(failure, text), `repeats ${failure.name}`));
  else if (label === "repro") value.append(command(reproducing(failure, text), `writes a reproduction of ${failure.name}`));
  else value.textContent = text;
  list.append(value);
}

/** Everything known of a failure: what was asked, then every reading it misses, then how to see it again. */
function detail(failure) {
  const all = make("div", "detail");
  const asked = make("dl");
  for (const clause of failure.clauses) {
    const [name, says] = tables.clauses[clause];
    const link = make("a", { class: "call", href: fragment({ clause: name }) }, name);
    asked.append(make("dt", "", "clause"), make("dd", "", link, ` ${says}`));
  }
  if (failure.defect !== none) {
    const [, nth, name] = causes[failure.defect];
    const filters = { backend: values.backend[failure.backend], defect: values.defect[failure.defect] };
    const link = make("a", { href: fragment(filters) }, `${nth}. ${name}`);
    asked.append(make("dt", "", "defect"), make("dd", "", link));
  }
  for (const line of pairs(failure.asked)) entry(asked, line, failure);
  all.append(asked);
  let list = null;
  let before = "";
  for (const line of pairs(failure.came)) {
    const { label } = line;
    // A reading that is missed, a reading that is taken, and the command are a block each; what is told of a reading
    // that is taken ends with its own command.
    const begins = ["under", "reads", "repro"].includes(label) || (label === "result" && before !== "under")
      || (label === "again" && before !== "reads");
    if (begins || list === null) {
      list = make("dl");
      all.append(make("div", ["again", "repro"].includes(label) ? "" : "miss", list));
    }
    before = label;
    entry(list, line, failure);
  }
  return all;
}

function repeating(failure, option) {
  const again = data.backends[failure.backend].again;
  return `${again} ${option === "--case" ? `--case ${failure.name}` : option}`.trim();
}

function reproducing(failure, call) {
  const [before, after] = data.backends[failure.backend].repro;
  return `${before} ${call === "" ? failure.name : call} ${after}`;
}

/** A command to be copied, and what it does. */
function command(text, does) {
  const code = make("code", "", text);
  const button = make("button", { type: "button", "aria-label": `Copy the command that ${does}` }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return make("div", "command", code, button);
}

function showList() {
  const pages = Math.max(1, Math.ceil(shown.length / PAGE));
  const open = byKey.get(state.open);
  const place = open === undefined ? none : shown.indexOf(open);
  if (place !== none) state.page = Math.floor(place / PAGE) + 1;
  state.page = Math.min(state.page, pages);
  const from = (state.page - 1) * PAGE;
  element("list").replaceChildren(...shown.slice(from, from + PAGE).map(row));
  element("count").textContent = shown.length === failures.length
    ? counted(failures.length, "failure")
    : `${number(shown.length)} of ${counted(failures.length, "failure")}`;
  element("pages").hidden = pages === 1;
  element("page").textContent = `${number(from + 1)}–${number(Math.min(from + PAGE, shown.length))} of ${number(shown.length)}`;
  element("previous").disabled = state.page === 1;
  element("next").disabled = state.page === pages;
}

/** Makes a backend that is filtered for stand out in the matrix, the profile and the plots. */
function showChosen() {
  const chosen = values.backend.indexOf(state.backend);
  document.body.classList.toggle("choosing", chosen !== none);
  for (const one of document.querySelectorAll("[data-backend]")) {
    const isChosen = one.dataset.backend.split(" ").includes(String(chosen));
    one.classList.toggle("chosen", isChosen);
    // What is drawn last is drawn on top.
    if (isChosen && one.matches(".curve")) one.parentNode.append(one);
  }
}

function show() {
  showFilters(filter());
  showList();
  showChosen();
}

function change(next) {
  state = { ...state, open: "", page: 1, ...next };
  show();
  remember();
}

// ---- the rest of the page ----

function goTo(section, behavior = "auto") {
  section.scrollIntoView({ behavior });
  section.focus({ preventScroll: true });
}

/** Takes the state from the fragment; a fragment that is a section's name leaves it be. */
function follow(behavior) {
  const said = read(location.hash);
  if (said === null) return;
  state = said;
  show();
  const details = state.open === "" ? null : element("list").querySelector("details[open]");
  if (written() !== "#") goTo(details?.querySelector("summary") ?? element("failures"), behavior);
}

for (const section of [lead, matrix, hazards, defects, questions, support, accuracy]) section();
fillFilters();
form.hidden = failures.length === 0;
form.addEventListener("change", (event) => { if (event.target.name !== "q") change({ [event.target.name]: event.target.value }); });
form.addEventListener("input", (event) => { if (event.target.name === "q") change({ q: event.target.value }); });
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", (event) => { event.preventDefault(); change(empty()); });
for (const [id, by] of [["previous", -1], ["next", 1]]) {
  element(id).addEventListener("click", () => {
    state = { ...state, open: "", page: state.page + by };
    showList();
    remember();
    element("count").scrollIntoView({ block: "start" });
  });
}
// Links to sections move the view and the focus, and leave the state in the fragment as it is.
for (const link of document.querySelectorAll('a[href^="#"]:not([href*="="])')) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    goTo(element(link.getAttribute("href").slice(1)));
  });
}
addEventListener("hashchange", () => follow("auto"));
themes();
if (read(location.hash) === null) show();
follow("instant");
