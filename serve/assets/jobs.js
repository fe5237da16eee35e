// SPDX-License-Identifier: Apache-2.0
// The jobs of a result as a table: sort, filter, search; a click opens one.

import {el, count, seconds, digits, get, fileURL, link, commandBox, faultBox, say} from "./dom.js";
import {readCSV} from "./csv.js";
import {Sheet} from "./sheet.js";
import {jobPanel} from "./job.js";

const plural = n => `${count(n)} ${n === 1 ? "job" : "jobs"}`;

const LIMIT = "limit_";

// columnsOf lists what the table shows of the file: who, what held it, times, the rest.
function columnsOf(c, held) {
  const text = (name, title, width) => ({name, title, width, grow: 2, text: r => c.column(name)[r]});
  const time = (name, title, doc) => ({name, title, width: 16 + 10 * Math.max(title.length, 7), number: true, doc, text: r => seconds(c.column(name)[r])});
  const number = (name, title, doc) => ({name, title, width: 26 + 9 * Math.max(title.length, 6), number: true, doc, text: r => digits(c.column(name)[r])});
  const list = [{name: "id", title: "job", width: 64, number: true, text: r => String(c.column("id")[r])}, text("name", "name", 120),
    {name: "held", title: "held by", width: 118, doc: "the limit that held it back longest", text: r => held.name[r]},
    time("waiting", "waited", "start of its first task − submission"), time("elapsed", "elapsed", "end − submission"),
    number("slowdown", "slowdown", "elapsed over the time alone in the empty cluster"),
    text("queue", "queue", 90), text("user", "user", 80), text("class", "class", 80), time("submit", "submitted", "time of submission"),
    time("execution", "ran", "end − start of its first task"), time("size", "work", "sum of the run times of its tasks"),
    number("maps", "maps"), number("reduces", "reduces")];
  return list.filter(k => k.name === "held" || c.column(k.name)).filter(k => !["user", "class", "queue", "name"].includes(k.name) || c.column(k.name).some(Boolean));
}

// heldBy finds for each job the limit that held it back longest.
function heldBy(c, old) {
  const limits = c.names.filter(n => n.startsWith(LIMIT)), data = limits.map(n => c.column(n));
  const out = old || {name: [], names: limits.map(n => n.slice(LIMIT.length))};
  for (let r = out.name.length; r < c.length; r++) {
    let best = -1, most = 0;
    for (let k = 0; k < data.length; k++) if (data[k][r] > most) { most = data[k][r]; best = k; }
    out.name.push(best < 0 ? "" : out.names[best].replaceAll("_", " "));
  }
  return out;
}

const RULE = /^([a-z_]+)(>=|<=|>|<|=)(.+)$/;
const UNITS = {ms: 0.001, s: 1, min: 60, m: 60, h: 3600, d: 86400, "": 1};

// matcher turns a search into a test of rows: words must occur in a text; waiting>60s compares a column.
function matcher(c, texts, search, queue, held, heldData) {
  const tests = [];
  if (queue) { const q = c.column("queue"); tests.push(r => q[r] === queue); }
  if (held) tests.push(r => heldData.name[r] === held);
  for (const word of search.trim().split(/\s+/).filter(Boolean)) {
    const m = RULE.exec(word), col = m && c.column(m[1]);
    const num = m && /^(-?[\d.]+)(ms|s|min|m|h|d|)$/.exec(m[3]);
    if (col && !Array.isArray(col) && num) {
      const v = +num[1] * UNITS[num[2]];
      tests.push({">": r => col[r] > v, "<": r => col[r] < v, ">=": r => col[r] >= v, "<=": r => col[r] <= v, "=": r => col[r] === v}[m[2]]);
    } else if (col && Array.isArray(col) && m[2] === "=") tests.push(r => col[r] === m[3]);
    else { const w = word.toLowerCase(); tests.push(r => texts[r].includes(w)); }
  }
  return tests;
}

export async function jobsView(main, {path, policy}, signal) {
  const {entry, folder} = await get("/api/result?path=" + encodeURIComponent(path));
  const sub = entry.kind === "compare" ? policy || entry.policies[0] : "";
  const state = {search: "", queue: "", held: "", sort: "id", down: false};
  let c = null, held = null, texts = [], order = null, sheet = null, panel = null;

  const search = el("input", {type: "search", placeholder: "Search: a name, a user, waiting>60s, queue=prod …", "aria-label": "Search jobs", on: {input: () => { state.search = search.value; apply(); }}});
  const queues = el("select", {"aria-label": "Queue", on: {change: () => { state.queue = queues.value; apply(); }}}, el("option", {value: ""}, "all queues"));
  const limits = el("select", {"aria-label": "Held by", on: {change: () => { state.held = limits.value; apply(); }}}, el("option", {value: ""}, "held by anything"));
  const counted = el("span", {class: "count", id: "counted"}, "reading…");
  const tools = el("div", {class: "tools"}, search, queues, limits, counted);
  const split = el("div", {class: "split"});
  main.append(el("div", {class: "head"}, el("h1", {}, "Jobs of " + path), sub ? policyChoice(entry, path, sub) : null, el("span", {class: "spring"}),
    el("a", {class: "act", href: link("result", {path})}, "Report")), commandBox(entry.command), tools, split);

  // sortRows orders all rows; what does not sort (no value) comes last.
  function sortRows() {
    order = new Int32Array(c.length);
    for (let i = 0; i < order.length; i++) order[i] = i;
    if (state.sort === "id" && !state.down) return;
    const col = state.sort === "held" ? held.name : c.column(state.sort), sign = state.down ? -1 : 1;
    if (Array.isArray(col)) order.sort((a, b) => sign * (col[a] < col[b] ? -1 : col[a] > col[b] ? 1 : 0) || a - b);
    else order.sort((a, b) => {
      const x = col[a], y = col[b];
      if (x !== x || y !== y) return (x !== x) - (y !== y) || a - b;
      return sign * (x - y) || a - b;
    });
  }

  function apply(keep) {
    const tests = matcher(c, texts, state.search, state.queue, state.held, held);
    let rows = order;
    if (tests.length) {
      let n = 0;
      rows = new Int32Array(order.length);
      each: for (const r of order) {
        for (const t of tests) if (!t(r)) continue each;
        rows[n++] = r;
      }
      rows = rows.subarray(0, n);
    }
    counted.textContent = tests.length ? `${count(rows.length)} of ${count(c.length)} jobs` : plural(c.length);
    sheet.show(rows, keep);
  }

  function open(row) {
    if (panel) panel.remove();
    panel = jobPanel({c, row, held, path, folder, policy: sub, close() {
      panel.remove(); panel = null; split.classList.remove("open"); sheet.root.focus();
    }});
    split.classList.add("open");
    split.append(panel);
  }

  function more(columns, done) {
    c = columns;
    held = heldBy(c, held);
    const parts = ["name", "user", "queue", "class"].map(n => c.column(n)).filter(Boolean);
    for (let r = texts.length; r < c.length; r++) texts.push((parts.map(p => p[r]).join("\u0001") + "\u0001" + c.column("id")[r]).toLowerCase());
    if (!sheet) {
      sheet = new Sheet(columnsOf(c, held), {label: "Jobs", choose: open, sort(name) {
        state.down = state.sort === name ? !state.down : ["waiting", "elapsed", "slowdown", "execution", "size", "maps", "reduces"].includes(name);
        state.sort = name;
        sortRows();
        sheet.sorted(name, state.down);
        apply();
      }});
      sheet.sorted("id", false);
      split.append(sheet.root);
    }
    sortRows();
    apply(true);
    if (!done) { counted.textContent = `${plural(c.length)}, reading…`; return; }
    const q = c.column("queue");
    if (q) queues.append(...[...new Set(q)].sort().map(v => el("option", {value: v}, v || "(no queue)")));
    limits.append(...[...new Set(held.name)].filter(Boolean).sort().map(v => el("option", {value: v}, v)));
    sheet.root.dataset.ready = "true";
    say(plural(c.length));
  }

  try {
    await readCSV(fileURL(path, sub, "jobs.csv"), signal, more);
  } catch (e) {
    if (!signal.aborted) split.append(faultBox(e.faults || [{text: String(e)}]));
  }
}

// policyChoice lets one choose which policy of a comparison the table shows.
function policyChoice(entry, path, sub) {
  const s = el("select", {"aria-label": "Policy", on: {change: () => { location.hash = link("jobs", {path, policy: s.value}); }}},
    ...entry.policies.map(p => el("option", {value: p, selected: p === sub}, p)));
  return s;
}
