"use strict";
// Elements and words, for the page of a run and for the site. Texts of a run reach a document as text alone, never as
// markup: `make` and `draw` are the only ways to an element.

const data = JSON.parse(document.getElementById("data").textContent);
const element = (id) => document.getElementById(id);
const none = -1;

/** Gives an element its attributes, or its class alone, and its children: nodes and texts. */
function filled(made, attributes, children) {
  const all = typeof attributes === "string" ? { class: attributes } : attributes;
  for (const [name, value] of Object.entries(all)) if (value !== "") made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const make = (tag, attributes = "", ...children) => filled(document.createElement(tag), attributes, children);

const number = (count) => count.toLocaleString("en");
const counted = (count, one) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;

/** The fragment that says these values. */
function fragment(facets) {
  const plain = (value) => encodeURIComponent(value).replaceAll("%2F", "/");
  return `#${Object.entries(facets).map(([name, value]) => `${name}=${plain(value)}`).join("&")}`;
}

const inconsistent = () => [make("span", { "aria-hidden": "true" }, "≠"), make("span", "unseen", "inconsistent")];

/** A box that scrolls by itself, for a table wider than the screen. */
const wide = (label, table) => make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": label }, table);

const headed = (names) => make("thead", "", make("tr", "", ...names.map((name) => make("th", { scope: "col" }, name))));

function table(className, { header, rows }) {
  const body = rows.map((row) => make("tr", "", ...row.map((cell) => make("td", "", cell))));
  return make("table", className, headed(header), make("tbody", "", ...body));
}

/** An element without content, which also has the namespace of pictures. */
const blank = element("panel").content.firstElementChild;
const draw = (tag, attributes, ...children) => filled(document.createElementNS(blank.namespaceURI, tag), attributes, children);

function themes() {
  const button = element("theme");
  const root = document.documentElement;
  const stored = { get: () => { try { return localStorage.getItem("normative-theme"); } catch { return null; } },
    set: (theme) => { try { localStorage.setItem("normative-theme", theme); } catch { /* It is forgotten, then. */ } } };
  const dark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { button.textContent = dark() ? "Light" : "Dark"; button.setAttribute("aria-label", `Show in ${dark() ? "light" : "dark"} colours`); };
  if (["light", "dark"].includes(stored.get())) root.dataset.theme = stored.get();
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    stored.set(root.dataset.theme);
    name();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
  button.hidden = false;
}
