#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Counts the instructions that a simulated task costs from its start to its end, all events of the run included. Where
# other work on a machine makes times scatter, the count stays the same to a thousandth, so it shows what a change of a few
# percent has done; it knows nothing of memory that is far away. It needs valgrind.
#
# usage: instructions.sh [-p PROGRAM] [SCENARIO [POLICY...]]     such as instructions.sh my.yaml fifo fair
#
# Without -p the program is built with the profile, as make build does; an earlier one can be counted beside it.

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
export GOGC=off GODEBUG=asyncpreemptoff=1 # neither belongs to the work, and valgrind bears them badly
for policy in "${policies[@]}"; do
  "$program" run ${scenario:+"$scenario"} --policy "$policy" --out "$dir/results" -q >/dev/null
  tasks=$(sed -n 's/^  "tasks": \([0-9]*\).*/\1/p' "$dir/results/summary.json")
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='*engine.(?sim).loop' \
    "$program" run ${scenario:+"$scenario"} --policy "$policy" --out "$dir/results" -q >/dev/null 2>"$dir/log" || { cat "$dir/log"; exit 1; }
  counted=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$dir/log")
  printf '%-14s %8d instructions/task of %d tasks\n' "$policy" $((counted / tasks)) "$tasks"
done
