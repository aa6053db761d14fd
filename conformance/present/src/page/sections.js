// Lays out the sections above the list of failures.

// ---- the outcome ----

function lead() {
  const outcome = make("p", "outcome", data.outcome);
  if (data.partial !== null) outcome.append(" ", make("strong", "", data.partial));
  const parts = [outcome];
  const alone = data.backends.length === 1 ? data.backends[0] : { safety: [], severities: "" };
  if (alone.safety.length > 0) parts.push(make("ul", "hazards", ...alone.safety.map((line) => make("li", "", line))));
  const causes = data.backends.flatMap((backend) => backend.defects).length;
  const found = data.failures.rows.length;
  parts.push(make("p", "asked", `${data.asked}. `, make("a", { href: "#defects" }, counted(causes, "defect")), ", ",
    make("a", { href: "#failures" }, counted(found, "failure")), alone.severities === "" ? "." : `: ${alone.severities}.`));
  element("title").after(...parts);
  element("total").textContent = number(found);
}

// ---- the matrix ----

const familyOf = (spec) => data.specs[spec].split("/")[0];
const shortOf = (spec) => data.specs[spec].split("/")[1].replace(/^Reduce/, "");

function cell(backend, spec, found) {
  if (found === "not-asked") return make("td", "none", make("span", "unseen", "not asked"));
  if (found === "unsupported") {
    return make("td", "none", make("span", { "aria-hidden": "true" }, "–"), make("span", "unseen", "unsupported"));
  }
  if (found === "conforms") return make("td", "right", "conforms");
  const { shade, parts } = found.against;
  const link = make("a", { href: fragment({ backend: backend.name, spec: data.specs[spec] }) });
  const causes = backend.defects.filter((defect) => defect.specs.includes(spec)).length;
  if (causes > 0) link.append(make("span", "", counted(causes, "defect")), " ");
  for (const [count, matter] of parts) {
    const words = matter === "inconsistent" ? inconsistent() : [matter];
    link.append(make("span", "", make("b", "", number(count)), " ", ...words), " ");
  }
  return make("td", `wrong shade-${shade}`, link);
}

function matrix() {
  const families = Map.groupBy(data.columns, familyOf);
  const heads = [...families].map(([family, specs]) => make("th", { scope: "colgroup", colspan: specs.length }, family));
  const rows = data.backends.map((backend, at) => make("tr", { "data-backend": at },
    make("th", { scope: "row" }, make("b", "", backend.name), make("small", "", backend.who)),
    ...data.columns.map((spec, column) => cell(backend, spec, backend.cells[column])),
    make("td", "count", make("b", "", number(backend.conform)), ` / ${number(backend.tried)}`)));
  const head = make("thead", "",
    make("tr", "", make("th", { rowspan: 2, scope: "col" }, "backend"), ...heads,
      make("th", { rowspan: 2, scope: "col", class: "count" }, "conform", make("br"), "/ tried")),
    make("tr", "", ...data.columns.map((spec) => make("th", { scope: "col" }, shortOf(spec)))));
  element("matrix").append(wide("Backends by specifications", make("table", "matrix",
    make("caption", "unseen", "What each backend makes of each specification"), head, make("tbody", "", ...rows))));
}

// ---- hazards and defects: headings that open to labelled lines ----

/** The most headings of a backend; the lines of further defects are not in the data either. */
const SHOWN = 50;

function opening({ name, lines }, count = [], more = []) {
  const list = make("dl");
  for (const [label, text] of lines) list.append(make("dt", "", label), make("dd", "value", text));
  return make("li", "", make("details", "",
    make("summary", "", make("span", "cause", name), ...count), make("div", "detail", list, ...more)));
}

const listed = (items) => make("ol", "defects", ...items);

function hazards() {
  const section = element("hazards");
  const having = data.backends.filter((backend) => backend.hazards.length > 0);
  for (const { name, hazards: all } of having) {
    section.append(make("h3", "", name), listed(all.slice(0, SHOWN).map((hazard) => opening(hazard))));
    if (all.length > SHOWN) section.append(make("p", "note", `${all.length - SHOWN} more are left out.`));
  }
  if (having.length === 0) section.append(make("p", "", "None was met."));
}

function defects() {
  const section = element("defects");
  const having = data.backends.filter((backend) => backend.defects.length > 0);
  for (const backend of having) {
    const shown = backend.defects.slice(0, SHOWN).map((defect, at) => {
      const count = counted(defect.failures, "failure");
      const link = { href: fragment({ backend: backend.name, defect: `${backend.name} ${at + 1}` }) };
      return opening(defect, [" ", make("span", "count", count)], [make("p", "", make("a", link, `${count} of this defect`))]);
    });
    section.append(make("h3", "", backend.name), make("p", "explained", backend.explained), listed(shown));
    const more = backend.defects.length - shown.length;
    if (more > 0) {
      const words = more === 1 ? "more defect is" : "more defects are";
      section.append(make("p", "note", `${number(more)} ${words} in the list of failures alone.`));
    }
  }
  if (having.length === 0) section.append(make("p", "", "No call fails."));
}

// ---- questions ----

const NORMS = ["L1", "L2", "sums of squares"];
const groups = (items, key) => [...Map.groupBy(items, key)];
const same = (some, others) => some.length === others.length && some.every((one) => others.includes(one));

/** The names of specs, or the norm where they are all of it that was asked. */
function named(specs, asked) {
  return NORMS.flatMap((norm) => {
    const of = (all) => all.filter((spec) => data.norms[spec] === norm);
    return of(specs).length > 1 && same(of(specs), of(asked)) ? [norm] : of(specs).map(shortOf);
  }).join(" ");
}

/** Names the places of a reading, among all of a question, in few words: specs with the same types together. */
function scope(places, all) {
  const asked = [...new Set(all.map(([, , spec]) => spec))];
  const typesOf = ([, of]) => of.filter(([, , , dtype]) => dtype !== null).map(([, , , dtype]) => data.dtypes[dtype]).join(" ");
  const byTypes = groups(groups(places, ([, , spec]) => spec), typesOf);
  return byTypes.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([types, of]) => {
    const specs = of.map(([spec]) => spec);
    if (same(specs, asked)) return types === "" ? "everywhere" : types;
    return types === "" ? named(specs, asked) : `${named(specs, asked)}: ${types}`;
  }).join("; ");
}

/** A backend that takes a reading, and where, if it reads the question otherwise elsewhere. */
function taker(question, reading, backend) {
  const all = question.taken.filter(([, by]) => by === backend);
  const places = all.filter(([taken]) => taken === reading);
  const others = all.filter(([taken]) => taken !== reading);
  const made = make("span", { class: "taker", "data-backend": backend }, make("b", "", data.backends[backend].name));
  if (others.length > 0) made.append(" ", make("small", "", scope(places, all)));
  const isTwice = places.some(([, , spec, dtype]) => others.some((other) => other[2] === spec && other[3] === dtype));
  if (isTwice) made.append(" ", question["of-values"] ? make("i", "", "mixed") : make("em", "", ...inconsistent()));
  return made;
}

/** A question, and who takes each of its readings. */
function rowsOf(question) {
  const small = make("small", "", question.because);
  if (question.today !== null) small.append(` ${question.today}`);
  const head = make("tr", "", make("th", { scope: "rowgroup", colspan: 2 },
    make("code", "", question.name), ` ${question.asks}`, small));
  const rows = question.readings.map((name, reading) => {
    const takers = data.backends.map((_, at) => at)
      .filter((at) => question.taken.some(([taken, by]) => taken === reading && by === at))
      .flatMap((at) => [taker(question, reading, at), " "]);
    const cells = takers.length === 0 ? [make("i", "", "nobody")] : takers;
    return make("tr", "", make("th", { scope: "row" }, make("code", "", name)), make("td", "", ...cells));
  });
  return make("tbody", "", head, ...rows);
}

function questions() {
  const section = element("questions");
  for (const [family, of] of groups(data.questions, (question) => question.family)) {
    const caption = `Questions that ${family} leaves open, and who reads them how`;
    const head = headed(["question or reading", "backends"]);
    head.className = "unseen";
    section.append(make("h3", "", family),
      make("table", "profile", make("caption", "unseen", caption), head, ...of.map(rowsOf)));
  }
  if (data.questions.length === 0) section.append(make("p", "", "No answer tells a reading."));
  for (const { name, refusals } of data.backends.filter((backend) => backend.refusals.rows.length > 0)) {
    section.append(make("h3", "", `${name}: calls not answered`), table("profile", refusals));
  }
}

function support() {
  for (const { name, support: types } of data.backends) {
    const details = make("details", "", make("summary", "", name), wide(`types that ${name} supports`, table("profile support", types)));
    details.open = data.backends.length === 1;
    element("support").append(details);
  }
}
