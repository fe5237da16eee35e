#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# bench.sh YARDMASTER [BATCH]: a batch, batch.yaml if none is named, runs on the cluster that cluster.py run has started around it; the cluster is imported, and
# what the scenario predicts for these jobs must be near what they took. Then the batch runs under two shares of masters and
# under a tuner, and the old share must stand again. With YARD_KEEP=DIR what was measured is kept there.
set -eu
yard=$1
here=$(cd "$(dirname "$0")" && pwd)
batch=${2:-$here/batch.yaml}
jobs=$(grep -c '{name:' "$batch")
work=$(mktemp -d)
trap '[ -z "${YARD_KEEP:-}" ] || cp -r "$work" "$YARD_KEEP/"; rm -rf "$work"' EXIT
fail() { echo "live-bench: FAILED: $*" >&2; exit 1; }
conf() { curl -s -H 'Accept: application/json' "$YARD_RM/ws/v1/cluster/scheduler-conf?user.name=root" | python3 -c 'import json, sys; print(sorted((p["name"], p["value"]) for p in json.load(sys.stdin)["property"]))'; }
since=$(date +%s)
"$yard" live watch "$YARD_RM" --every 3s --record "$work/tape" >"$work/watched" 2>&1 &
watch=$!
"$yard" live bench "$YARD_RM" "$batch" --user root --out "$work/plain" || fail "a batch"
kill -INT "$watch"; wait "$watch" || fail "watch: $(tail -1 "$work/watched")"
"$yard" live watch --replay "$work/tape" >"$work/replayed" || fail "replay"
diff <(sed 's/[0-9:]\{8\}/TIME/g' "$work/watched") <(sed 's/[0-9:]\{8\}/TIME/g' "$work/replayed") >/dev/null || fail "the recording shows something else than was seen"
echo "live-bench: $(grep -c 'applications run' "$work/watched") looks recorded and replayed"
for _ in $(seq 60); do # the JobHistoryServer takes a moment to find what the masters have written
  n=$(curl -s -H 'Accept: application/json' "$YARD_HISTORY/ws/v1/history/mapreduce/jobs?startedTimeBegin=${since}000" | grep -o '"id"' | wc -l)
  [ "$n" -ge "$jobs" ] && break
  sleep 0.5
done
"$yard" live import "$YARD_RM" --user root --history "$YARD_HISTORY" --last $(($(date +%s) - since))s --out "$work/twin" | tee "$work/import.txt" || fail "import"
error=$(sed -n 's/^mean absolute error of elapsed: \([0-9.]*\) %$/\1/p' "$work/import.txt")
awk -v e="$error" 'BEGIN { exit !(e != "" && e <= 20) }' || fail "the mean absolute error of elapsed is $error %, want at most 20 %"
"$yard" compare "$work/twin" --quiet --what-if nodes=-1 --out "$work/result" >/dev/null || fail "compare of the imported folder"
before=$(conf)
"$yard" live bench "$YARD_RM" "$batch" --user root --queue root.prod --shares 0.2,0.6 --tuner marp-auto --apply --state "$work/state" --history "$YARD_HISTORY" --out "$work/curve" || fail "a batch under two shares and a tuner"
[ "$(conf)" = "$before" ] || fail "the scheduler's configuration is not what it was"
grep -q 'Makespan over the share of masters' "$work/curve/bench.html" || fail "the page has no curve"
"$yard" compare "$work/curve/twin" --quiet --out "$work/result2" >/dev/null || fail "compare of what was observed"
echo "live-bench: passed"
