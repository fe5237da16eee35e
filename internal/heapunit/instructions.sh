#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Counts the instructions of a run for each task that it simulates. All of the program counts, from reading the workload to
# writing the results: goroutines hide from valgrind where a function begins and ends. Where other work on a machine makes
# times scatter, the count stays the same to a thousandth, so it shows what a change of a few percent has done; it knows
# nothing of memory that is far away. It needs valgrind.
#
# usage: instructions.sh [-p PROGRAM] [SCENARIO [POLICY...]]     such as instructions.sh my.yaml fifo fair
#
# Without -p the program is built with the profile, as make build does; an earlier one can be counted beside it. Without a
# scenario it is 500 jobs like those of FB-2010 on 600 nodes.

set -euo pipefail
program=
if [ "${1:-}" = -p ]; then
  program=$(realpath "$2")
  shift 2
fi
scenario=${1:+$(realpath "$1")}
shift $(($# > 0))
policies=("$@")
[ $# -gt 0 ] || policies=(fifo fair delay srpt sptp edf deadline-min deadline-max fbq tags sita comp capacity)
command -v valgrind >/dev/null || { echo "instructions.sh: needs valgrind"; exit 2; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
if [ -z "$program" ]; then
  program=$dir/yardmaster
  (cd "$(dirname "$0")/../.." && go build -trimpath -pgo=cmd/yardmaster/hot.pgo -o "$program" ./cmd/yardmaster)
fi
if [ -z "$scenario" ]; then
  scenario=$dir/jobs.yaml
  cat >"$scenario" <<'END'
reference: false
cluster: {room: containers, racks: 30, classes: [{nodes: 600, containers: 6}]}
workload: {generate: {preset: {fb-2010: {jobs: 500}}, arrivals: {load: 70%}}}
END
fi
export GOMAXPROCS=1 GOGC=off GODEBUG=asyncpreemptoff=1 # none of it belongs to the work: valgrind runs one thread at a time, others wait busily
for policy in "${policies[@]}"; do
  valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    "$program" run "$scenario" --policy "$policy" --out "$dir/results" -q >/dev/null 2>"$dir/log" || { cat "$dir/log"; exit 1; }
  tasks=$(sed -n 's/^  "tasks": \([0-9]*\).*/\1/p' "$dir/results/summary.json")
  counted=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$dir/log")
  printf '%-14s %8d instructions/task of %d tasks\n' "$policy" $((counted / tasks)) "$tasks"
done
