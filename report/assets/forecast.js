// SPDX-License-Identifier: Apache-2.0
// Jobs with a goal: how far off their estimated completion was, and the room that was free.

const errorsOf = p => p.series.error || [];
// A job has the colour that it has where containers are stacked by job.
const jobColor = (p, key, i) => { const k = p.series.job.findIndex(c => c.key === key); return keyColor(k < 0 ? i : k); };

// known splits a curve in buckets from..to into runs of known values, each held over its bucket.
function known(f, series, values, from, to) {
  const runs = [];
  let run = null;
  for (let k = from; k <= to; k++) {
    const v = values[k];
    if (v === null || v === undefined) { run = null; continue; }
    if (!run) runs.push(run = []);
    run.push([f.x(k * series.width), f.y(v)], [f.x((k + 1) * series.width), f.y(v)]);
  }
  return runs;
}

keys("forecast-error", ["chosen"], () => policies.length ? errorsOf(chosen()).map((c, i) => [keyText(c), jobColor(chosen(), c.key, i)]) : []);
chart("forecast-error", ["chosen", "zoom"], hasSeries(errorsOf), root => {
  const p = chosen(), series = p.series, curves = errorsOf(p);
  const [low, high] = extent(policies.flatMap(q => errorsOf(q).map(c => c.v))) || [-0.1, 0.1];
  const f = inTime(root, {
    label: `Relative error of the estimated completion of jobs over time under ${p.name}.`,
    y: (a, b) => linear(Math.max(low, -1) * 1.06, Math.min(Math.max(high, 0.1), 1) * 1.06, a, b), yticks: (s, n) => s.shares(n), ylabel: "error, share of elapsed time",
  });
  for (const level of [-0.1, 0, 0.1]) f.plot.append(svg("line", {class: level ? "room" : "base", stroke: "var(--muted)", x1: 0, x2: f.w, y1: f.y(level), y2: f.y(level)}));
  const length = Math.max(0, ...curves.map(c => c.v.length)), [from, to] = buckets(series, length);
  curves.forEach((c, i) => {
    for (const run of known(f, series, c.v, from, to)) f.plot.append(svg("path", {class: "line fine", d: path(run), stroke: jobColor(p, c.key, i)}));
  });
  zoomable(root, f);
  hover(f, px => {
    const k = Math.floor(f.x.invert(px) / series.width);
    if (k < 0 || k >= length) return null;
    const rows = curves.map((c, i) => ({name: keyText(c), v: c.v[k], color: jobColor(p, c.key, i)})).filter(r => r.v !== null && r.v !== undefined);
    return {title: bucketName(series, k), x: px, rows: rows.map(r => ({name: r.name, value: (r.v > 0 ? "+" : "") + percent(r.v), color: r.color}))};
  });
  return () => overTime(p, series, curves, "error, share of elapsed time");
});

small("free", p => p.series.free || [], {label: "Free room", unit: "share of the pool that is free", most: 1.04, format: percent, colors: ["k0", "k1", "k2", "k3"], ticks: (s, n) => s.shares(Math.min(n, 4))});
