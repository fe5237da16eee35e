// SPDX-License-Identifier: Apache-2.0
// Circuits between racks: which racks were connected when, and what went over them.

const drawsCircuits = () => policies.some(p => p.circuits.rows) ? "" : "No circuits were made.";
const mostRacks = () => policies.map(p => p.circuits).reduce((a, b) => (b.racks || 0) > (a.racks || 0) ? b : a, {});
const lightRows = d => (d.rows || []).length;

// hueOf is the colour of a rack that receives.
const hueOf = (d, rack) => `hsl(${Math.round(360 * rack / (d.racks || 1))} 62% 52%)`;

if ($("chart-circuits")) {
  $("chart-circuits").style.height = Math.min(560, Math.max(4, lightRows(mostRacks())) * 15 + 56) + "px";
  choosePolicy(controlsOf("circuits"));
}
keys("circuits", [], () => [["carrying", hueOf(mostRacks(), 0), "The colour is that of the rack that receives; the rack is named where the pointer is."],
  ["idle", "var(--muted)", "The circuit was there and had nothing to carry."],
  ["being switched", "var(--text)", "The circuit was being made and carried nothing."]]);
chart("circuits", ["chosen", "zoom"], drawsCircuits, root => {
  const p = chosen(), d = p.circuits, rows = lightRows(d), ticks = {links: new Array(2 * rows), perRow: d.perRow};
  const f = inTime(root, {
    canvas: true, label: `Circuits of each rack over time under ${p.name}, by the rack that receives.`, ylabel: "from rack",
    y: (a, b) => linear(0, rows || 1, b, a), yticks: (s, most) => rackTicks(ticks)(s, 2 * most),
  });
  const c = f.canvas, height = f.h / (rows || 1), gap = height > 8 ? 1.5 : height > 4 ? 0.5 : 0;
  const length = rows ? d.rows[0].to.length : 0, [from, to] = buckets(d, length), idle = color("muted"), switching = color("text");
  (d.rows || []).forEach((row, i) => {
    for (let k = from; k <= to; k++) {
      const parts = [[row.to[k] < 0 ? idle : hueOf(d, row.to[k]), row.carrying[k], 1], [idle, row.idle[k], 0.35], [switching, row.switching[k], 1]];
      const x = Math.round(f.x(k * d.width)), w = Math.max(1, Math.round(f.x((k + 1) * d.width)) - x); // whole pixels: no seams
      let y = i * height;
      for (const [fill, share, strength] of parts) { // a bucket is divided from top to bottom
        const h = (height - gap) * share / 100;
        c.fillStyle = fill;
        c.globalAlpha = strength;
        if (share) c.fillRect(x, y, w, h);
        y += h;
      }
    }
  });
  note(root, [`A bucket of time is divided from top to bottom into carrying, idle and being switched.`, d.rows ? `The longest wait for a circuit was ${seconds(d.longest)}.` : "",
    together(d)].filter(Boolean).join(" "));
  zoomable(root, f);
  hover(f, (px, py) => {
    const k = Math.floor(f.x.invert(px) / d.width), i = Math.floor(py / height);
    if (!(k >= 0 && k < length && i >= 0 && i < rows)) return null;
    const row = d.rows[i], most = row.to[k];
    return {title: `${rackName(d, i)}, ${bucketName(d, k)}`, x: px, rows: [
      {name: most < 0 ? "carrying" : `carrying, most to rack ${most}`, value: row.carrying[k] + " %", color: most < 0 ? "var(--muted)" : hueOf(d, most), strong: true},
      {name: "idle", value: row.idle[k] + " %", color: "var(--muted)"}, {name: "being switched", value: row.switching[k] + " %", color: "var(--text)"}]};
  });
  return () => [["policy", "from", "from (s)", "to (s)", "most to rack", "carrying (%)", "idle (%)", "being switched (%)"], ...(d.rows || []).flatMap((r, i) =>
    r.to.map((v, k) => [p.name, rackName(d, i), k * d.width, (k + 1) * d.width, v < 0 ? null : v, r.carrying[k], r.idle[k], r.switching[k]]))];
});

// A map of what went over circuits, for each policy, beside the properties of the demand.
chart("circuit-demand", [], drawsCircuits, root => {
  const across = Math.max(1, Math.min(policies.length, Math.floor(root.clientWidth / 270))), w = Math.floor(root.clientWidth / across);
  const h = Math.min(w, 340), most = (extent(policies.map(p => p.circuits.over || [])) || [0, 1])[1] || 1;
  root.style.height = Math.ceil(policies.length / across) * (h + 52) + "px";
  policies.forEach((p, i) => {
    const d = p.circuits, cell = el("div", {id: `circuit-demand-${i}`, class: "map",
      style: `left: ${(i % across) * w}px; top: ${Math.floor(i / across) * (h + 52)}px; width: ${w}px; height: ${h}px`});
    root.append(cell);
    demandMap(cell, p, most);
    cell.append(el("p", {}, el("b", {}, p.name), d.rows ?
      ` ${bytes(d.bytes)} over circuits; skewness ${percent(d.skewness)}, sparsity ${percent(d.sparsity)}, balance ${percent(d.balance)}` : " no circuits"));
  });
  note(root, [`The strongest colour is ${bytes(most)}.`, together(mostRacks())].filter(Boolean).join(" "));
  return () => sentRows(p => p.circuits, p => p.circuits.over, lightRows);
});

function demandMap(root, p, most) {
  const d = p.circuits, rows = lightRows(d), ticks = rackTicks({links: new Array(2 * rows), perRow: d.perRow});
  const f = frame(root, {
    canvas: true, label: `Bytes over circuits from rack to rack under ${p.name}.`, margin: {left: 40, right: 18}, ylabel: "from rack", xlabel: "to rack",
    x: (a, b) => linear(0, rows || 1, a, b), y: (a, b) => linear(0, rows || 1, b, a), xticks: (s, k) => ticks(s, 2 * k), yticks: (s, k) => ticks(s, 2 * k),
  });
  const c = f.canvas, w = f.w / (rows || 1), h = f.h / (rows || 1), gap = Math.min(w, h) > 8 ? 1 : 0;
  c.fillStyle = color("work");
  (d.over || []).forEach((v, i) => {
    c.globalAlpha = v > 0 ? 0.06 + 0.94 * v / most : 0;
    c.fillRect((i % rows) * w, Math.floor(i / rows) * h, w - gap, h - gap);
  });
  hover(f, (px, py) => {
    const from = Math.floor(py / h), to = Math.floor(px / w);
    if (!(from >= 0 && from < rows && to >= 0 && to < rows)) return null;
    const v = d.over[from * rows + to];
    return {title: `from ${rackName(d, from)} to ${rackName(d, to)}`,
      rows: [{name: p.name, value: bytes(v), strong: true}, {name: "of all that went over circuits", value: percent(d.bytes ? v / d.bytes : 0)}]};
  });
}
