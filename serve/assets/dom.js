// SPDX-License-Identifier: Apache-2.0
// Elements, numbers and requests. Elements are made with text and attributes only, never from strings of HTML: names
// of jobs, queues and folders are what users wrote.

function make(node, attributes, children) {
  for (const [k, v] of Object.entries(attributes)) {
    if (k === "on") for (const [type, fn] of Object.entries(v)) node.addEventListener(type, fn);
    else if (v === true) node.setAttribute(k, "");
    else if (v !== null && v !== undefined && v !== false) node.setAttribute(k, v);
  }
  node.append(...children.filter(c => c !== null && c !== undefined));
  return node;
}

export const $ = id => document.getElementById(id);
export const el = (tag, attributes = {}, ...children) => make(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) =>
  make(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// say tells people who do not see the page what happened; where it is shown, the others as well, until another view is opened.
export function say(text, shown = false) {
  $("said").textContent = text;
  $("said").className = shown ? "said" : "away";
}

// formats are made once: making one costs more than using it a hundred times.
const formats = Array.from({length: 7}, (_, n) => new Intl.NumberFormat("en-US", {maximumFractionDigits: n}));

export const count = n => formats[0].format(n);

// digits writes v with three significant digits.
export function digits(v) {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  const a = Math.abs(v), places = a === 0 ? 0 : Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(a) + 1e-12)));
  return formats[places].format(v).replace("-", "−");
}

// seconds writes a span of time in the unit that suits it.
export function seconds(s) {
  if (s === null || s === undefined || Number.isNaN(s)) return "–";
  const a = Math.abs(s);
  if (a === 0) return "0 s";
  if (a < 1) return digits(s * 1000) + " ms";
  if (a < 120) return digits(s) + " s";
  if (a < 7200) return digits(s / 60) + " min";
  if (a < 172800) return digits(s / 3600) + " h";
  return digits(s / 86400) + " d";
}

// get asks the server and throws what it says is wrong, or that it says nothing.
export const get = url => request(url, {headers: {Accept: "application/json"}});

export const post = (url, body) => request(url, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});

async function request(url, options) {
  let r, text, v;
  try {
    r = await fetch(url, options);
    text = await r.text();
  } catch {
    throw {silent: true, faults: [{text: "The server does not answer. Start yardmaster serve again and open the URL that it prints."}]};
  }
  if (r.status === 204) return null;
  try { v = JSON.parse(text); } catch { throw {faults: [{text: text.trim() || r.statusText}]}; }
  if (!r.ok) throw v;
  return v;
}

export const fileURL = (...parts) => "/file/" + parts.filter(Boolean).join("/").split("/").map(encodeURIComponent).join("/");

// link makes the address of a view.
export const link = (view, values = {}) => "#/" + view + (Object.keys(values).length ? "?" + new URLSearchParams(values) : "");

// commandBox shows the command line that makes a view.
export function commandBox(text) {
  const copy = el("button", {type: "button", on: {click: async () => {
    await navigator.clipboard.writeText(text).catch(() => {});
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  }}}, "Copy");
  return el("div", {class: "command"}, el("code", {tabindex: "0", "aria-label": "Command line"}, text), copy);
}

export const faultBox = faults => el("p", {class: "faults", role: "alert"}, faults.map(f => f.text).join("\n"));

// facts makes a list of names and values.
export const facts = list => el("dl", {}, ...list.filter(([, v]) => v !== "" && v !== null && v !== undefined).flatMap(([k, v]) => [el("dt", {}, k), el("dd", {}, v)]));

// bars makes a list of amounts; items are [name, value, colour].
export function bars(items, format) {
  const most = Math.max(...items.map(i => i[1]), 1e-12);
  return el("ul", {class: "bars"}, ...items.map(([name, v, c]) => el("li", {}, el("span", {}, name),
    el("i", {style: `--c: ${c}; width: ${(100 * v / most).toFixed(2)}%`}), el("b", {}, format(v)))));
}
