#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs `yardmaster flows` and SimGrid's full solver on the inputs of BenchmarkFlows, in turn, and prints the
# processor time of each for a flow, their ratio, and how far apart the completion times are at most. The
# least time of all rounds counts. It fails where the ratio is below 20 (5 with 100 active flows), and
# needs g++ and SimGrid (Debian: libsimgrid-dev).
#
# usage: run.sh [PATTERN [ROUNDS]]     such as run.sh 'over4-*-1000' 3

set -euo pipefail
cd "$(dirname "$0")"
pattern=${1:-*} rounds=${2:-1}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

command -v g++ >/dev/null && [ -e /usr/include/simgrid/s4u.hpp ] || { echo "run.sh: needs g++ and SimGrid (Debian: libsimgrid-dev)"; exit 2; }
g++ -O2 -std=c++17 -o "$dir/simgrid" flows.cpp -lsimgrid
(cd ../../.. && go build -o "$dir/yardmaster" ./cmd/yardmaster)
mkdir "$dir/in"
(cd .. && YARDMASTER_FLOWS_DIR=$dir/in go test -count=1 -run TestWriteShapes . >/dev/null)

# cpu prints what follows run_cpu_s= on standard input.
cpu() { sed -n 's/.*run_cpu_s=\([0-9.]*\).*/\1/p'; }

failed=0
printf '%-22s %12s %12s %8s %10s\n' input 'ours us' 'SimGrid us' ratio 'apart'
for input in "$dir"/in/$pattern.txt; do
  name=$(basename "$input" .txt) ours=() theirs=()
  for _ in $(seq "$rounds"); do
    ours+=("$("$dir/yardmaster" flows "$input" --digits=12 --stats 2>&1 >"$dir/ours" | cpu)")
    theirs+=("$("$dir/simgrid" "$input" --cfg=network/optim:Full --log=root.thres:error 2>&1 >"$dir/theirs" | cpu)")
  done
  least() { printf '%s\n' "$@" | sort -g | head -1; }
  apart=$(paste "$dir/ours" "$dir/theirs" | awk '{d = ($2 - $4) / ($4 > 0 ? $4 : 1); if (d < 0) d = -d; if (d > m) m = d} END {printf "%.1e", m}')
  awk -v name="$name" -v a="$(least "${ours[@]}")" -v b="$(least "${theirs[@]}")" -v n="$(grep -c ^flow "$input")" -v apart="$apart" 'BEGIN {
    low = name ~ /-100$/ ? 5 : 20
    printf "%-22s %12.2f %12.2f %8.1f %10s%s\n", name, a / n * 1e6, b / n * 1e6, b / a, apart, b / a < low ? "  below " low : ""
    exit b / a < low || apart > 1e-6 }' || failed=1
done
exit $failed
