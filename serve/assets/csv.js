// SPDX-License-Identifier: Apache-2.0
// A jobs.csv as columns, read while it arrives: numbers become typed arrays, texts stay texts.

const TEXTS = new Set(["name", "user", "queue", "class", "met"]);

export class Columns {
  constructor() {
    this.length = 0;
    this.names = null;
    this.data = [];     // by column
    this.at = new Map();  // name to column
    this.words = new Map(); // cell to text, each once
  }

  column(name) {
    const i = this.at.get(name);
    return i === undefined ? null : this.data[i];
  }

  head(names) {
    this.names = names;
    names.forEach((n, i) => this.at.set(n, i));
    this.data = names.map(n => TEXTS.has(n) ? [] : new Float64Array(1024));
  }

  add(fields) {
    const row = this.length++;
    for (let i = 0; i < this.data.length; i++) {
      let c = this.data[i];
      const f = fields[i];
      if (Array.isArray(c)) { c.push(this.word(f)); continue; }
      if (row >= c.length) {
        const wider = new Float64Array(2 * c.length);
        wider.set(c);
        this.data[i] = c = wider;
      }
      c[row] = f === "" || f === undefined ? NaN : +f;
    }
  }

  // word returns the text of a cell, without the apostrophe that guards it from spreadsheets.
  word(cell = "") {
    const known = this.words.get(cell);
    if (known !== undefined) return known;
    const text = cell.replace(/^'('*[=+\-@\t\r])/, "$1");
    if (this.words.size < 20000) this.words.set(cell, text);
    return text;
  }
}

// Reader takes text in pieces of any length and adds whole rows to the columns.
class Reader {
  constructor(columns) {
    this.columns = columns;
    this.rest = "";
  }

  // take reads the rows that are whole; last says that nothing follows.
  take(text, last) {
    const s = this.rest + text;
    let i = 0;
    for (;;) {
      const fields = [], start = i;
      let whole = false;
      for (;;) {
        if (s.charCodeAt(i) === 34) { // a quoted field
          let value = "", from = i + 1, end;
          for (;;) {
            end = s.indexOf('"', from);
            if (end < 0) break;
            if (s.charCodeAt(end + 1) === 34) { value += s.slice(from, end + 1); from = end + 2; continue; }
            break;
          }
          if (end < 0 || (end + 1 >= s.length && !last)) break;
          fields.push(value + s.slice(from, end));
          i = end + 1;
        } else {
          let end = i;
          while (end < s.length) {
            const c = s.charCodeAt(end);
            if (c === 44 || c === 10) break;
            end++;
          }
          if (end >= s.length && !last) break;
          fields.push(s.slice(i, end));
          i = end;
        }
        if (s.charCodeAt(i) === 44) { i++; continue; }
        if (s.charCodeAt(i) === 10) { i++; whole = true; break; }
        if (last && i >= s.length) { whole = fields.length > 1; break; }
        break;
      }
      if (!whole) { this.rest = s.slice(start); return; }
      if (!this.columns.names) this.columns.head(fields);
      else this.columns.add(fields);
      if (i >= s.length) { this.rest = ""; return; }
    }
  }
}

const PIECE = 96 * 1024;
const breathe = () => new Promise(r => { const c = new MessageChannel(); c.port1.onmessage = r; c.port2.postMessage(0); });

// readCSV fetches a file and calls more(columns, done) as rows arrive, leaving the page time to breathe between pieces.
export async function readCSV(url, signal, more) {
  const r = await fetch(url, {signal});
  if (!r.ok) throw {faults: [{text: await r.text()}]};
  const columns = new Columns(), reader = new Reader(columns), decoder = new TextDecoder(), stream = r.body.getReader();
  let told = 0;
  for (;;) {
    const {value, done} = await stream.read();
    if (done) break;
    for (let i = 0; i < value.length; i += PIECE) {
      reader.take(decoder.decode(value.subarray(i, i + PIECE), {stream: true}), false);
      if (columns.length && performance.now() - told > 150) { more(columns, false); told = performance.now(); }
      await breathe();
      if (signal.aborted) return null;
    }
  }
  reader.take(decoder.decode(), true);
  more(columns, true);
  return columns;
}
