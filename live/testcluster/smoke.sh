#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# smoke.sh YARDMASTER: import, dry run, one --apply that is put back after kill -9, on the cluster that cluster.py run has
# started around it. Says what was found; exit code 1 with the reason if anything is not as it should be.
set -eu
yard=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { echo "live-smoke: $*"; }
fail() { echo "live-smoke: FAILED: $*" >&2; exit 1; }
sleep_jar=hadoop-mapreduce-client-jobclient-3.4.2-tests.jar
at() { echo "${YARD_RM}/ws/v1/cluster/$1"; }
# The share that stands, as the scheduler applies it.
share() { curl -s -H 'Accept: application/json' "$(at scheduler)" | python3 -c '
import json, sys
for q in json.load(sys.stdin)["scheduler"]["schedulerInfo"]["queues"]["queue"]:
    if q["queuePath"] == "root.prod": print(q["configuredMaxAMResourceLimit"])'; }

say "two jobs"
for user in alice bob; do
  HADOOP_USER_NAME=$user hadoop jar $sleep_jar sleep -Dmapreduce.job.queuename=prod -m 2 -r 0 -mt 2000 -name $user >"$work/$user.log" 2>&1 &
  jobs="${jobs:-} $!"
done
for p in $jobs; do wait "$p" || { cat "$work"/*.log >&2; fail "a job failed"; }; done
# The JobHistoryServer takes a moment to find what the masters have written.
for _ in $(seq 60); do
  n=$(curl -s -H 'Accept: application/json' "$YARD_HISTORY/ws/v1/history/mapreduce/jobs" | grep -o '"id"' | wc -l)
  [ "$n" -ge 2 ] && break
  sleep 0.5
done

say "import"
"$yard" live import "$YARD_RM" --user root --history "$YARD_HISTORY" --out "$work/twin" || fail "import"
"$yard" compare "$work/twin" --quiet --seeds 2 --out "$work/result" >"$work/compare.txt" || fail "compare of the imported folder"
head -4 "$work/compare.txt"

say "dry run"
old=$(share)
"$yard" live tune "$YARD_RM" --user root --queue root.prod --tuner marp-auto --state "$work/state" --for 4s 2>&1 | tail -3
[ "$(share)" = "$old" ] || fail "a dry run changed the share from $old to $(share)"

say "apply, kill -9, restore"
"$yard" live tune "$YARD_RM" --user root --queue root.prod --tuner marp-auto --state "$work/state" --apply >"$work/tune.log" 2>&1 &
tuner=$!
for _ in $(seq 60); do [ "$(share)" != "$old" ] && break; sleep 0.5; done
new=$(share)
kill -9 "$tuner"
wait "$tuner" 2>/dev/null || true
[ "$new" != "$old" ] || { cat "$work/tune.log" >&2; fail "the share did not change from $old"; }
[ "$(share)" = "$new" ] || fail "the share is $(share), not $new, after kill -9"
"$yard" live restore "$YARD_RM" --user root --queue root.prod --state "$work/state" || fail "restore"
[ "$(share)" = "$old" ] || fail "the share is $(share) after restore, and was $old"
say "passed: the share was $old, became $new, and is $old again"
