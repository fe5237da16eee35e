// SPDX-License-Identifier: Apache-2.0
// Which view is shown: the address behind # says it.

import {$, el, faultBox} from "./dom.js";
import {listView, resultView, besideView} from "./results.js";
import {jobsView} from "./jobs.js";
import {askView} from "./ask.js";

const views = {"": [listView, "Results"], result: [resultView, "Result"], beside: [besideView, "Side by side"], jobs: [jobsView, "Jobs"], ask: [askView, "What if"]};
let current = new AbortController();

async function show() {
  current.abort();
  const control = current = new AbortController();
  const [name, query] = location.hash.replace(/^#\/?/, "").split("?");
  const main = $("main"), values = Object.fromEntries(new URLSearchParams(query || "")), [view, title] = views[name] || views[""];
  const page = el("div");
  main.replaceChildren(page);
  $("said").className = "away";
  document.title = `${title}${values.path ? " · " + values.path : ""} · yardmaster`;
  for (const a of document.querySelectorAll("nav a")) a.toggleAttribute("aria-current", a.getAttribute("href") === "#/" + name);
  main.dataset.ready = "false";
  try {
    await view(page, values, control.signal);
  } catch (e) {
    if (!control.signal.aborted) page.append(faultBox(e.faults || [{text: String(e)}]));
  }
  if (!control.signal.aborted) main.dataset.ready = "true";
}

const dark = matchMedia("(prefers-color-scheme: dark)");
$("theme").addEventListener("click", () => {
  const root = document.documentElement, now = root.dataset.theme || (dark.matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
});
addEventListener("hashchange", show);
show();
