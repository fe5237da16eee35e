// SPDX-License-Identifier: Apache-2.0
// A run: progress as the server tells it, a button to cancel it, and what became of it.

import {el, seconds, post, commandBox, faultBox, say} from "./dom.js";

// runBox follows a run that was started; ended(status) is called once.
export function runBox({id, command}, ended) {
  const bar = el("progress", {max: 1, value: 0, "aria-label": "Progress"}), text = el("p", {}, "starts…");
  const stop = el("button", {type: "button", on: {click: () => { stop.disabled = true; post(`/api/runs/${id}/cancel`, {}); }}}, "Cancel");
  const box = el("div", {class: "run", "data-run": id, "data-state": "waiting"}, bar, text, stop, el("div", {}, commandBox(command)));
  const source = new EventSource(`/api/runs/${id}/events`);
  source.onmessage = e => {
    const now = JSON.parse(e.data);
    box.dataset.state = now.state;
    bar.value = now.share;
    text.textContent = now.text + (now.left > 1 ? `, about ${seconds(now.left)} left` : "");
    if (now.state === "waiting" || now.state === "running") return;
    source.close();
    stop.remove();
    say(now.text);
    if (now.faults) box.append(faultBox(now.faults));
    ended(now);
  };
  return box;
}
