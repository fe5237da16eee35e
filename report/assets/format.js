// SPDX-License-Identifier: Apache-2.0
// Numbers as people write them.

const MINUTE = 60, HOUR = 3600, DAY = 86400;

// digits writes v with n significant digits and thousands apart, without trailing zeros.
function digits(v, n = 3) {
  if (v === null || Number.isNaN(v)) return "–";
  const a = Math.abs(v);
  if (a >= 1e15) return v.toExponential(1);
  for (const [size, name] of [[1e12, "T"], [1e9, "G"], [1e6, "M"]]) {
    if (a >= 10 * size) return digits(v / size, n) + " " + name;
  }
  const places = a === 0 ? 0 : Math.max(0, Math.min(9, n - 1 - Math.floor(Math.log10(a) + 1e-12)));
  return v.toLocaleString("en-US", {maximumFractionDigits: places}).replace("-", "−");
}

const count = n => n.toLocaleString("en-US");
const plural = (n, word) => count(n) + " " + word + (n === 1 ? "" : "s");
const percent = share => digits(100 * share, Math.abs(share) < 1 && Math.abs(share) >= 0.995 ? 4 : 3) + " %";

// seconds writes a span of time in the unit that suits it: 300 ms, 34 s, 2.5 min, 1.2 h, 3 d.
function seconds(s, n = 3) {
  if (s === null || Number.isNaN(s)) return "–";
  const a = Math.abs(s);
  if (a === 0) return "0 s";
  if (a < 1e-3) return digits(s * 1e6, n) + " µs";
  if (a < 1) return digits(s * 1e3, n) + " ms";
  if (a < 2 * MINUTE) return digits(s, n) + " s";
  if (a < 2 * HOUR) return digits(s / MINUTE, n) + " min";
  if (a < 2 * DAY) return digits(s / HOUR, n) + " h";
  return digits(s / DAY, n) + " d";
}

// clock writes an instant since the start: 1 h 30 min, exact to the given step.
function clock(t, step = 1) {
  if (step < 1) return digits(t, 6) + " s";
  let rest = Math.round(t / step) * step;
  const parts = [];
  for (const [size, name] of [[DAY, "d"], [HOUR, "h"], [MINUTE, "min"], [1, "s"]]) {
    const n = Math.floor((rest + 1e-6) / size);
    rest -= n * size;
    if (n > 0) parts.push(count(n) + " " + name);
  }
  return parts.length ? parts.slice(0, 3).join(" ") : "0";
}

// bytes writes an amount of data: 512 B, 34 MB, 1.2 TB.
function bytes(v, n = 3) {
  for (const [size, name] of [[1e15, "PB"], [1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]) {
    if (v >= 0.9995 * size) return digits(v / size, n) + " " + name;
  }
  return digits(v, n) + " B";
}

// short writes a number for an axis: 316, 1k, 3.2k.
function short(v) {
  for (const [size, name] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (v >= 0.9999 * size) return digits(v / size, 2) + name;
  }
  return digits(v, v < 100 ? 2 : 3);
}
