// SPDX-License-Identifier: Apache-2.0
// Starts the page: draws everything, and again when the width or the theme changes.

function redrawAll() {
  resolved.clear();
  for (const c of charts) c.redraw();
}

const watch = new ResizeObserver(entries => {
  for (const e of entries) {
    const c = charts.find(k => k.root === e.target), width = Math.round(e.contentRect.width);
    if (c && c.width !== width) {
      const first = c.width === -1;
      c.width = width;
      if (!first) c.redraw();
    }
  }
});

// setTheme forces light or dark, or follows the system for "".
function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  redrawAll();
}

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";

$("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
prefersDark.addEventListener("change", redrawAll);

// Paper is light and as wide as the charts are then drawn.
let before = "";
addEventListener("beforeprint", () => {
  before = document.documentElement.dataset.theme || "";
  document.documentElement.classList.add("paper");
  setTheme("light");
});
addEventListener("afterprint", () => {
  document.documentElement.classList.remove("paper");
  setTheme(before);
});

redrawAll();
for (const c of charts) watch.observe(c.root);
document.documentElement.dataset.ready = "true";
