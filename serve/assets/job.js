// SPDX-License-Identifier: Apache-2.0
// One job: where its time went, its row among those of its neighbours, its explanation and what-ifs.

import {el, svg, seconds, digits, bars, facts, link, get, post, fileURL, commandBox, faultBox} from "./dom.js";
import {runBox} from "./run.js";

const PARTS = "blame_", LIMIT = "limit_";

export function jobPanel({c, row, held, path, policy, close}) {
  const v = name => { const k = c.column(name); return k ? k[row] : null; };
  const id = v("id"), name = v("name") || "job " + id;
  const group = (prefix, color) => c.names.filter(n => n.startsWith(prefix)).map((n, i) => [n.slice(prefix.length).replaceAll("_", " "), v(n), color(i, n.slice(prefix.length))]).filter(i => i[1] > 0);
  const parts = group(PARTS, i => `var(--part${i % 8})`), limits = group(LIMIT, (_, name) => `var(--limit-${name})`).sort((a, b) => b[1] - a[1]);
  const closing = el("button", {type: "button", class: "close", "aria-label": "Close the job", on: {click: close}}, "Close");
  const answer = el("div", {"aria-live": "polite"});
  const ask = el("button", {type: "button", class: "main", on: {click: () => explain(answer, ask, {path, policy, job: String(id)})}}, "Explain this job");
  const root = el("section", {class: "job", "aria-label": "Job " + id, tabindex: "-1", on: {keydown: e => { if (e.key === "Escape") close(); }}}, closing,
    el("h2", {}, name),
    el("p", {class: "quiet"}, ["job " + id, v("queue"), v("user"), v("class")].filter(Boolean).join(" · ")),
    facts([["submitted", seconds(v("submit"))], ["waited", seconds(v("waiting"))], ["ran", seconds(v("execution"))], ["elapsed", seconds(v("elapsed"))],
      ["slowdown", Number.isNaN(v("slowdown")) ? "" : digits(v("slowdown"))], ["held by", held.name[row]],
      ["tasks", `${digits(v("maps"))} maps, ${digits(v("reduces"))} reduces`], ["goal met", v("met")]]),
    el("h3", {}, "Where its time went"), parts.length ? bars(parts, seconds) : el("p", {}, "Nothing is known."),
    el("h3", {}, "What held it back"), limits.length ? bars(limits, seconds) : el("p", {}, "Nothing held it back."),
    el("h3", {}, "Its row, among jobs submitted about then"), ganttRows(c, row),
    el("h3", {}, "Why, and what would have helped"),
    el("p", {}, ask, " ", el("a", {class: "act", href: link("ask", {base: path, policy: policy || ""})}, "Change a setting…")), answer);
  queueMicrotask(() => root.focus());
  return root;
}

// ganttRows draws the job and its neighbours from submission to end: pale while they waited, solid while they ran.
function ganttRows(c, row) {
  const submit = c.column("submit"), first = c.column("first_start"), finish = c.column("finish"), names = c.column("name");
  const from = Math.max(0, Math.min(row - 7, c.length - 15)), to = Math.min(c.length, from + 15);
  const t0 = Math.min(...submit.subarray(from, to)), t1 = finish[row] + 0.6 * (finish[row] - submit[row]) + 1e-9;
  const W = 520, H = 16, x = t => Math.max(0, Math.min(W, (t - t0) / (t1 - t0) * W));
  const g = svg("svg", {viewBox: `0 0 ${W} ${(to - from) * H + 18}`, role: "img", "aria-label": "Rows of jobs over time"});
  for (let r = from; r < to; r++) {
    const y = (r - from) * H, here = r === row, fill = here ? "var(--p1)" : "var(--k7)";
    const a = x(submit[r]), b = x(Number.isNaN(first[r]) ? finish[r] : first[r]), e = x(finish[r]);
    const title = svg("title", {}, `${names ? names[r] : r}: waited ${seconds(first[r] - submit[r])}, ran ${seconds(finish[r] - first[r])}`);
    g.append(svg("g", {}, title, svg("rect", {x: a, y: y + 3, width: Math.max(0, b - a), height: H - 6, fill, opacity: 0.35}),
      svg("rect", {x: b, y: y + 3, width: Math.max(1, e - b), height: H - 6, fill})));
  }
  g.append(svg("text", {x: 0, y: (to - from) * H + 13}, seconds(t0)), svg("text", {x: W, y: (to - from) * H + 13, "text-anchor": "end"}, seconds(t1)));
  return el("div", {class: "rows"}, g);
}

// explain shows the explanation that is there already, or has it made.
async function explain(answer, ask, {path, policy, job}) {
  ask.disabled = true;
  answer.replaceChildren();
  try {
    const started = await post("/api/runs", {ask: "explain", base: path, policy, job});
    answer.append(runBox(started, now => {
      ask.disabled = false;
      if (now.state !== "done") return;
      answer.replaceChildren(commandBox(now.command), el("p", {}, el("a", {class: "act", href: link("result", {path: now.result})}, "Open it by itself")),
        el("iframe", {title: "Explanation of job " + job, src: fileURL(now.result, "report.html"), id: "explanation"}));
    }));
  } catch (e) {
    ask.disabled = false;
    answer.append(faultBox(e.faults || [{text: String(e)}]));
  }
}
