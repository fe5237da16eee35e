// SPDX-License-Identifier: Apache-2.0
// One row per job: pale while it waits, solid while it runs.

const FULL_ROW = 14, SCROLLBAR = 14;
let scrolled = 0; // pixels, when rows are scrolled through

{
  const root = controlsOf("gantt");
  choice(root, "coloured by", "paint", [["queue", "queue"], ["class", "class"]].filter(([k]) => (k === "queue" ? data.queues : data.classes).length > 1));
  choice(root, "rows", "rows", [["fit", "all at once"], ["scroll", "scroll"]]);
  if (data.queues.length < 2 && data.classes.length > 1) state.paint = "class";
}

const paintNames = () => state.paint === "queue" ? data.queues : data.classes;
const paintOf = job => state.paint === "queue" ? job.queue : job.cls;

// paintSlot names the colour of the i-th queue or class.
const paintSlot = (name, i) => state.paint === "queue" ? queueSlotOf(name) : "k" + i % KEYS;

keys("gantt", ["paint"], () => {
  const names = paintNames();
  if (names.length < 2) return [];
  const own = names.map((q, i) => [q || "(no name)", `var(--${paintSlot(q, i)})`]).filter(([, fill]) => fill !== "var(--k-other)").slice(0, KEYS);
  return own.length < names.length ? [...own, [plural(names.length - own.length, "other"), "var(--k-other)"]] : own;
});

// inRange lists the positions of the jobs that are there at some time of the range.
function inRange(g) {
  const [a, b] = range(), list = [];
  (g.id || []).forEach((_, k) => { if (g.submit[k] <= b && g.submit[k] + g.wait[k] + g.exec[k] >= a) list.push(k); });
  return list;
}

// drawRows draws the rows that are in view; each job has its bar, and its name where there is room.
function drawRows(f, g, list, height) {
  const c = f.canvas, thick = Math.max(1, height > 5 ? height - 2 : height * 0.9);
  c.clearRect(0, 0, f.w, f.h);
  const first = Math.max(0, Math.floor(scrolled / height)), last = Math.min(list.length, Math.ceil((scrolled + f.h) / height) + 1);
  const fills = paintNames().map((q, i) => color(paintSlot(q, i))), ink = color("muted");
  for (let r = first; r < last; r++) {
    const k = list[r], job = jobOf(g.id[k]), y = r * height - scrolled;
    const x0 = Math.max(-2, f.x(g.submit[k])), x1 = Math.max(-2, f.x(g.submit[k] + g.wait[k])), x2 = f.x(g.submit[k] + g.wait[k] + g.exec[k]);
    c.fillStyle = fills[paintOf(job)] || ink;
    c.globalAlpha = 0.3;
    c.fillRect(x0, y, Math.max(0, Math.min(x1, f.w) - x0), thick);
    c.globalAlpha = 1;
    c.fillRect(x1, y, Math.max(1, Math.min(x2, f.w + 2) - x1), thick);
    if (height >= 11 && x2 < f.w - 40) {
      c.fillStyle = ink;
      c.font = "10px system-ui, sans-serif";
      c.textBaseline = "middle";
      c.fillText(job.name, Math.max(x2, 0) + 5, y + thick / 2);
    }
  }
}

// scroller puts a scroll bar at the right of the frame and calls moved when it moves.
function scroller(root, f, total, moved) {
  if (total <= f.h + 1) { scrolled = 0; return; }
  const bar = el("div", {class: "scroller", tabindex: "0", role: "region", "aria-label": "Scroll through jobs",
    style: `left: ${f.left + f.w}px; top: ${f.top}px; height: ${f.h}px; width: ${SCROLLBAR}px`}, el("div", {style: `height: ${total}px`}));
  root.append(bar);
  bar.scrollTop = scrolled;
  scrolled = bar.scrollTop;
  bar.addEventListener("scroll", () => { scrolled = bar.scrollTop; moved(); });
  f.surface.addEventListener("wheel", e => {
    if (e.ctrlKey || e.metaKey) return;
    const before = bar.scrollTop;
    bar.scrollTop += e.deltaY;
    if (bar.scrollTop !== before) e.preventDefault();
  }, {passive: false});
}

// sampled says which jobs are drawn when not all are.
function sampled(p) {
  const g = p.gantt, n = (g.id || []).length;
  if (n >= p.count) return "";
  return `${count(n)} of ${plural(p.count, "job")} shown: one in ${digits(g.every)} by submission, and the ${count(g.longest)} of the others that took longest.`;
}

chart("gantt", ["chosen", "zoom", "paint", "rows"], noJobs, root => {
  const p = chosen(), g = p.gantt, list = inRange(g);
  const f = inTime(root, {
    canvas: true, margin: {right: 14}, y: (a, b) => linear(0, 1, a, b),
    label: `Rows of jobs from submission to end under ${p.name}.`, ylabel: "",
  });
  const height = state.rows === "scroll" ? FULL_ROW : Math.min(FULL_ROW, f.h / Math.max(1, list.length));
  const draw = () => drawRows(f, g, list, height);
  scroller(root, f, list.length * height, draw);
  draw();
  note(root, [sampled(p), state.zoom ? `${plural(list.length, "row")} in the range of time shown.` : ""].filter(Boolean).join(" "));
  zoomable(root, f);
  hover(f, (px, py) => {
    const k = list[Math.floor((py + scrolled) / height)];
    if (k === undefined) return null;
    const job = jobOf(g.id[k]);
    return {title: job.name, rows: [...jobRows(job), {name: "submitted", value: clock(g.submit[k]) },
      {name: "waited", value: seconds(g.wait[k])}, {name: "ran", value: seconds(g.exec[k])},
      {name: "elapsed", value: seconds(g.wait[k] + g.exec[k]), strong: true}]};
  });
});
