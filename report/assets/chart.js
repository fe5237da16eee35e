// SPDX-License-Identifier: Apache-2.0
// Charts: registration, redrawing, and the frame of axes that all of them share.

const charts = [];

// chart registers draw(root) for the element chart-NAME, which returns a function that returns what it shows as rows of
// a table, the head first. It is drawn at start, when its width or
// the theme changes, and when one of the named choices does. lacks() returns the sentence to show
// instead, or nothing.
function chart(name, choices, lacks, draw) {
  const root = $("chart-" + name);
  if (!root) return;
  const c = {root, width: -1, redraw() {
    root.replaceChildren();
    const sentence = lacks();
    root.classList.toggle("lacking", Boolean(sentence));
    if (sentence) root.append(el("p", {class: "empty"}, sentence));
    else saveMenu(root.closest("figure"), draw(root), ["svg", "csv"]);
    root.dataset.drawn = "true";
  }};
  charts.push(c);
  on(choices, c.redraw);
}

const noJobs = () => anyJobs ? "" : "No job finished, so there is nothing to draw.";
const noSlowdown = () => noJobs() || (anySlowdown ? "" :
  "Slowdown is left out: the run time of the jobs alone in the empty cluster was not computed.");

// note adds a sentence under a chart, about what it does not show.
function note(root, text) {
  const figure = root.closest("figure");
  let p = figure.querySelector(".note");
  if (!p) figure.append(p = el("p", {class: "note"}));
  p.textContent = text;
}

// frame draws axes and returns {svg, plot, marks, surface, canvas, x, y, w, h, left, top}. Options:
// label (for screen readers), x and y (functions from pixel range to scale), xticks and yticks
// (functions from scale and number to ticks), xlabel, ylabel, canvas (put one over the grid and
// under the plot), margin.
function frame(root, o) {
  const width = root.clientWidth, height = root.clientHeight;
  const m = {left: 52, right: 14, top: o.ylabel ? 26 : 10, bottom: o.xlabel ? 42 : 26, ...o.margin};
  const w = Math.max(width - m.left - m.right, 40), h = Math.max(height - m.top - m.bottom, 30);
  const f = {w, h, left: m.left, top: m.top, x: o.x(0, w), y: o.y(h, 0)};
  const grid = svg("g", {transform: `translate(${m.left} ${m.top})`});
  root.append(svg("svg", {class: "axis", width, height, "aria-hidden": "true"}, grid));
  if (o.canvas) f.canvas = canvasBehind(root, f);
  for (const [v, text] of o.xticks ? o.xticks(f.x, Math.max(2, Math.floor(w / 74))) : []) {
    const px = f.x(v);
    grid.append(svg("line", {x1: px, x2: px, y1: 0, y2: h}),
      svg("text", {x: px, y: h + 16, "text-anchor": px + 3.4 * text.length > w + m.right ? "end" : "middle"}, text));
  }
  for (const [v, text] of o.yticks ? o.yticks(f.y, Math.max(2, Math.floor(h / 42))) : []) {
    const py = f.y(v);
    grid.append(svg("line", {x1: 0, x2: w, y1: py, y2: py}),
      svg("text", {x: -8, y: py, dy: "0.32em", "text-anchor": "end"}, text));
  }
  grid.append(svg("line", {class: "base", x1: 0, x2: w, y1: h, y2: h}));
  if (o.xlabel) grid.append(svg("text", {class: "name", x: w, y: h + 34, "text-anchor": "end"}, o.xlabel));
  if (o.ylabel) grid.append(svg("text", {class: "name", x: 8 - m.left, y: -12}, o.ylabel));
  const id = root.id + "-clip";
  f.plot = svg("g", {"clip-path": `url(#${id})`});
  f.marks = svg("g", {"pointer-events": "none"});
  f.surface = svg("rect", {class: "surface", width: w, height: h, fill: "transparent"});
  f.svg = svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": o.label},
    svg("clipPath", {id}, svg("rect", {x: 0, y: -2, width: w, height: h + 4})),
    svg("g", {transform: `translate(${m.left} ${m.top})`}, f.plot, f.marks, f.surface));
  root.append(f.svg);
  return f;
}

// canvasBehind puts a canvas of the size of the plot into the chart, sharp on any screen.
function canvasBehind(root, f) {
  const ratio = Math.min(devicePixelRatio || 1, 3);
  const c = el("canvas", {width: Math.round(f.w * ratio), height: Math.round(f.h * ratio), "aria-hidden": "true",
    style: `left: ${f.left}px; top: ${f.top}px; width: ${f.w}px; height: ${f.h}px`});
  root.append(c);
  const g = c.getContext("2d");
  g.scale(ratio, ratio);
  return g;
}

// path joins points to the text of an SVG path; stepped holds a value until the next x.
function path(points, stepped) {
  let d = "";
  for (const [x, y] of points) {
    const px = x.toFixed(1), py = y.toFixed(1);
    d += d ? (stepped ? `H${px}V${py}` : `L${px} ${py}`) : `M${px} ${py}`;
  }
  return d;
}

// bandOf returns what all seeds of a policy span, or nothing with one seed; bandEnds both edges of it.
const bandOf = (p, field) => p.bands && p.bands[field].low?.length ? p.bands[field] : null;
const bandEnds = b => b ? [b.low, b.high] : [];

// overSeeds says what all seeds span. The seed shown is one of them: its value v widens a span that is kept in coarser steps.
function overSeeds(v, low, high, format) {
  const a = format(Math.min(v, low)), b = format(Math.max(v, high));
  return a === b ? "" : ` (${a} to ${b} over seeds)`;
}
const rangeAt = (b, k, v, format) => b && k < b.low.length && b.low[k] !== null ? overSeeds(v, b.low[k], b.high[k], format) : "";

// bandPath fills what lies between two lines.
const bandPath = (f, fill, low, high) => f.plot.append(svg("path", {class: "band", d: path(low) + path([...high].reverse()).replace("M", "L") + "Z", fill}));

// curve draws one policy's line.
const curve = (f, i, d) => f.plot.append(svg("path", {class: "line", d, stroke: policyColor(i), "stroke-dasharray": policyDash(i)}));
