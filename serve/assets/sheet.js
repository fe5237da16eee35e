// SPDX-License-Identifier: Apache-2.0
// A table of any number of rows of which only those in view are elements.

import {el} from "./dom.js";

const ROW = 30, HEAD = 36, BEYOND = 6;

// Sheet shows columns [{name, title, width, number, text(row)}] of the rows in view; choose(row) is told of a click or Enter.
export class Sheet {
  constructor(columns, {label, choose, sort}) {
    this.columns = columns;
    this.rows = new Int32Array(0);
    this.on = -1; // position that the keyboard is at
    this.choose = choose;
    this.template = columns.map(c => `minmax(${c.width}px, ${c.grow || 1}fr)`).join(" ");
    this.width = columns.reduce((a, c) => a + c.width, 0);
    this.body = el("div", {class: "body", role: "rowgroup", style: `min-width: ${this.width}px`});
    this.heads = columns.map(c => el("div", {class: "cell" + (c.number ? " n" : ""), role: "columnheader", "aria-sort": "none"},
      el("button", {type: "button", title: c.doc || c.title, on: {click: () => sort(c.name)}}, c.title)));
    const head = el("div", {class: "row head-row", role: "row", style: `grid-template-columns: ${this.template}; min-width: ${this.width}px`}, ...this.heads);
    this.root = el("div", {class: "sheet", role: "grid", tabindex: "0", "aria-label": label, on: {
      scroll: () => this.later(), keydown: e => this.key(e)}}, head, this.body);
    this.watch = new ResizeObserver(() => this.later());
    this.watch.observe(this.root);
  }

  sorted(name, down) {
    this.columns.forEach((c, i) => {
      const here = c.name === name;
      this.heads[i].setAttribute("aria-sort", here ? (down ? "descending" : "ascending") : "none");
      this.heads[i].firstChild.textContent = c.title + (here ? (down ? " ▼" : " ▲") : "");
    });
  }

  // show takes the rows to show, in their order.
  show(rows, keep) {
    const row = this.on >= 0 ? this.rows[this.on] : -1;
    this.rows = rows;
    this.on = row >= 0 ? rows.indexOf(row) : -1;
    this.root.setAttribute("aria-rowcount", rows.length);
    this.body.style.height = Math.max(rows.length * ROW, 40) + "px";
    if (!keep) this.root.scrollTop = 0;
    this.draw();
  }

  later() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.draw(); });
  }

  draw() {
    const from = Math.max(0, Math.floor((this.root.scrollTop - HEAD) / ROW) - BEYOND);
    const to = Math.min(this.rows.length, Math.ceil((this.root.scrollTop + (this.root.clientHeight || 700)) / ROW) + BEYOND);
    const list = [];
    for (let k = from; k < to; k++) list.push(this.row(k));
    if (!this.rows.length) list.push(el("p", {class: "none"}, "No job matches."));
    this.body.replaceChildren(...list);
    if (this.on >= 0) this.root.setAttribute("aria-activedescendant", "row-" + this.on);
    else this.root.removeAttribute("aria-activedescendant");
  }

  row(k) {
    const row = this.rows[k];
    return el("div", {class: "row" + (k === this.on ? " on" : ""), role: "row", id: "row-" + k, "aria-rowindex": k + 1, "aria-selected": k === this.on ? "true" : "false",
      style: `top: ${k * ROW}px; grid-template-columns: ${this.template}`, on: {click: () => { this.on = k; this.draw(); this.choose(row); }}},
    ...this.columns.map(c => el("div", {class: "cell" + (c.number ? " n" : ""), role: "gridcell"}, c.text(row))));
  }

  key(e) {
    if (e.target !== this.root) return;
    const page = Math.max(1, Math.floor(this.root.clientHeight / ROW) - 2);
    const move = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity}[e.key];
    if (move !== undefined && this.rows.length) {
      e.preventDefault();
      this.on = Math.min(this.rows.length - 1, Math.max(0, this.on + move));
      const top = this.on * ROW;
      if (top < this.root.scrollTop) this.root.scrollTop = top;
      if (top + HEAD + ROW > this.root.scrollTop + this.root.clientHeight) this.root.scrollTop = top + HEAD + ROW - this.root.clientHeight;
      this.draw();
    } else if (e.key === "Enter" && this.on >= 0) {
      e.preventDefault();
      this.choose(this.rows[this.on]);
    }
  }
}
