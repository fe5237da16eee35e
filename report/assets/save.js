// SPDX-License-Identifier: Apache-2.0
// Saves a figure as SVG, with the colours that it has on the screen, or what it shows as CSV.

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "opacity", "font-size", "font-family", "font-weight"];
const SVG = "http://www.w3.org/2000/svg";

function shape(tag, attributes) {
  const e = document.createElementNS(SVG, tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  return e;
}

// styled copies a drawing with the style sheet's values written into it.
function styled(drawing) {
  const copy = drawing.cloneNode(true), from = [drawing, ...drawing.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((e, i) => {
    const s = getComputedStyle(e);
    for (const k of STYLES) to[i].style.setProperty(k, s.getPropertyValue(k));
  });
  return copy;
}

// lettering writes a text of the page where it stands.
function lettering(e, text, x, y) {
  const s = getComputedStyle(e), t = shape("text", {x, y, dy: "0.35em", fill: s.color, "font-size": s.fontSize, "font-family": s.fontFamily, "font-weight": s.fontWeight});
  t.textContent = text;
  return t;
}

// legend draws what a key of the figure says: its colour, if it has one, and its text.
function legend(e, box) {
  const b = e.getBoundingClientRect(), at = e.querySelector(".swatch"), before = getComputedStyle(e, "::before");
  const fill = at ? getComputedStyle(at).getPropertyValue("--c").trim() && getComputedStyle(at).backgroundColor : before.content !== "none" ? before.backgroundColor : "";
  const left = (at ? at.getBoundingClientRect().left : b.left) - box.left, y = b.top + b.height / 2 - box.top;
  return [...(fill ? [shape("rect", {x: left, y: y - 5, width: 13, height: 10, rx: 3, fill})] : []), lettering(e, e.textContent.trim(), left + (fill ? 19 : 0), y)];
}

// drawing joins all that a figure draws, canvases as pictures, its title and its legend into one SVG.
function drawing(figure) {
  const own = figure.querySelector(".chart, svg.plot, svg.course").getBoundingClientRect(), title = figure.querySelector("h3");
  const keys = [...figure.querySelectorAll(".chip[aria-pressed=true], .choice [aria-pressed=true], .key, .map > p")].filter(e => e.getClientRects().length);
  const top = Math.min(own.top, ...keys.map(e => e.getBoundingClientRect().top)) - (title ? 30 : 0), box = {left: own.left, top, width: own.width, height: own.bottom - top};
  const root = shape("svg", {xmlns: SVG, width: box.width, height: box.height, viewBox: `0 0 ${box.width} ${box.height}`});
  root.append(shape("rect", {width: "100%", height: "100%", fill: getComputedStyle(figure).backgroundColor}));
  if (title) root.append(lettering(title, title.textContent.trim(), 4, 14));
  for (const e of keys) root.append(...legend(e, box));
  for (const e of figure.querySelectorAll(".chart svg, .chart canvas, svg.plot, svg.course")) {
    const b = e.getBoundingClientRect(), part = e.tagName === "CANVAS" ? shape("image", {href: e.toDataURL()}) : styled(e);
    for (const [k, v] of Object.entries({x: b.left - box.left, y: b.top - box.top, width: b.width, height: b.height})) part.setAttribute(k, v);
    root.append(part);
  }
  return new XMLSerializer().serializeToString(root);
}

// csvText writes rows. A text that a spreadsheet would take for a formula gets a leading apostrophe.
function csvText(rows) {
  const cell = v => {
    if (v === null || v === undefined || typeof v === "number") return Number.isFinite(v) ? String(v) : "";
    const text = /^'*[=+\-@\t\r]/.test(v) ? "'" + v : String(v);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map(r => r.map(cell).join(",") + "\n").join("");
}

function saveAs(name, type, text) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(new Blob([text], {type}));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

// A figure holds its table as text in data-csv, or has a function rows that returns it.
document.addEventListener("click", e => {
  const b = e.target.closest("button[data-save]");
  if (!b) return;
  const figure = b.closest("figure"), name = (figure.querySelector("h3") || figure).textContent.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60);
  if (b.dataset.save === "svg") saveAs(name + ".svg", "image/svg+xml", drawing(figure));
  else saveAs(name + ".csv", "text/csv", figure.rows ? csvText(figure.rows()) : figure.dataset.csv);
  b.closest("details")?.removeAttribute("open");
});
