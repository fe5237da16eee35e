// SPDX-License-Identifier: Apache-2.0
// Charts over time: containers in use, utilisation, jobs running and waiting. They show one
// policy and share one range of time.

const chosen = () => policies[state.chosen];
const keyText = c => c.others ? plural(c.others, "other") : c.key || "(no name)";
// stackColor is the queue's own colour, or that of the curve's place among jobs.
const stackColor = (c, i) => state.stack === "queue" && !c.others ? queueColor(c.key) : keyColor(i, c.others);
const stackOf = p => state.stack === "job" ? p.series.job : p.series.queue;
const hasSeries = pick => () => policies.some(p => pick(p).length) ? "" : "The run recorded no such series.";

choosePolicy($("time-policy"));
zoomControls($("zoom-controls"));
{
  const options = [["queue", "queue"], ["job", "job"]].filter(([k]) => policies.some(p => p.series[k].length));
  if (options.length === 1) state.stack = options[0][0];
  choice(controlsOf("containers"), "stacked by", "stack", options);
}

const inTime = (root, o) => frame(root, {
  xlabel: "time since the start",
  x: (a, b) => linear(...range(), a, b), xticks: (s, n) => s.instants(n), ...o,
});

// buckets returns the first and last bucket of the policy's series that lie in the range.
function buckets(series, length) {
  const [a, b] = range();
  return [Math.max(0, Math.floor(a / series.width)), Math.min(length - 1, Math.floor(b / series.width))];
}

// steps of a curve in buckets from..to: a value holds over its bucket.
function held(f, series, values, from, to) {
  const points = [];
  for (let k = from; k <= to; k++) points.push([f.x(k * series.width), f.y(values[k] || 0)]);
  if (points.length) points.push([f.x((to + 1) * series.width), points[points.length - 1][1]]);
  return points;
}

// sums returns the running sums of the curves: sums[i][k] is the top of curve i in bucket k.
function sums(curves) {
  const length = Math.max(0, ...curves.map(c => c.v.length));
  let below = new Array(length).fill(0);
  return curves.map(c => below = below.map((s, k) => s + (c.v[k] || 0)));
}

keys("containers", ["chosen", "stack"], () => policies.length ? stackOf(chosen()).map((c, i) => [keyText(c), stackColor(c, i)]) : []);
chart("containers", ["chosen", "stack", "zoom"], hasSeries(stackOf), root => {
  const p = chosen(), series = p.series, curves = stackOf(p), tops = sums(curves);
  const all = policies.map(q => sums(stackOf(q)).pop() || []);
  const most = (extent(all) || [0, 1])[1], room = series.capacity >= most * 0.98 && series.capacity <= most * 4 ? series.capacity : 0;
  const f = inTime(root, {
    label: `Containers in use over time under ${p.name}, stacked by ${state.stack}.`,
    y: (a, b) => linear(0, Math.max(most, room) * 1.06 || 1, a, b), yticks: (s, n) => s.ticks(n), ylabel: "containers",
  });
  const length = tops.length ? tops[0].length : 0, [from, to] = buckets(series, length);
  tops.forEach((top, i) => {
    const upper = path(held(f, series, top, from, to), true);
    const lower = i ? held(f, series, tops[i - 1], from, to) : [[f.x(from * series.width), f.h], [f.x((to + 1) * series.width), f.h]];
    f.plot.append(svg("path", {class: "area", d: upper + back(lower) + "Z", fill: stackColor(curves[i], i)}));
  });
  if (room) {
    f.plot.append(svg("line", {class: "room", x1: 0, x2: f.w, y1: f.y(room), y2: f.y(room)}),
      svg("text", {class: "level-name room-name", x: f.w - 4, y: f.y(room) - 4, "text-anchor": "end"}, `room for ${count(room)}`));
  }
  zoomable(root, f);
  hover(f, px => {
    const k = Math.floor(f.x.invert(px) / series.width);
    if (k < 0 || k >= length) return null;
    const rows = curves.map((c, i) => ({name: keyText(c), value: digits(c.v[k] || 0), color: stackColor(c, i)}));
    rows.reverse();
    rows.push({name: "all", value: digits(tops[tops.length - 1][k]), strong: true});
    return {title: bucketName(series, k), rows, x: px};
  });
  return () => overTime(p, series, curves, "containers");
});

// overTime is a table of curves over time: one row for each bucket of each.
function overTime(p, series, curves, unit) {
  return [["policy", "curve", "from (s)", "to (s)", unit], ...curves.flatMap(c => c.v.map((v, k) => [p.name, keyText(c), k * series.width, (k + 1) * series.width, v]))];
}

// back continues a path backwards along points that are held to the right.
function back(points) {
  let d = "";
  for (let k = points.length - 1; k >= 0; k--) {
    const [x, y] = points[k];
    d += d ? `H${x.toFixed(1)}` : `L${x.toFixed(1)} ${y.toFixed(1)}`;
    if (k > 0) d += `V${points[k - 1][1].toFixed(1)}`;
  }
  return d;
}

const bucketName = (series, k) => `${clock(k * series.width)} – ${clock((k + 1) * series.width)}`;

// meanOf is the mean of n values from the k-th on; after the last there is 0.
const meanOf = (values, k, n) => values.slice(k, k + n).reduce((sum, v) => sum + (v || 0), 0) / n;

// small registers a chart of plain lines over time. Where seeds span something, a reading is of one bucket of that span.
function small(name, pick, o) {
  const fill = i => `var(--${o.colors[i % o.colors.length]})`;
  keys(name, ["chosen"], () => policies.length ? pick(chosen()).map((c, i) => [keyText(c), fill(i)]) : []);
  chart(name, ["chosen", "zoom"], hasSeries(pick), root => {
    const p = chosen(), series = p.series, curves = pick(p);
    const spans = o.band && p.bands ? p.bands[o.band] || [] : [], spanOf = c => spans.find(b => b.key === c.key);
    const most = o.most || (extent(policies.flatMap(q => [...pick(q).map(c => c.v), ...(o.band && q.bands?.[o.band] || []).map(b => b.high)])) || [0, 1])[1] * 1.06 || 1;
    const f = inTime(root, {label: `${o.label} over time under ${p.name}.`, y: (a, b) => linear(0, most, a, b), yticks: o.ticks, ylabel: o.unit});
    const length = Math.max(0, ...curves.map(c => c.v.length)), [from, to] = buckets(series, length);
    curves.forEach((c, i) => {
      const b = spanOf(c), wide = {width: p.bands?.width};
      if (!b) return;
      const [a, z] = buckets(wide, b.low.length), edge = list => held(f, wide, list, a, z).flatMap(([x, y], k, all) => k ? [[x, all[k - 1][1]], [x, y]] : [[x, y]]);
      bandPath(f, fill(i), edge(b.low), edge(b.high));
    });
    curves.forEach((c, i) => f.plot.append(svg("path", {class: "line fine", d: path(held(f, series, c.v, from, to), true), stroke: fill(i)})));
    zoomable(root, f);
    hover(f, px => {
      const told = spans.length ? p.bands : series, n = Math.round(told.width / series.width), k = Math.floor(f.x.invert(px) / told.width);
      if (k < 0 || k * n >= length) return null;
      return {title: bucketName(told, k), x: px, rows: curves.map((c, i) => {
        const v = meanOf(c.v, k * n, n);
        return {name: keyText(c), color: fill(i), value: o.format(v) + rangeAt(spanOf(c), k, v, o.format)};
      })};
    });
    return () => [...overTime(p, series, curves, o.unit), ...spans.flatMap(b => [["lowest", b.low], ["highest", b.high]].flatMap(([name, list]) =>
      list.map((v, k) => [p.name, `${b.key}, ${name} of seeds`, k * p.bands.width, (k + 1) * p.bands.width, v])))];
  });
}

small("utilisation", p => p.series.use, {label: "Utilisation", band: "use", unit: "share in use", most: 1.04, format: percent, colors: ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"],
  ticks: (s, n) => s.shares(Math.min(n, 4))});
small("jobs", p => p.series.jobs, {band: "jobs", unit: "jobs", label: "Jobs running and waiting", format: v => digits(v), colors: ["work", "wait", "k2", "k3"],
  ticks: (s, n) => s.ticks(n)});
