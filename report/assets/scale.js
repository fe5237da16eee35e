// SPDX-License-Identifier: Apache-2.0
// Scales map values to pixels and back, and know where their ticks are.

// linear maps d0..d1 to r0..r1. An empty domain is widened so that it can be drawn.
function linear(d0, d1, r0, r1) {
  if (!(d1 > d0)) d1 = d0 + (Math.abs(d0) || 1);
  const k = (r1 - r0) / (d1 - d0);
  const s = v => r0 + (v - d0) * k;
  s.invert = px => d0 + (px - r0) / k;
  s.domain = [d0, d1];
  s.ticks = n => steps(d0, d1, niceStep((d1 - d0) / n)).map(v => [v, d1 >= 1e6 ? short(v) : digits(v, 4)]);
  s.shares = n => steps(d0, d1, niceStep((d1 - d0) / n)).map(v => [v, digits(100 * v) + " %"]);
  s.instants = n => {
    const step = timeStep((d1 - d0) / n);
    return steps(d0, d1, step).map(v => [v, clock(v, step)]);
  };
  return s;
}

// logarithmic maps d0..d1 to r0..r1; values that are not positive are drawn at the low end. An
// empty domain is widened to a factor of two on both sides.
function logarithmic(d0, d1, r0, r1) {
  if (!(d0 > 0)) d0 = d1 > 0 ? d1 / 10 : 1;
  if (!(d1 > d0 * 1.05)) { d0 /= 2; d1 = Math.max(d1, d0) * 2; }
  const l0 = Math.log(d0), k = (r1 - r0) / (Math.log(d1) - l0);
  const s = v => r0 + (Math.log(Math.max(v, d0)) - l0) * k;
  s.invert = px => Math.exp(l0 + (px - r0) / k);
  s.domain = [d0, d1];
  s.ticks = n => logTicks(d0, d1, n).map(v => [v, short(v)]);
  s.times = n => timeTicks(d0, d1, n).map(v => [v, v < MINUTE ? seconds(v) : clock(v)]);
  return s;
}

function steps(d0, d1, step) {
  const list = [];
  for (let i = Math.ceil(d0 / step - 1e-9); i * step <= d1 + step * 1e-9 && list.length < 100; i++) list.push(i * step + 0); // no negative zero
  return list;
}

function niceStep(raw) {
  const p = Math.pow(10, Math.floor(Math.log10(raw)));
  for (const m of [1, 2, 2.5, 5]) if (raw <= m * p * 1.0001) return m * p;
  return 10 * p;
}

const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, DAY, 2 * DAY, 5 * DAY];

function timeStep(raw) {
  if (raw < 1) return niceStep(raw);
  return TIME_STEPS.find(s => s >= raw) || DAY * niceStep(raw / DAY);
}

// thin keeps every k-th tick so that at most n remain.
const thin = (list, n) => {
  const k = Math.ceil(list.length / n);
  return list.filter((_, i) => i % k === 0);
};

function logTicks(d0, d1, n) {
  for (const digitsOf of [[1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]]) {
    const list = [];
    for (let e = Math.floor(Math.log10(d0)); e <= Math.ceil(Math.log10(d1)); e++) {
      for (const m of digitsOf) {
        const v = m * Math.pow(10, e);
        if (v >= d0 * 0.999 && v <= d1 * 1.001) list.push(v);
      }
    }
    if (list.length <= n) return list.length > 1 ? list : [d0, d1];
    if (digitsOf.length === 1) return thin(list, n);
  }
}

// timeTicks are round in the units that people use for time, from milliseconds to days.
function timeTicks(d0, d1, n) {
  const fine = [1, 2, 5, 10, 20, 30], mid = [1, 3, 10, 30], coarse = [1, 10];
  for (const [below, unit] of [[fine, fine], [mid, mid], [coarse, coarse], [[1], [1]]]) {
    const list = [];
    for (let e = -6; e < 0; e++) for (const m of below) if (m < 10) list.push(m * Math.pow(10, e));
    for (const u of [1, MINUTE]) for (const m of unit) list.push(m * u);
    for (const m of unit) if (m < 24) list.push(m * HOUR);
    for (let e = 0; e < 6; e++) for (const m of unit) if (m < 10) list.push(m * DAY * Math.pow(10, e));
    const inside = list.filter(v => v >= d0 * 0.999 && v <= d1 * 1.001);
    if (inside.length <= n) return inside.length > 1 ? inside : logTicks(d0, d1, n);
    if (unit.length === 1) return thin(inside, n);
  }
}

// extent returns the smallest and largest of many lists of numbers, or null if there are none.
function extent(lists, accept = () => true) {
  let low = Infinity, high = -Infinity;
  for (const list of lists) {
    for (const v of list) {
      if (v === null || !accept(v)) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  return low <= high ? [low, high] : null;
}
const positive = v => v > 0;
