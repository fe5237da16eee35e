#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches the release's jars into lib/ and compiles the driver into classes/, unless they are there.
set -eu
cd "$(dirname "$0")"
if [ ! -f lib/.complete ]; then
  echo "fetching the resource manager of Hadoop 3.4.1 (133 jars, 87 MB)" >&2
  mvn -q dependency:copy-dependencies -DoutputDirectory=lib >&2
  touch lib/.complete
fi
if [ ! -f classes/Oracle.class ] || [ src/Oracle.java -nt classes/Oracle.class ]; then
  mkdir -p classes
  javac -nowarn -Xlint:none -d classes -cp 'lib/*' src/org/apache/hadoop/yarn/util/SystemClock.java src/Oracle.java
fi
