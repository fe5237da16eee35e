// SPDX-License-Identifier: Apache-2.0
// The form of a what-if: every setting of a scenario with its value, what it means and what is allowed.

import {el, get, post, link, faultBox, $} from "./dom.js";
import {runBox} from "./run.js";

export async function askView(main, {base = "", policy = ""}, signal) {
  const [all, form] = await Promise.all([get("/api/results"), get("/api/form?" + new URLSearchParams({base, policy}))]);
  if (signal.aborted) return;
  const bases = all.entries.filter(e => ["scenario", "run", "compare"].includes(e.kind));
  const chooseBase = el("select", {id: "base", on: {change: () => { location.hash = link("ask", chooseBase.value ? {base: chooseBase.value} : {}); }}},
    el("option", {value: ""}, "the built-in scenario"), ...bases.map(e => el("option", {value: e.path, selected: e.path === base}, `${e.path} (${e.kind})`)));
  const choosePolicy = el("select", {id: "policy", on: {change: () => { location.hash = link("ask", {base, policy: choosePolicy.value}); }}},
    ...form.policies.concat(form.policies.includes(form.policy) ? [] : [form.policy]).map(p => el("option", {value: p, selected: p === form.policy}, p)));
  const taken = new Set(all.entries.map(e => e.path));
  let name = form.name + "-what-if";
  for (let i = 2; taken.has(name); i++) name = `${form.name}-what-if-${i}`;
  const named = el("input", {id: "name", value: name}), seeds = el("input", {id: "seeds", type: "number", min: 1, max: 10000, value: form.seeds});
  const filter = el("input", {type: "search", id: "filter", placeholder: "Find a setting: user limit, nodes, slow start …", "aria-label": "Find a setting"});
  const go = el("button", {type: "submit", class: "main"}, "Run it"), outcome = el("div", {id: "outcome"}), counted = el("span", {class: "count"});
  const box = (id, label, input) => el("div", {class: "field-of", "data-path": id}, el("label", {for: id}, label), input);
  const fields = form.fields.map((f, i) => fieldBox(f, i, update));
  const groups = groupsOf(fields);
  main.append(el("div", {class: "head"}, el("h1", {}, "What if…"), el("p", {}, "Change settings; the same workload runs with and without the change, and the differences are paired.")),
    el("form", {on: {submit: e => { e.preventDefault(); run(); }}},
      el("div", {class: "ask"}, box("base", "scenario or result", chooseBase), box("policy", "policy", choosePolicy), box("seeds", "repetitions", seeds), box("name", "name of the result", named), go),
      outcome, el("div", {class: "tools"}, filter, counted), furtherBox(), ...groups.map(g => g.root)));
  filter.addEventListener("input", () => narrow(groups, filter.value));
  update();

  // furtherBox adds fields for properties of Hadoop that are not set yet.
  function furtherBox() {
    if (!form.further) return null;
    const which = el("input", {id: "further", placeholder: "yarn.scheduler.capacity.root.…", autocomplete: "off", spellcheck: "false"}), added = el("div", {class: "fields"});
    const add = () => {
      const name = which.value.trim(), path = `${form.further}["${name}"]`;
      if (!name || /["\\]/.test(name) || fields.some(f => f.path === path)) return;
      const one = fieldBox({path, group: "", value: "", doc: "A property of Hadoop that is not set.", type: "", allowed: ""}, fields.length, update);
      fields.push(one);
      added.append(one.root);
      which.value = "";
      one.root.querySelector("input").focus();
    };
    which.addEventListener("keydown", e => { if (e.key === "Enter") { e.preventDefault(); add(); } });
    return el("details", {class: "group"}, el("summary", {}, "another property"), el("div", {}, el("div", {class: "tools"}, el("label", {for: "further"}, "Property of Hadoop"), which,
      el("button", {type: "button", on: {click: add}}, "Add")), added));
  }

  function update() {
    const n = fields.filter(f => f.changed()).length;
    counted.textContent = n ? `${n} changed` : "nothing changed yet";
    for (const g of groups) g.update();
  }

  // show puts each fault at its field and the others on top.
  function show(faults) {
    const others = [];
    for (const f of fields) f.fault("");
    document.querySelectorAll(".ask .fault").forEach(e => e.remove());
    for (const f of faults) {
      const at = fields.find(k => k.path === f.path) || fields.find(k => k.changed() && f.path && (k.path.endsWith(f.path) || f.path.startsWith(k.path)));
      const top = document.querySelector(`.ask [data-path="${CSS.escape(f.path || "none")}"]`);
      if (at) at.fault(f.text);
      else if (top) top.append(el("p", {class: "fault", role: "alert"}, f.text));
      else others.push(f);
    }
    if (others.length) outcome.append(faultBox(others));
    const first = document.querySelector(".field.bad :is(input, textarea)");
    if (first) { first.closest("details").open = true; first.focus(); }
  }

  async function run() {
    outcome.replaceChildren();
    show([]);
    const changes = fields.filter(f => f.changed()).map(f => ({path: f.path, value: f.value()}));
    go.disabled = true;
    try {
      const started = await post("/api/runs", {ask: "what-if", base, policy: form.policy, changes, seeds: +seeds.value, name: named.value});
      outcome.append(runBox(started, now => {
        if (signal.aborted) return; // the reader is elsewhere
        go.disabled = false;
        if (now.state === "done") location.hash = link("result", {path: now.result});
        else if (now.faults) { outcome.replaceChildren(); show(now.faults); }
      }));
    } catch (e) {
      if (signal.aborted) return;
      go.disabled = false;
      show(e.faults || [{text: String(e)}]);
    }
  }
}

// fieldBox makes one setting.
function fieldBox(f, i, changed) {
  const id = "field-" + i, input = el(/[\r\n]/.test(f.value) ? "textarea" : "input", {id, placeholder: "not set", autocomplete: "off", spellcheck: "false", "aria-describedby": id + "-doc", on: {input: () => {
    root.classList.toggle("changed", box.changed());
    box.fault("");
    changed();
  }}});
  input.value = f.value;
  const value = () => input.value.trim(), held = value(); // a field may hold other line ends than f.value
  const wrong = el("p", {class: "fault", role: "alert", hidden: true});
  const root = el("div", {class: "field", "data-path": f.path}, el("label", {for: id}, f.path), input,
    el("small", {id: id + "-doc"}, [f.doc, f.type && `Type: ${f.type}.`, f.allowed && `Allowed: ${f.allowed}.`].filter(Boolean).join(" ")), wrong);
  const box = {path: f.path, group: f.group, root, text: (f.path + " " + f.doc).toLowerCase().replaceAll("-", " "),
    value, changed: () => value() !== held,
    fault(text) { root.classList.toggle("bad", Boolean(text)); wrong.textContent = text; wrong.hidden = !text; input.setAttribute("aria-invalid", text ? "true" : "false"); }};
  return box;
}

// groupsOf puts the settings into sections that fold.
function groupsOf(fields) {
  const by = new Map();
  for (const f of fields) by.set(f.group, [...(by.get(f.group) || []), f]);
  return [...by].map(([name, list], i) => {
    const note = el("small", {}), inside = el("div", {class: "fields"}, ...list.map(f => f.root));
    const root = el("details", {class: "group", open: i === 0}, el("summary", {}, name, note), el("div", {}, inside));
    return {root, list, update() { const n = list.filter(f => f.changed()).length; note.textContent = n ? `${n} changed` : `${list.length} settings`; }};
  });
}

// narrow shows the settings that have all words.
function narrow(groups, text) {
  const words = text.toLowerCase().replaceAll("-", " ").split(/\s+/).filter(Boolean);
  groups.forEach((g, i) => {
    let n = 0;
    for (const f of g.list) {
      const hit = words.every(w => f.text.includes(w));
      f.root.hidden = !hit;
      n += hit;
    }
    g.root.hidden = n === 0;
    g.root.open = words.length ? n > 0 : i === 0;
  });
}
