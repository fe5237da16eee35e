// SPDX-License-Identifier: Apache-2.0
// The one tooltip of the page: for elements with data-tip, and for charts through showTip.

const tip = $("tip");

// place puts the tooltip beside a point of the window, where it fits.
function place(x, y) {
  const box = tip.getBoundingClientRect(), gap = 14;
  let left = x + gap, top = y + gap;
  if (left + box.width > innerWidth - 8) left = x - gap - box.width;
  if (top + box.height > innerHeight - 8) top = y - gap - box.height;
  tip.style.left = Math.max(8, left) + "px";
  tip.style.top = Math.max(8, top) + "px";
}

// showTip shows a title and rows {name, value, color, strong}; rows may be empty.
function showTip(x, y, title, rows = []) {
  tip.replaceChildren(el("b", {}, title));
  if (rows.length) {
    tip.append(el("table", {}, ...rows.map(r => el("tr", {class: r.strong ? "strong" : null},
      el("td", {}, r.color ? el("span", {class: "dot", style: `background: ${r.color}`}) : ""),
      el("td", {}, r.name), el("td", {}, r.value)))));
  }
  tip.hidden = false;
  place(x, y);
}

function hideTip() { tip.hidden = true; }

function tipOf(event) {
  const at = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
  if (!at) return null;
  const [title, ...rest] = at.dataset.tip.split("\n");
  return {at, title, rows: rest.map(line => ({name: line, value: ""}))};
}

document.addEventListener("pointermove", e => {
  const t = tipOf(e);
  if (t) showTip(e.clientX, e.clientY, t.title, t.rows);
  else if (!(e.target instanceof Element && e.target.closest(".surface"))) hideTip();
});
document.addEventListener("focusin", e => {
  const t = tipOf(e);
  if (!t || !t.at.matches(":focus-visible")) return;
  const box = t.at.getBoundingClientRect();
  showTip(box.left, box.bottom, t.title, t.rows);
});
document.addEventListener("focusout", hideTip);
document.addEventListener("keydown", e => { if (e.key === "Escape") hideTip(); });
addEventListener("scroll", hideTip, {passive: true});
