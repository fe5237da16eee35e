#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# all.sh YARDMASTER CASES [REPETITIONS]: what make live shows, one case after the other: smoke, bench, and those of steering.py.
# A failure does not keep the rest from being shown; exit code 1 if there was any.
set -u
here=$(cd "$(dirname "$0")" && pwd)
failed=0
for case in $2; do
  case $case in
    smoke | bench) "$here/$case.sh" "$1" ;;
    *) "$here/steering.py" "$1" "$case" "${3:-3}" ;;
  esac || failed=1
done
echo "live: $((SECONDS / 60)) min $((SECONDS % 60)) s on a cluster that was up"
exit $failed
