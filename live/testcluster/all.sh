#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# all.sh YARDMASTER [REPETITIONS]: everything that make live shows, one after the other. A failure does not keep the rest
# from being shown; exit code 1 if there was any.
set -u
here=$(cd "$(dirname "$0")" && pwd)
failed=0
"$here/smoke.sh" "$1" || failed=1
"$here/bench.sh" "$1" || failed=1
"$here/steering.py" "$1" all "${2:-3}" || failed=1
echo "live: $((SECONDS / 60)) min $((SECONDS % 60)) s on a cluster that was up"
exit $failed
