// SPDX-License-Identifier: Apache-2.0
// The range of time that the charts over time share.

const SPAN = data.span > 0 ? data.span : 1;
const range = () => state.zoom || [0, SPAN];

// zoomTo shows from..to, kept inside the run; a range that is all of it is not a zoom.
function zoomTo(from, to) {
  const width = Math.min(Math.max(to - from, SPAN / 1e5), SPAN);
  from = Math.min(Math.max(from, 0), SPAN - width);
  choose("zoom", width >= SPAN * 0.999 ? null : [from, from + width]);
}

function zoomBy(factor, share = 0.5) {
  const [a, b] = range(), at = a + (b - a) * share;
  zoomTo(at - (at - a) * factor, at + (b - at) * factor);
}

function pan(share) {
  const [a, b] = range(), d = (b - a) * share;
  zoomTo(a + d, b + d);
}

// zoomable lets the reader drag over the frame to select a range, double-click to see all, and
// use the wheel with Ctrl. It also writes the range to the root's data-from and data-to.
function zoomable(root, f) {
  [root.dataset.from, root.dataset.to] = range();
  let start = null, box = null;
  const at = e => Math.min(f.w, Math.max(0, e.clientX - f.surface.getBoundingClientRect().left));
  f.surface.classList.add("zoomable");
  f.surface.addEventListener("pointerdown", e => {
    if (e.button !== 0 || e.pointerType === "touch") return;
    start = at(e);
    box = svg("rect", {class: "brush", y: 0, height: f.h, x: start, width: 0});
    f.plot.append(box);
    f.surface.setPointerCapture(e.pointerId);
  });
  f.surface.addEventListener("pointermove", e => {
    if (start === null) return;
    box.setAttribute("x", Math.min(start, at(e)));
    box.setAttribute("width", Math.abs(at(e) - start));
  });
  const end = e => {
    if (start === null) return;
    const [a, b] = [Math.min(start, at(e)), Math.max(start, at(e))];
    start = null;
    box.remove();
    if (e.type === "pointerup" && b - a > 5) zoomTo(f.x.invert(a), f.x.invert(b));
  };
  f.surface.addEventListener("pointerup", end);
  f.surface.addEventListener("pointercancel", end);
  f.surface.addEventListener("dblclick", () => choose("zoom", null));
  f.surface.addEventListener("wheel", e => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    zoomBy(e.deltaY > 0 ? 1.25 : 0.8, at(e) / f.w);
  }, {passive: false});
}

function zoomControls(root) {
  if (!(data.span > 0)) {
    root.closest(".zoombar").remove();
    return;
  }
  const text = el("span", {class: "range", "aria-live": "polite"});
  const reset = button("Show all", {id: "zoom-reset", "data-tip": "Show the whole run"}, () => choose("zoom", null));
  const step = (label, name, action) => button(label, {class: "icon", "aria-label": name, "data-tip": name}, action);
  root.append(text, step("‹", "Earlier", () => pan(-0.5)), step("+", "Zoom in", () => zoomBy(0.5)),
    step("−", "Zoom out", () => zoomBy(2)), step("›", "Later", () => pan(0.5)), reset);
  const update = () => {
    const [a, b] = range(), exact = Math.max(1, 10 ** Math.floor(Math.log10((b - a) / 100)));
    text.textContent = state.zoom ? `${clock(a, exact)} – ${clock(b, exact)}` : "whole run";
    reset.disabled = !state.zoom;
  };
  on(["zoom"], update);
  update();
}
