// SPDX-License-Identifier: Apache-2.0
// Distributions: the share of jobs at or below a value, on a logarithmic axis.

function drawCDF(root, field, ticks, format, what) {
  const list = policies.map(p => p[field].x);
  const [low, high] = extent(list, positive) || [1, 10];
  const f = frame(root, {
    label: `Distribution of ${what}, one curve for each policy.`,
    x: (a, b) => logarithmic(low, high, a, b), y: (a, b) => linear(0, 1, a, b),
    xticks: ticks, yticks: (s, n) => s.shares(Math.min(n, 5)),
    xlabel: what + " (logarithmic)", ylabel: "share of jobs",
  });
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
      rows.push({name: p.name, value: percent(share), color: policyColor(i)});
      marks.push({x: px, y: f.y(share), color: policyColor(i)});
    }
    return {title: `${what} up to ${format(v)}`, rows, marks, x: px};
  });
}

togglePolicies("slowdown-cdf");
togglePolicies("elapsed-cdf");
chart("slowdown-cdf", ["visible"], noSlowdown, root => {
  drawCDF(root, "slowdown", (s, n) => s.ticks(n), v => digits(v), "slowdown");
  const without = Math.max(...policies.map(p => p.count - p.referenced));
  if (without > 0) note(root, `Jobs whose run time alone is not known are left out of the slowdown charts: ${plural(without, "job")}.`);
});
chart("elapsed-cdf", ["visible"], noJobs, root =>
  drawCDF(root, "elapsed", (s, n) => s.times(n), v => seconds(v), "completion time"));
