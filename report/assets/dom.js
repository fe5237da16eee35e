// SPDX-License-Identifier: Apache-2.0
// Elements are made with text content and attributes only, never from strings of HTML: names of
// jobs, queues and policies are what users wrote.

const $ = id => document.getElementById(id);

function make(node, attributes, children) {
  for (const [k, v] of Object.entries(attributes)) {
    if (v !== null && v !== undefined && v !== false) node.setAttribute(k, v);
  }
  node.append(...children.filter(c => c !== null && c !== undefined));
  return node;
}

const el = (tag, attributes = {}, ...children) => make(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  make(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// button makes a control; action gets the event.
function button(text, attributes, action) {
  const b = el("button", {type: "button", ...attributes}, text);
  b.addEventListener("click", action);
  return b;
}

// color resolves a colour of the style sheet in the theme that is shown, for canvases.
const resolved = new Map();
function color(name) {
  if (!resolved.has(name)) {
    const probe = el("span", {style: `color: var(--${name})`});
    document.body.append(probe);
    resolved.set(name, getComputedStyle(probe).color);
    probe.remove();
  }
  return resolved.get(name);
}

const PALETTE = 8, KEYS = 12;
const policyColor = i => `var(--p${i % PALETTE})`;
const keyColor = (i, others) => others ? "var(--k-other)" : `var(--k${i % KEYS})`;

// Each four policies have the next dashes, so that forty lines differ. policySwatch does the same for the tables of the page.
const DASHES = [null, "6 3", "2 3", "10 3 2 3", "10 3 2 3 2 3"];
const dashes = i => Math.floor(i / 4) % DASHES.length;
const policyDash = i => DASHES[dashes(i)];
