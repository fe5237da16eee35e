// SPDX-License-Identifier: Apache-2.0
// Mean slowdown by range of job size.

// edgeName names range r: short for an axis, or in words for a tooltip.
function edgeName(r, long) {
  const low = data.edges[r], high = rangeEnd(r), write = long ? v => seconds(v) : short;
  return low === 0 ? (long ? "less than 1 s" : "<1") : write(low) + (long ? " to " : "–") + write(high);
}

// rangeEnd is the upper edge of range r: two ranges make a decade.
const rangeEnd = r => data.edges[r] === 0 ? 1 : data.edges[r] * Math.sqrt(10);

// bands places n columns between two pixels: s(r) is the middle of column r.
function bands(n, a, b) {
  const step = (b - a) / Math.max(n, 1), s = r => a + (r + 0.5) * step;
  s.step = step;
  s.at = px => Math.min(n - 1, Math.max(0, Math.floor((px - a) / step)));
  s.names = () => {
    const every = Math.ceil(64 / step);
    return data.edges.map((_, r) => [r, edgeName(r, false)]).filter(([r]) => r % every === 0);
  };
  return s;
}

togglePolicies("ranges");
chart("ranges", ["visible"], noSlowdown, root => {
  const means = policies.flatMap(p => [p.ranges.filter(r => r.known).map(r => r.mean), ...bandEnds(bandOf(p, "ranges"))]);
  const [low, high] = extent(means, positive) || [1, 2], tall = high > 8 * low;
  const f = frame(root, {
    label: "Mean slowdown by range of job size, one curve for each policy.",
    x: (a, b) => bands(data.edges.length, a, b),
    y: (a, b) => tall ? logarithmic(low * 0.9, high * 1.1, a, b) : linear(Math.min(1, low), high * 1.05, a, b),
    xticks: s => s.names(), yticks: (s, n) => s.ticks(n),
    xlabel: "job size, seconds of task time", ylabel: "mean slowdown" + (tall ? " (logarithmic)" : ""),
  });
  for (const {p, i} of shown()) {
    const b = bandOf(p, "ranges"), edge = list => list.map((v, k) => [f.x(k), f.y(v), v]).filter(q => q[2] !== null);
    if (b) bandPath(f, policyColor(i), edge(b.low), edge(b.high));
  }
  for (const {p, i} of shown()) {
    const points = p.ranges.map((r, k) => [f.x(k), f.y(r.mean), r.known]).filter(q => q[2] > 0);
    curve(f, i, path(points));
    for (const [x, y] of points) f.plot.append(svg("circle", {cx: x, cy: y, r: 3.2, fill: policyColor(i), class: "bead"}));
  }
  hover(f, px => {
    const k = f.x.at(px), at = shown().filter(({p}) => p.ranges[k].known > 0);
    return {
      title: `jobs of ${edgeName(k, true)} of task time`, x: f.x(k),
      rows: at.map(({p, i}) => ({color: policyColor(i), name: p.name,
        value: `mean ${digits(p.ranges[k].mean)}${rangeAt(bandOf(p, "ranges"), k, p.ranges[k].mean, digits)}, p95 ${digits(p.ranges[k].p95)}, ${plural(p.ranges[k].known, "job")}`})),
      marks: at.map(({p, i}) => ({x: f.x(k), y: f.y(p.ranges[k].mean), color: policyColor(i)})),
    };
  });
  return () => [["policy", "size from (s)", "size to (s)", "jobs", "mean slowdown", "p95 slowdown", "lowest mean of seeds", "highest mean of seeds"], ...shown().flatMap(({p}) =>
    p.ranges.map((r, k) => [p.name, data.edges[k], rangeEnd(k), r.known, r.known ? r.mean : null, r.known ? r.p95 : null, bandOf(p, "ranges")?.low[k], bandOf(p, "ranges")?.high[k]]))];
});
