// SPDX-License-Identifier: Apache-2.0
// Where the time of jobs went: parts of the elapsed time, and the limits that held jobs back.

const ROW = 38;
const partColor = i => `var(--part${i})`;
const limitColor = i => `var(--limit-${data.limits[i].key})`;
const used = (list, pick) => list.map((l, i) => [l, i]).filter(([, i]) => policies.some(p => pick(p)[i] > 0));

// fit writes a name into a drawn text, without its middle where it is wider than most pixels: names often differ at one end only.
function fit(text, name, most) {
  const letters = [...name], write = n => {
    text.textContent = n < letters.length ? letters.slice(0, (n + 1) >> 1).join("") + "…" + letters.slice(letters.length - (n >> 1)).join("") : name;
    return text.getComputedTextLength() <= most;
  };
  if (write(letters.length)) return;
  let low = 1, high = letters.length;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (write(mid)) low = mid; else high = mid;
  }
  write(low);
}

// widestName is the width in pixels of the widest name of a policy beside a row.
function widestName(root) {
  const texts = policies.map(p => svg("text", {class: "row-name"}, p.name)), probe = svg("svg", {}, ...texts);
  root.append(probe);
  const widest = Math.max(0, ...texts.map(t => t.getComputedTextLength()));
  probe.remove();
  return widest;
}

// bars draws one stacked bar for each policy, of mean seconds per job.
function bars(root, pick, labels, fill, what) {
  const totals = policies.map(p => pick(p).reduce((a, b) => a + b, 0));
  const most = Math.max(...totals) || 1, named = Math.min(150, Math.max(60, Math.ceil(widestName(root)) + 16));
  const f = frame(root, {
    label: `${what} for each policy.`, margin: {left: named, right: 62}, xlabel: "mean time per job",
    x: (a, b) => linear(0, most, a, b), y: (a, b) => linear(0, 1, a, b),
    xticks: (s, n) => { const step = timeStep(most / Math.min(n, 6)); return steps(0, most, step).map(v => [v, clock(v, step)]); },
  });
  f.surface.remove();
  policies.forEach((p, r) => {
    const y = r * f.h / policies.length + 5, h = f.h / policies.length - 10;
    const name = svg("text", {class: "row-name", x: -8, y: y + h / 2, dy: "0.32em", "text-anchor": "end", "data-tip": p.name});
    f.svg.lastChild.append(name);
    fit(name, p.name, named - 12);
    let at = 0;
    pick(p).forEach((v, i) => {
      if (!(v > 0)) return;
      f.plot.append(svg("rect", {class: "part", x: f.x(at), y, width: Math.max(0.5, f.x(at + v) - f.x(at)), height: h, fill: fill(i),
        "data-tip": `${labels[i].name}\n${labels[i].doc}\n${p.name}: ${seconds(v)} per job, ${percent(v / totals[r])} of ${seconds(totals[r])}`}));
      at += v;
    });
    f.svg.lastChild.append(svg("text", {class: "row-total", x: f.x(totals[r]) + 6, y: y + h / 2, dy: "0.32em"}, seconds(totals[r])));
  });
  return () => [["policy", "part", "mean per job (s)"], ...policies.flatMap(p => pick(p).map((v, i) => [p.name, labels[i].name, v]))];
}

// register a chart of bars with its height, which depends on the number of policies alone.
function barChart(name, pick, labels, fill, what, none) {
  const root = $("chart-" + name);
  root.style.height = Math.max(1, policies.length) * ROW + 56 + "px";
  keys(name, [], () => used(labels, pick).map(([l, i]) => [l.name, fill(i), l.doc]));
  chart(name, [], () => noJobs() || (used(labels, pick).length ? "" : none), r => bars(r, pick, labels, fill, what));
}

barChart("blame", p => p.blame, data.parts, partColor, "Mean seconds of a job by what it was doing", "No time was recorded by part.");
barChart("limits", p => p.limits, data.limits, limitColor, "Mean seconds of a job by what held it back", "Nothing held any job back.");

choosePolicy(controlsOf("blame-ranges"));
keys("blame-ranges", [], () => used(data.parts, p => p.blame).map(([l, i]) => [l.name, partColor(i), l.doc]));
chart("blame-ranges", ["chosen"], () => noJobs() || (used(data.parts, p => p.blame).length ? "" : "No time was recorded by part."), root => {
  const p = chosen();
  const f = frame(root, {
    label: `Shares of elapsed time by part and job size under ${p.name}.`,
    x: (a, b) => bands(data.edges.length, a, b), y: (a, b) => linear(0, 1, a, b),
    xticks: s => s.names(), yticks: (s, n) => s.shares(Math.min(n, 4)), xlabel: "job size, seconds of task time", ylabel: "share of elapsed time",
  });
  f.surface.remove();
  p.ranges.forEach((r, k) => {
    const total = (r.blame || []).reduce((a, b) => a + b, 0), w = Math.min(64, f.x.step * 0.76);
    let at = 0;
    for (const [i, v] of (r.blame || []).entries()) {
      if (!(v > 0)) continue;
      f.plot.append(svg("rect", {class: "part", x: f.x(k) - w / 2, width: w, y: f.y((at + v) / total), height: Math.max(0.5, f.h * v / total), fill: partColor(i),
        "data-tip": `${data.parts[i].name}\njobs of ${edgeName(k, true)}: ${seconds(v)} per job, ${percent(v / total)} of ${seconds(total)}\n${plural(r.count, "job")}`}));
      at += v;
    }
  });
  return () => [["policy", "size from (s)", "size to (s)", "jobs", "part", "mean per job (s)"], ...p.ranges.flatMap((r, k) =>
    (r.blame || []).map((v, i) => [p.name, data.edges[k], rangeEnd(k), r.count, data.parts[i].name, v]))];
});
