// SPDX-License-Identifier: Apache-2.0
// Slowdown variability V(q): the q-th percentile over the median.

const FIRST_PERCENTILE = 50, LAST_PERCENTILE = 99;

togglePolicies("variability");
chart("variability", ["visible"], noSlowdown, root => {
  const [low, high] = extent(policies.flatMap(p => [p.variation, ...bandEnds(bandOf(p, "variation"))])) || [1, 2];
  const tall = high > 20 * Math.max(low, 0.01);
  const f = frame(root, {
    label: "Slowdown variability by percentile, one curve for each policy.",
    x: (a, b) => linear(FIRST_PERCENTILE, LAST_PERCENTILE, a, b),
    y: (a, b) => tall ? logarithmic(1, high, a, b) : linear(1, Math.max(high * 1.03, 1.1), a, b),
    xticks: (s, n) => s.ticks(Math.min(n, 8)), yticks: (s, n) => s.ticks(n),
    xlabel: "percentile q of slowdown", ylabel: "times the median" + (tall ? " (logarithmic)" : ""),
  });
  for (const {p, i} of shown()) {
    const b = bandOf(p, "variation"), edge = list => list.map((v, k) => [f.x(FIRST_PERCENTILE + k), f.y(v)]);
    if (b) bandPath(f, policyColor(i), edge(b.low), edge(b.high));
  }
  for (const {p, i} of shown()) curve(f, i, path(p.variation.map((v, k) => [f.x(FIRST_PERCENTILE + k), f.y(v)])));
  hover(f, px => {
    const k = Math.round(f.x.invert(px)) - FIRST_PERCENTILE, x = f.x(FIRST_PERCENTILE + k);
    const at = shown().filter(({p}) => k < p.variation.length);
    return {
      title: `percentile ${FIRST_PERCENTILE + k} over the median`, x,
      rows: at.map(({p, i}) => ({name: p.name, value: digits(p.variation[k]) + " ×" + rangeAt(bandOf(p, "variation"), k, p.variation[k], digits), color: policyColor(i)})),
      marks: at.map(({p, i}) => ({x, y: f.y(p.variation[k]), color: policyColor(i)})),
    };
  });
  return () => [["policy", "percentile", "times the median", "lowest of seeds", "highest of seeds"], ...shown().flatMap(({p}) => p.variation.map((v, k) =>
    [p.name, FIRST_PERCENTILE + k, v, bandOf(p, "variation")?.low[k], bandOf(p, "variation")?.high[k]]))];
});
