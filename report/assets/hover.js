// SPDX-License-Identifier: Apache-2.0
// Reading values off a chart with the pointer or the arrow keys.

// hover calls read(px, py) with a place in the plot. It returns {title, rows, x, marks} or
// nothing: x draws a vertical line, marks are dots {x, y, color}. Arrow keys move the place once
// the chart has the focus.
function hover(f, read) {
  let at = [f.w / 2, f.h / 2];
  const leave = () => { f.marks.replaceChildren(); hideTip(); };
  const show = (px, py, clientX, clientY) => {
    f.marks.replaceChildren();
    const r = read(px, py);
    if (!r) return hideTip();
    if (r.x !== undefined) f.marks.append(svg("line", {class: "cursor", x1: r.x, x2: r.x, y1: 0, y2: f.h}));
    for (const m of r.marks || []) f.marks.append(svg("circle", {class: "mark", cx: m.x, cy: m.y, r: 4, fill: m.color}));
    showTip(clientX, clientY, r.title, r.rows);
  };
  f.surface.setAttribute("tabindex", "0");
  f.surface.setAttribute("role", "application");
  f.surface.setAttribute("aria-label", f.svg.getAttribute("aria-label") + " Arrow keys read values.");
  f.surface.addEventListener("pointermove", e => {
    const box = f.surface.getBoundingClientRect();
    at = [e.clientX - box.left, e.clientY - box.top];
    show(at[0], at[1], e.clientX, e.clientY);
  });
  f.surface.addEventListener("pointerleave", leave);
  f.surface.addEventListener("blur", leave);
  f.surface.addEventListener("keydown", e => {
    const move = {ArrowLeft: [-8, 0], ArrowRight: [8, 0], ArrowUp: [0, -8], ArrowDown: [0, 8]}[e.key];
    if (!move) return;
    e.preventDefault();
    at = [Math.min(f.w, Math.max(0, at[0] + move[0])), Math.min(f.h, Math.max(0, at[1] + move[1]))];
    const box = f.surface.getBoundingClientRect();
    show(at[0], at[1], box.left + at[0], box.top + at[1]);
  });
}

// lastAt returns the last position of the ascending list whose value is at most v, or -1.
function lastAt(list, v) {
  let low = 0, high = list.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (list[mid] <= v) low = mid + 1; else high = mid;
  }
  return low - 1;
}
