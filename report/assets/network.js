// SPDX-License-Identifier: Apache-2.0
// The racks' links: how each was used over time, and what went from rack to rack.

const CONGESTED = "var(--p6)";
const rowsOf = n => n.links ? n.links.length / 2 : 0;
const drawsNetwork = () => policies.some(p => rowsOf(p.network)) ? "" : "Nothing went from rack to rack.";
const widest = () => policies.map(p => p.network).reduce((a, b) => rowsOf(b) > rowsOf(a) ? b : a, {});

// rackName names a row: one rack, or several neighbours.
function rackName(n, row) {
  const first = row * n.perRow, last = Math.min(first + n.perRow, n.racks) - 1;
  return first === last ? "rack " + first : `racks ${first} – ${last}`;
}

// rackTicks are the numbers of the first racks of rows, at the middle of the row, as many as fit.
const rackTicks = n => (s, most) => thin(Array.from({length: rowsOf(n)}, (_, r) => [r + 0.5, String(r * n.perRow)]), most);

// together says which racks share a row.
const together = n => n.perRow > 1 ? `Each row stands for ${n.perRow} neighbouring racks of ${count(n.racks)}.` : "";

if ($("chart-rack-links")) {
  $("chart-rack-links").style.height = Math.min(560, Math.max(4, rowsOf(widest())) * 15 + 56) + "px";
  choosePolicy(controlsOf("rack-links"));
}
keys("rack-links", [], () => [["in use", "var(--work)", "The stronger the colour, the more of the link's capacity."],
  ["congested", CONGESTED, "The share in use was above the threshold of the scenario (network.congestion)."]]);
chart("rack-links", ["chosen", "zoom"], drawsNetwork, root => {
  const p = chosen(), n = p.network, rows = rowsOf(n);
  const f = inTime(root, {
    canvas: true, label: `Use of each rack's links over time under ${p.name}; congested ones are marked.`, ylabel: "rack",
    y: (a, b) => linear(0, rows || 1, b, a), yticks: (s, most) => rackTicks(n)(s, 2 * most),
  });
  const c = f.canvas, height = f.h / rows, gap = height > 8 ? 1.5 : height > 4 ? 0.5 : 0;
  const length = rows ? n.links[0].use.length : 0, [from, to] = buckets(n, length), used = color("work"), congested = color("p6");
  (n.links || []).forEach((l, i) => {
    const y = (i >> 1) * height + (i % 2) * (height - gap) / 2, h = (height - gap) / 2;
    for (let k = from; k <= to; k++) {
      if (!l.use[k]) continue;
      const x = Math.round(f.x(k * n.width)), w = Math.max(1, Math.round(f.x((k + 1) * n.width)) - x); // whole pixels: no seams
      for (const [fill, share] of [[used, l.use[k]], [congested, l.congested[k]]]) {
        c.fillStyle = fill;
        c.globalAlpha = Math.min(1, share / 100);
        if (share) c.fillRect(x, y, w, h);
      }
    }
  });
  note(root, [`The upper half of a row is the link up to the core, the lower half the link down.`, together(n)].filter(Boolean).join(" "));
  zoomable(root, f);
  hover(f, (px, py) => {
    const k = Math.floor(f.x.invert(px) / n.width), row = Math.floor(py / height);
    if (!(k >= 0 && k < length && row >= 0 && row < rows)) return null;
    const line = (way, name) => {
      const l = n.links[2 * row + way];
      return {name, value: l.use[k] + " %" + (l.congested[k] ? `, congested ${l.congested[k]} % of the time` : ""), color: l.congested[k] ? CONGESTED : "var(--work)"};
    };
    return {title: `${rackName(n, row)}, ${bucketName(n, k)}`, rows: [line(0, "up"), line(1, "down")], x: px};
  });
  return () => [["policy", "racks", "link", "from (s)", "to (s)", "in use (%)", "congested (% of the time)"], ...(n.links || []).flatMap((l, i) =>
    l.use.map((v, k) => [p.name, rackName(n, i >> 1), i % 2 ? "down" : "up", k * n.width, (k + 1) * n.width, v, l.congested[k]]))];
});

// A map of what went from rack to rack, for each policy. All maps have one scale, so that they can be compared.
const between = n => (n.sent || []).filter((_, i) => Math.floor(i / rowsOf(n)) !== i % rowsOf(n));
const within = n => (n.sent || []).filter((_, i) => Math.floor(i / rowsOf(n)) === i % rowsOf(n));
const total = list => list.reduce((a, b) => a + b, 0);

keys("rack-traffic", [], () => [["from one rack to another", "var(--work)"],
  ["within a rack", "var(--muted)", "From host to host; it does not use the rack's links."]]);
chart("rack-traffic", [], drawsNetwork, root => {
  const across = Math.max(1, Math.min(policies.length, Math.floor(root.clientWidth / 270))), w = Math.floor(root.clientWidth / across);
  const h = Math.min(w, 340), most = [between, within].map(pick => (extent(policies.map(p => pick(p.network))) || [0, 1])[1] || 1);
  root.style.height = Math.ceil(policies.length / across) * (h + 34) + "px";
  policies.forEach((p, i) => {
    const cell = el("div", {id: `rack-traffic-${i}`, class: "map",
      style: `left: ${(i % across) * w}px; top: ${Math.floor(i / across) * (h + 34)}px; width: ${w}px; height: ${h}px`});
    root.append(cell);
    trafficMap(cell, p, most);
    cell.append(el("p", {}, el("b", {}, p.name), ` ${bytes(total(between(p.network)))} between racks`));
  });
  note(root, [`The strongest colour is ${bytes(most[0])} between two racks and ${bytes(most[1])} within one.`, together(widest())].filter(Boolean).join(" "));
  return () => sentRows(p => p.network, p => p.network.sent, rowsOf);
});

// sentRows is a table of what went from rack to rack under each policy.
function sentRows(pick, sent, rows) {
  return [["policy", "from", "to", "bytes"], ...policies.flatMap(p => (sent(p) || []).map((v, i) => {
    const n = pick(p), side = rows(n);
    return [p.name, rackName(n, Math.floor(i / side)), rackName(n, i % side), v];
  }))];
}

function trafficMap(root, p, most) {
  const n = p.network, rows = rowsOf(n), ticks = rackTicks(n);
  const f = frame(root, {
    canvas: true, label: `Bytes from rack to rack under ${p.name}.`, margin: {left: 40, right: 18}, ylabel: "from rack", xlabel: "to rack",
    x: (a, b) => linear(0, rows || 1, a, b), y: (a, b) => linear(0, rows || 1, b, a), xticks: (s, k) => ticks(s, 2 * k), yticks: (s, k) => ticks(s, 2 * k),
  });
  const c = f.canvas, w = f.w / rows, h = f.h / rows, fills = [color("work"), color("muted")], gap = Math.min(w, h) > 8 ? 1 : 0;
  (n.sent || []).forEach((v, i) => {
    const from = Math.floor(i / rows), to = i % rows, own = from === to ? 1 : 0;
    c.fillStyle = fills[own];
    c.globalAlpha = v > 0 ? 0.06 + 0.94 * v / most[own] : 0;
    c.fillRect(to * w, from * h, w - gap, h - gap);
  });
  hover(f, (px, py) => {
    const from = Math.floor(py / h), to = Math.floor(px / w);
    if (!(from >= 0 && from < rows && to >= 0 && to < rows)) return null;
    const v = n.sent[from * rows + to], all = total(n.sent);
    return {title: from === to ? `within ${rackName(n, from)}` : `from ${rackName(n, from)} to ${rackName(n, to)}`,
      rows: [{name: p.name, value: bytes(v), strong: true}, {name: "of all that went over links", value: percent(all ? v / all : 0)}]};
  });
}
