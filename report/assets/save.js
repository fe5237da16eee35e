// SPDX-License-Identifier: Apache-2.0
// Saves a figure as SVG, with the colours that it has on the screen, or what it shows as CSV.

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "opacity", "font-size", "font-family", "font-weight"];

// styled copies a drawing with the style sheet's values written into it.
function styled(drawing) {
  const copy = drawing.cloneNode(true), from = [drawing, ...drawing.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((e, i) => {
    const s = getComputedStyle(e);
    for (const k of STYLES) to[i].style.setProperty(k, s.getPropertyValue(k));
  });
  return copy;
}

// drawn joins all that a figure draws, canvases as pictures, into one SVG.
function drawn(figure) {
  const box = (figure.querySelector(".chart") || figure.querySelector("svg.plot")).getBoundingClientRect();
  const ns = "http://www.w3.org/2000/svg", root = document.createElementNS(ns, "svg");
  for (const [k, v] of Object.entries({xmlns: ns, width: box.width, height: box.height, viewBox: `0 0 ${box.width} ${box.height}`})) root.setAttribute(k, v);
  const ground = document.createElementNS(ns, "rect");
  for (const [k, v] of Object.entries({width: "100%", height: "100%", fill: getComputedStyle(figure).backgroundColor})) ground.setAttribute(k, v);
  root.append(ground);
  for (const e of figure.querySelectorAll(".chart svg, .chart canvas, svg.plot")) {
    const b = e.getBoundingClientRect();
    const part = e.tagName === "CANVAS" ? document.createElementNS(ns, "image") : styled(e);
    if (e.tagName === "CANVAS") part.setAttribute("href", e.toDataURL());
    for (const [k, v] of Object.entries({x: b.left - box.left, y: b.top - box.top, width: b.width, height: b.height})) part.setAttribute(k, v);
    root.append(part);
  }
  return new XMLSerializer().serializeToString(root);
}

function saveAs(name, type, text) {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(new Blob([text], {type}));
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

document.addEventListener("click", e => {
  const b = e.target.closest("button[data-save]");
  if (!b) return;
  const figure = b.closest("figure"), name = (figure.querySelector("h3") || figure).textContent.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60);
  if (b.dataset.save === "svg") saveAs(name + ".svg", "image/svg+xml", drawn(figure));
  else saveAs(name + ".csv", "text/csv", figure.dataset.csv);
});
