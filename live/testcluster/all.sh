#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# all.sh YARDMASTER: everything that make live shows, one after the other; the first failure ends it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
"$here/smoke.sh" "$1"
"$here/bench.sh" "$1"
"$here/steering.py" "$1" all
