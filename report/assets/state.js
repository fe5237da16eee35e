// SPDX-License-Identifier: Apache-2.0
// What the reader chose, shared by all charts, and who wants to know when it changes.

const data = JSON.parse($("data").textContent);
const policies = data.policies;
const jobAt = new Map((data.jobs.id || []).map((id, i) => [id, i]));

// Each queue has one colour in every chart and table; those beyond the palette share a grey.
const queueSlot = new Map((data.coloured || []).map((q, i) => [q, "k" + i]));
const queueSlotOf = name => queueSlot.get(name) || "k-other";
const queueColor = name => `var(--${queueSlotOf(name)})`;

const state = {
  visible: policies.map(() => true), // by policy, in charts that show several
  chosen: 0,                         // policy of the charts that show one
  stack: "queue",                    // what containers are stacked by
  paint: "queue",                    // what the bars of jobs are coloured by
  rows: "fit",                       // all jobs at once, or rows to scroll through
  zoom: null,                        // [from, to] in seconds, or null for all
};

const listeners = new Map();

// on calls fn whenever one of the named choices changes.
function on(names, fn) {
  for (const n of names) listeners.set(n, [...(listeners.get(n) || []), fn]);
}

// choose changes one choice and tells who listens.
function choose(name, value) {
  state[name] = value;
  for (const fn of listeners.get(name) || []) fn();
}

// shown lists the policies that are visible, with their position.
const shown = () => policies.map((p, i) => ({p, i})).filter(({i}) => state.visible[i]);

// jobOf describes a job by its ID.
function jobOf(id) {
  const i = jobAt.get(id);
  if (i === undefined) return {name: "job " + id, queue: 0, cls: 0};
  return {name: data.jobs.name[i] || "job " + id, queue: data.jobs.queue[i], cls: data.jobs.class[i]};
}

// jobRows are the lines of a tooltip that say which job it is.
function jobRows(job) {
  const rows = [], queue = data.queues[job.queue], cls = data.classes[job.cls];
  if (queue) rows.push({name: "queue", value: queue});
  if (cls) rows.push({name: "class", value: cls});
  return rows;
}

const anyJobs = policies.some(p => p.count > 0);
const anySlowdown = policies.some(p => p.referenced > 0);
