// Plots the error against the number of terms: a panel for the worst element and one for the mean, per element type.
// Every line ends with its backends' names, so that colour and shape are not needed; backends with the same errors share
// a line. A table of the same numbers follows.

// The panel's edges, in its own units: the plot, and the lowest place of a name to its right.
const [LEFT, RIGHT, TOP, BOTTOM, FOOT] = [38, 262, 14, 232, 246];
// The least distance of two names, if there is room for all, and the most characters of one.
const [PITCH, NAME] = [12.5, 24];
// log10 of the least error on the scale; smaller ones are drawn there.
const LEAST = -3;
// The marks around a point: circle, square, triangle, diamond, cross.
const SHAPES = [
  "m-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0 -5.2 0z",
  "m-2.4 -2.4h4.8v4.8h-4.8z",
  "m0 -3.2l3.1 5.4h-6.2z",
  "m0 -3.5l3.5 3.5l-3.5 3.5l-3.5 -3.5z",
  "m-2.8 -2.8l5.6 5.6m0 -5.6l-5.6 5.6",
];

const fixed = (value) => value.toFixed(1);
const lettering = (className, x, y, words) => draw("text", { class: className, x: fixed(x), y: fixed(y) }, words);

/** The height of a value on a log scale; smaller values are on its foot, and what is not finite at its top. */
function height(value, most) {
  const log = value === null ? most : value > 0 ? Math.log10(value) : LEAST;
  const share = Math.min(1, Math.max(0, (log - LEAST) / (most - LEAST)));
  return BOTTOM - share * (BOTTOM - TOP);
}

const pitch = (names) => Math.min(PITCH, (FOOT - TOP) / Math.max(2, names));

/** Heights for names, near those wanted and in their order, so that no two overlap. */
function apart(wanted) {
  const order = wanted.map((_, name) => name).toSorted((a, b) => wanted[a] - wanted[b]);
  const heights = [];
  let next = TOP;
  for (const name of order) {
    heights[name] = Math.max(wanted[name], next);
    next = heights[name] + pitch(wanted.length);
  }
  // Names below the foot are moved up, and those above them as far as necessary.
  next = FOOT;
  for (const name of order.reverse()) {
    heights[name] = Math.min(heights[name], next);
    next = heights[name] - pitch(wanted.length);
  }
  return heights;
}

function shortened(names) {
  const all = names.join(", ");
  if (all.length <= NAME) return all;
  const more = names.length > 1 ? ` +${names.length - 1}` : "";
  const [room, first] = [NAME - more.length, [...names[0]]];
  return (first.length > room ? `${first.slice(0, room - 1).join("")}…` : names[0]) + more;
}

function powerOfTen(power) {
  const digits = String(power).replace(/./g, (digit) => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]));
  return power === 0 ? "1" : power === 1 ? "10" : `10${digits}`;
}

const lengths = (exponent) => ["0–9", "10–99"][exponent] ?? `${powerOfTen(exponent)}+`;
const bounds = (exponent) => `${exponent === 0 ? 0 : 10 ** exponent}–${10 ** (exponent + 1) - 1}`;

/** A line with its marks, and its name to the right. */
function curve({ backends, points }, label) {
  const names = backends.map((backend) => data.backends[backend].name);
  // Hue and shape of a backend are the same in every panel.
  const [hue, shape] = [backends[0] % 6, SHAPES[backends[0] % SHAPES.length]];
  const [x, y] = points.at(-1);
  return draw("g", { class: `curve hue-${hue}`, "data-backend": backends.join(" ") },
    draw("title", "", names.join(", ")),
    draw("path", { class: "line", d: `M${points.map((point) => point.map(fixed).join(" ")).join("L")}` }),
    ...points.map(([x, y]) => draw("path", { class: "mark", d: `M${fixed(x)} ${fixed(y)}${shape}` })),
    draw("path", { class: "lead", d: `M${fixed(x + 4)} ${fixed(y)}L${fixed(RIGHT + 10)} ${fixed(label)}` }),
    lettering("name", RIGHT + 13, label + 3.5, shortened(names)));
}

/** A panel of the value that a point has at an index. */
function panel({ dtype, backends }, what, value) {
  const measured = backends.map((points, backend) => ({ backend, points })).filter(({ points }) => points.length > 0);
  const all = measured.flatMap(({ points }) => points);
  const most = Math.max(1, Math.ceil(Math.log10(Math.max(1, ...all.map((point) => point[value] ?? 1)))));
  const longest = Math.max(...all.map(([exponent]) => exponent));
  const along = (exponent) => LEFT + 10 + ((RIGHT - LEFT - 20) / Math.max(1, longest)) * exponent;
  const svg = blank.cloneNode();
  svg.setAttribute("aria-label", `${what} error of ${dtype} in ulp against the number of terms; the table below has the numbers`);
  // As many lines of the grid as a reader can tell apart.
  for (let power = LEAST; power <= most; power += most - LEAST > 9 ? 3 : 1) {
    const y = height(10 ** power, most);
    svg.append(draw("path", { class: "grid", d: `M${LEFT} ${fixed(y)}H${RIGHT}` }),
      lettering("scale", LEFT - 5, y + 3.5, (power === LEAST ? "≤" : "") + powerOfTen(power)));
  }
  svg.append(draw("path", { class: "half", d: `M${LEFT} ${fixed(height(0.5, most))}H${RIGHT}` }, draw("title", "", "half an ulp")));
  for (let exponent = 0; exponent <= longest; exponent += 1) {
    svg.append(lettering("length", along(exponent), BOTTOM + 15, lengths(exponent)));
  }
  svg.append(lettering("length", (LEFT + RIGHT) / 2, BOTTOM + 30, "terms"));
  const placed = ({ points }) => points.map((point) => [along(point[0]), height(point[value], most)]);
  const curves = groups(measured, ({ points }) => JSON.stringify(points.map((point) => [point[0], point[value]])))
    .map(([, alike]) => ({ backends: alike.map(({ backend }) => backend), points: placed(alike[0]) }));
  const labels = apart(curves.map(({ points }) => points.at(-1)[1]));
  svg.append(...curves.map((one, nth) => curve(one, labels[nth])));
  return make("figure", "", make("figcaption", "", `${what} error, ulp`), svg);
}

/** The numbers: worst and mean, a row per backend. */
function errors({ dtype, backends }) {
  const decades = [...new Set(backends.flat().map(([exponent]) => exponent))].toSorted((a, b) => a - b);
  const error = (points, decade) => {
    const point = points.find(([exponent]) => exponent === decade);
    if (point === undefined) return make("td", "", "–");
    const [, , , words, isBeyond] = point;
    return isBeyond ? make("td", "", words, " ", make("b", "", "beyond")) : make("td", "", words);
  };
  const rows = backends.flatMap((points, backend) => (points.length === 0 ? [] : [make("tr", { "data-backend": backend },
    make("th", { scope: "row" }, data.backends[backend].name), ...decades.map((decade) => error(points, decade)))]));
  const caption = `Errors of ${dtype} in ulp, worst / mean, by number of terms`;
  return make("details", "", make("summary", "", `${dtype} as a table`), wide(`errors of ${dtype}`,
    make("table", "errors", make("caption", "", caption), headed(["backend", ...decades.map(bounds)]), make("tbody", "", ...rows))));
}

function accuracy() {
  for (const measured of data.accuracy) {
    element("accuracy").append(make("h3", "", measured.dtype),
      make("div", "panels", panel(measured, "worst", 1), panel(measured, "mean", 2)), errors(measured));
  }
  if (data.accuracy.length === 0) element("accuracy").append(make("p", "", "No float was measured."));
}
