// SPDX-License-Identifier: Apache-2.0
// Distributions: the share of jobs at or below a value, on a logarithmic axis.

function drawCDF(root, field, ticks, format, what, unit) {
  const list = policies.flatMap(p => [p[field].x, ...bandEnds(bandOf(p, field))]);
  const [low, high] = extent(list, positive) || [1, 10];
  const f = frame(root, {
    label: `Distribution of ${what}, one curve for each policy.`,
    x: (a, b) => logarithmic(low, high, a, b), y: (a, b) => linear(0, 1, a, b),
    xticks: ticks, yticks: (s, n) => s.shares(Math.min(n, 5)),
    xlabel: what + " (logarithmic)", ylabel: "share of jobs",
  });
  for (const {p, i} of shown()) {
    const b = bandOf(p, field), top = b && b.low.length - 1;
    if (b) bandPath(f, policyColor(i), b.low.map((x, k) => [f.x(x), f.y(k / top)]), b.high.map((x, k) => [f.x(x), f.y(k / top)]));
  }
  for (const {p, i} of shown()) {
    const c = p[field];
    if (!c.x.length) continue;
    const points = c.x.map((v, k) => [f.x(v), f.y(c.p[k])]);
    curve(f, i, path([[points[0][0], f.y(0)], ...points, [f.w, f.y(1)]], true));
  }
  hover(f, px => {
    const v = f.x.invert(px), rows = [], marks = [];
    for (const {p, i} of shown()) {
      const k = lastAt(p[field].x, v), share = k < 0 ? 0 : p[field].p[k];
      const b = bandOf(p, field), at = list => Math.max(0, lastAt(list, v)) / (list.length - 1);
      rows.push({name: p.name, value: percent(share) + (b ? overSeeds(share, at(b.high), at(b.low), percent) : ""), color: policyColor(i)});
      marks.push({x: px, y: f.y(share), color: policyColor(i)});
    }
    return {title: `${what} up to ${format(v)}`, rows, marks, x: px};
  });
  return () => [["policy", "curve", unit, "share of jobs"], ...shown().flatMap(({p}) => {
    const b = bandOf(p, field), ends = b ? [["lowest of seeds", b.low], ["highest of seeds", b.high]] : [];
    return [...p[field].x.map((x, k) => [p.name, "seed shown", x, p[field].p[k]]),
      ...ends.flatMap(([name, list]) => list.map((x, k) => [p.name, name, x, k / (list.length - 1)]))];
  })];
}

togglePolicies("slowdown-cdf");
togglePolicies("elapsed-cdf");
chart("slowdown-cdf", ["visible"], noSlowdown, root => {
  const rows = drawCDF(root, "slowdown", (s, n) => s.ticks(n), v => digits(v), "slowdown", "slowdown");
  const without = Math.max(...policies.map(p => p.count - p.referenced));
  if (without > 0) note(root, `Jobs whose run time alone is not known are left out of the slowdown charts: ${plural(without, "job")}.`);
  return rows;
});
chart("elapsed-cdf", ["visible"], noJobs, root =>
  drawCDF(root, "elapsed", (s, n) => s.times(n), v => seconds(v), "completion time", "completion time (s)"));
