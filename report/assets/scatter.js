// SPDX-License-Identifier: Apache-2.0
// Slowdown against job size, one policy at a time; the baseline's lines stay for comparison.

choosePolicy(controlsOf("scatter"));

const LETTERING = 14; // pixels from one name to the next

// levels draws the median and the 95th percentile of a policy as horizontal lines with their names above them, one name for
// both where they are equal; names of lines that are nearer than LETTERING stand apart.
function levels(f, i, strong) {
  const p = policies[i], own = digits(p.median), high = digits(p.p95), faint = strong ? "" : " faint";
  const line = (value, dash) => f.plot.append(svg("line", {class: "level" + faint, x1: 0, x2: f.w, y1: f.y(value), y2: f.y(value),
    stroke: policyColor(i), "stroke-dasharray": dash}));
  const name = (y, text) => f.plot.append(svg("text", {class: "level-name" + faint, x: strong ? f.w - 4 : 6, y,
    "text-anchor": strong ? "end" : "start", fill: policyColor(i)}, `${text} (${p.name})`));
  line(p.median, null);
  line(p.p95, "5 4");
  if (own === high) return name(Math.max(LETTERING, f.y(p.median) - 4), `median and p95 ${own}`);
  const top = Math.max(LETTERING, Math.min(f.y(p.p95) - 4, f.y(p.median) - 4 - LETTERING));
  name(Math.max(f.y(p.median) - 4, top + LETTERING), `median ${own}`);
  name(top, `p95 ${high}`);
}

function drawDots(f, s) {
  const most = Math.max(1, ...s.n), few = s.n.length < 600;
  const size = Math.min(1, Math.max(0.7, f.w / 1000));
  f.canvas.fillStyle = color("p" + state.chosen % PALETTE);
  s.x.forEach((x, k) => {
    f.canvas.globalAlpha = few ? 0.75 : 0.38 + 0.55 * (most > 1 ? Math.log(s.n[k]) / Math.log(most) : 0.3);
    f.canvas.beginPath();
    f.canvas.arc(f.x(x), f.y(s.y[k]), size * ((few ? 3.2 : 2.1) + 0.35 * Math.log2(s.n[k])), 0, 7);
    f.canvas.fill();
  });
}

// nearest returns the dot next to a place, or -1 if none is near.
function nearest(f, s, px, py) {
  let best = -1, least = 14 * 14;
  s.x.forEach((x, k) => {
    const dx = f.x(x) - px, dy = f.y(s.y[k]) - py, d = dx * dx + dy * dy;
    if (d < least) { least = d; best = k; }
  });
  return best;
}

chart("scatter", ["chosen"], noSlowdown, root => {
  const [x0, x1] = extent(policies.map(p => p.scatter.x || []), positive) || [1, 10];
  const [y0, y1] = extent(policies.map(p => p.scatter.y || []), positive) || [1, 10];
  const p = policies[state.chosen], s = p.scatter.id ? p.scatter : {id: [], x: [], y: [], n: []};
  const f = frame(root, {
    canvas: true, label: `Slowdown against job size under ${p.name}, one dot for each job.`,
    x: (a, b) => logarithmic(x0 * 0.85, x1 * 1.18, a, b), y: (a, b) => logarithmic(y0 * 0.85, y1 * 1.25, a, b),
    xticks: (t, n) => t.times(n), yticks: (t, n) => t.ticks(n),
    xlabel: "job size: sum of the run times of its tasks (logarithmic)", ylabel: "slowdown (logarithmic)",
  });
  drawDots(f, s);
  if (state.chosen !== 0 && policies[0].referenced) levels(f, 0, false);
  if (p.referenced) levels(f, state.chosen, true);
  note(root, p.referenced > s.id.length ?
    `${count(s.id.length)} dots stand for ${plural(p.referenced, "job")}; the largest slowdowns and both ends of each axis are always there.` : "");
  hover(f, (px, py) => {
    const k = nearest(f, s, px, py);
    if (k < 0) return null;
    const job = jobOf(s.id[k]), rows = [...jobRows(job), {name: "size", value: seconds(s.x[k])}, {name: "slowdown", value: digits(s.y[k]), strong: true}];
    if (s.n[k] > 1) rows.push({name: "stands for", value: plural(s.n[k], "job")});
    return {title: job.name, rows, marks: [{x: f.x(s.x[k]), y: f.y(s.y[k]), color: policyColor(state.chosen)}]};
  });
  return () => [["policy", "job", "name", "queue", "class", "size (s)", "slowdown", "jobs"], ...s.id.map((id, k) => [p.name, id, ...jobCells(id), s.x[k], s.y[k], s.n[k]])];
});
