// SPDX-License-Identifier: Apache-2.0
// A run: progress as the server tells it, a button to cancel it, and what became of it.

import {el, seconds, get, post, commandBox, faultBox, say} from "./dom.js";

// The state is asked for every OFTEN milliseconds, or RARELY where the box is out of sight. A server that is silent MISSES
// times in a row is gone; a machine that wakes up loses a request or two.
const OFTEN = 300, RARELY = 2000, MISSES = 4;

// runBox follows a run that was started to its end, also when the box is no longer in the page; ended(status) is called once.
export function runBox({id, command, result}, ended) {
  const bar = el("progress", {max: 1, value: 0, "aria-label": "Progress"}), text = el("p", {}, "starts…");
  const stop = el("button", {type: "button", on: {click: () => {
    stop.disabled = true;
    post(`/api/runs/${id}/cancel`, {}).catch(() => { stop.disabled = false; }); // what is wrong is seen by look as well
  }}}, "Cancel");
  const box = el("div", {class: "run", "data-run": id, "data-state": "waiting"}, bar, text, stop, el("div", {}, commandBox(command)));
  look(0);
  return box;

  // look shows the state and looks again until the run has ended; missed is how often in a row the server was silent.
  async function look(missed) {
    let now;
    try {
      now = await get(`/api/runs/${id}`);
    } catch (e) {
      if (e.silent && ++missed < MISSES) { again(missed); return; }
      now = {state: "failed", text: "failed", share: bar.value, faults: e.faults || [{text: String(e)}]};
    }
    box.dataset.state = now.state;
    bar.value = now.share;
    text.textContent = now.text + (now.left > 1 ? `, about ${seconds(now.left)} left` : "");
    if (now.state === "waiting" || now.state === "running") again(0);
    else end(now);
  }

  function again(missed) { setTimeout(look, box.isConnected ? OFTEN : RARELY, missed); }

  function end(now) {
    const faults = now.faults || [], seen = box.isConnected;
    stop.remove();
    if (faults.length) box.append(faultBox(faults));
    say([`${result}: ${now.text}`, ...seen ? [] : faults.map(f => f.text)].join("; "), !seen);
    ended(now);
  }
}
