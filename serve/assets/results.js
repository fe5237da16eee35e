// SPDX-License-Identifier: Apache-2.0
// The list of results, one result, and two side by side.

import {el, count, digits, get, fileURL, link, commandBox, faultBox} from "./dom.js";

const MOST = 300;

export async function listView(main) {
  const {dir, entries, left} = await get("/api/results");
  const picked = new Set(), list = el("ul", {class: "list"}), counted = el("span", {class: "count"});
  const beside = el("button", {type: "button", disabled: true, on: {click: () => { location.hash = link("beside", {a: [...picked][0], b: [...picked][1]}); }}}, "Put two side by side");
  const search = el("input", {type: "search", placeholder: "Search results: a name, a policy, a kind …", "aria-label": "Search results", on: {input: draw}});
  main.append(el("div", {class: "head"}, el("h1", {}, "Results"), el("p", {}, "below " + dir)), commandBox("yardmaster serve " + dir), el("div", {class: "tools"}, search, beside, counted),
    left ? el("p", {class: "note"}, `There is more here than is listed: the ${count(left)} oldest are left out. Serve a folder further down to see them.`) : null, list);

  function draw() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = entries.filter(e => { const t = [e.path, e.kind, e.name, e.command, ...e.policies].join(" ").toLowerCase(); return words.every(w => t.includes(w)); });
    counted.textContent = `${count(found.length)} of ${count(entries.length)}` + (found.length > MOST ? `, the first ${MOST} are shown` : "");
    list.replaceChildren(...found.slice(0, MOST).map(item));
    list.hidden = !found.length;
  }

  function item(e) {
    const scenario = e.kind === "scenario";
    const box = scenario ? el("span") : el("input", {type: "checkbox", "aria-label": "Pick " + e.path, on: {change: () => {
      if (box.checked) picked.add(e.path); else picked.delete(e.path);
      beside.disabled = picked.size !== 2;
    }}});
    if (!scenario) box.checked = picked.has(e.path);
    return el("li", {}, box, el("div", {class: "name"}, el("a", {href: scenario ? link("ask", {base: e.path}) : link("result", {path: e.path})}, e.path), e.name && e.name !== e.path ? el("small", {}, e.name) : null),
      el("span", {class: "kind"}, e.kind), el("span", {class: "quiet", title: e.policies.join(", ")}, e.policies.join(", ")),
      el("span", {class: "quiet"}, e.seeds ? `${count(e.seeds)} seed${e.seeds === 1 ? "" : "s"}` : ""), el("span", {class: "quiet"}, new Date(e.made * 1000).toLocaleString()));
  }

  draw();
  if (!entries.length) main.append(el("p", {class: "empty"}, "There is nothing yet. Ask a what-if of the built-in scenario, or run yardmaster run in this folder."));
  search.focus({preventScroll: true});
}

// framed shows the page of a result.
const framed = e => e.page ? el("iframe", {title: "Report of " + e.path, src: fileURL(e.path, "report.html"), on: {load: event => { event.target.dataset.loaded = "true"; }}}) : el("p", {class: "empty"}, "This result has no page.");

export async function resultView(main, {path}) {
  const {entry: e, summary, files, written} = await get("/api/result?path=" + encodeURIComponent(path));
  main.append(el("div", {class: "head"}, el("h1", {}, path), el("span", {class: "kind"}, e.kind), el("span", {class: "spring"}),
    e.jobs ? el("a", {class: "act", href: link("jobs", {path})}, "Jobs") : null,
    ["run", "compare"].includes(e.kind) ? el("a", {class: "act", href: link("ask", {base: path})}, "What if…") : null), commandBox(e.command));
  if (e.kind === "compare" && summary) main.append(el("details", {open: false, class: "group"}, el("summary", {}, "Paired differences against " + summary.policies[0]), el("div", {}, pairedTable(summary))));
  for (const f of written) {
    main.append(el("p", {class: "changed"}, el("a", {class: "act", download: "capacity-scheduler.xml", href: "/api/changed?" + new URLSearchParams({path, policy: f.policy})}, "Download the changed capacity-scheduler.xml"),
      el("small", {}, " of " + f.policy)), commandBox(f.command));
  }
  main.append(framed(e), el("details", {class: "group"}, el("summary", {}, "Files"), el("ul", {}, ...files.map(f => el("li", {}, el("a", {href: fileURL(path, f), target: "_blank", rel: "noopener"}, f))))));
}

// pairedTable shows what a comparison found, with the interval of each difference.
function pairedTable(s) {
  const rows = Object.keys(s.metrics).sort().map(m => {
    const cells = s.metrics[m].map((v, i) => {
      const d = v.difference, sure = d && (d[1] > 0 || d[2] < 0);
      return el("td", {}, digits(v.mean), i && d ? el("small", {}, ` ${sure ? "*" : ""}${digits(100 * d[0])} % (${digits(100 * d[1])} … ${digits(100 * d[2])})`) : null);
    });
    return el("tr", {}, el("th", {scope: "row"}, m), ...cells);
  });
  return el("div", {class: "holder", tabindex: "0", role: "region", "aria-label": "Paired differences"}, el("table", {class: "diffs", id: "paired"},
    el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "metric"), ...s.policies.map(p => el("th", {scope: "col"}, p)))), el("tbody", {}, ...rows)));
}

// meansOf returns the metrics of a summary by name, of its first policy.
const meansOf = s => !s ? {} : s.policies ? Object.fromEntries(Object.entries(s.metrics).map(([k, v]) => [k, v[0].mean])) : s.metrics || {};

export async function besideView(main, {a, b}) {
  const [x, y] = await Promise.all([a, b].map(p => get("/api/result?path=" + encodeURIComponent(p))));
  const left = meansOf(x.summary), right = meansOf(y.summary), names = Object.keys(left).filter(k => typeof left[k] === "number" && typeof right[k] === "number").sort();
  main.append(el("div", {class: "head"}, el("h1", {}, "Side by side")));
  if (names.length) {
    main.append(el("div", {class: "holder", tabindex: "0", role: "region", "aria-label": "Metrics side by side"}, el("table", {class: "diffs", id: "beside"},
      el("thead", {}, el("tr", {}, ...["metric", a, b, "difference"].map(t => el("th", {scope: "col"}, t)))),
      el("tbody", {}, ...names.map(k => el("tr", {}, el("th", {scope: "row"}, k), el("td", {}, digits(left[k])), el("td", {}, digits(right[k])),
        el("td", {}, left[k] ? digits(100 * (right[k] / left[k] - 1)) + " %" : "–")))))),
    el("p", {class: "note"}, "These are differences of means. Where both share a workload, a what-if pairs them and gives intervals."));
  }
  main.append(el("div", {class: "pair"}, ...[[a, x], [b, y]].map(([p, r]) => el("section", {}, el("h2", {}, el("a", {href: link("result", {path: p})}, p)), commandBox(r.entry.command), framed(r.entry)))));
}
