// SPDX-License-Identifier: Apache-2.0
// The menu of each card that saves what it shows.

// saveMenu adds the menu to a figure; rows() returns its table. What is no drawing is saved as CSV alone.
function saveMenu(figure, rows, kinds) {
  figure.rows = rows;
  if (figure.querySelector(".save-menu")) return;
  const title = figure.querySelector("h3").textContent;
  figure.prepend(el("details", {class: "save-menu"}, el("summary", {"aria-label": "Save " + title}, "Save"),
    el("div", {}, ...kinds.map(k => el("button", {type: "button", "data-save": k, "aria-label": `Save ${title} as ${k.toUpperCase()}`}, k.toUpperCase())))));
}

// Only one menu is open, and none after a click or Escape elsewhere.
const closeMenus = but => { for (const d of document.querySelectorAll(".save-menu[open]")) if (d !== but) d.open = false; };
document.addEventListener("click", e => closeMenus(e.target.closest(".save-menu")));
document.addEventListener("keydown", e => { if (e.key === "Escape") closeMenus(null); });

// cellText is a cell as a table of text has it: its lines apart by a space.
const cellText = e => e.innerText.replace(/\s+/g, " ").trim();
const course = document.querySelector("svg.course");
if (course) {
  saveMenu(course.closest("figure"), () => [["kind", "bar"], ...[...course.querySelectorAll("rect")].map(r => [r.getAttribute("class"), r.textContent])], ["svg", "csv"]);
}
for (const figure of document.querySelectorAll("figure:has(table)")) {
  saveMenu(figure, () => [...figure.querySelectorAll("tr")].map(tr => [...tr.children].map(cellText)), ["csv"]);
}
