#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# oracle.sh [-v] [-s] [-o DIR] SCENARIO.json...   decisions on stdout, or in DIR/<scenario>.out; times on stderr
d="$(cd "$(dirname "$0")" && pwd)"
exec java --add-opens=java.base/java.lang=ALL-UNNAMED -XX:+UseSerialGC -XX:+UnlockExperimentalVMOptions -XX:hashCode=2 \
  -Xshare:auto -Xmx2g ${ORACLE_JVM-} -cp "$d/conf:$d/classes:$d/lib/*" Oracle "$@"
