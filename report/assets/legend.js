// SPDX-License-Identifier: Apache-2.0
// Legends and choices beside a chart. They are built once and then only updated, so that the
// keyboard focus stays where it is.

const controlsOf = name => $("chart-" + name)?.closest("figure").querySelector(".controls");

const swatch = (fill, dash) => el("span", {class: "swatch" + (dash ? " dash" + dash : ""), style: `--c: ${fill}`});

// togglePolicies adds a legend whose entries hide and show policies in all charts.
function togglePolicies(name) {
  const root = controlsOf(name);
  if (!root || policies.length === 0) return;
  const buttons = policies.map((p, i) => {
    const b = button("", {class: "chip", "data-tip": `${p.name}: click to hide or show, Shift-click to show it alone`}, e => {
      const alone = state.visible.every((v, k) => v === (k === i));
      if (e.shiftKey) choose("visible", policies.map((_, k) => alone || k === i));
      else choose("visible", state.visible.map((v, k) => k === i ? !v : v));
    });
    b.append(swatch(policyColor(i), dashes(i)), p.name);
    root.append(b);
    return b;
  });
  const update = () => buttons.forEach((b, i) => b.setAttribute("aria-pressed", state.visible[i]));
  on(["visible"], update);
  update();
}

// choice adds a group of buttons of which one is pressed. options are [value, text, colour, dashes].
function choice(root, label, name, options) {
  if (!root || options.length < 2) return;
  const buttons = options.map(([value, text, fill, dash]) => {
    const b = button("", {}, () => choose(name, value));
    b.append(...(fill ? [swatch(fill, dash)] : []), text);
    return b;
  });
  root.append(el("span", {class: "choice", role: "group", "aria-label": label}, el("span", {class: "what"}, label), ...buttons));
  const update = () => buttons.forEach((b, i) => b.setAttribute("aria-pressed", state[name] === options[i][0]));
  on([name], update);
  update();
}

const choosePolicy = root => choice(root, "policy", "chosen", policies.map((p, i) => [i, p.name, policyColor(i), dashes(i)]));

// keys shows what the colours of a chart mean; list() returns [text, colour, doc].
function keys(name, choices, list) {
  const root = controlsOf(name);
  if (!root) return;
  const box = el("span", {class: "keys"});
  root.append(box);
  const update = () => box.replaceChildren(...list().map(([text, fill, doc]) =>
    el("span", {class: "key", "data-tip": doc ? `${text}\n${doc}` : text}, swatch(fill), el("span", {class: "cut"}, text))));
  on(choices, update);
  update();
}
