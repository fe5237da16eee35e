#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Shows that go install works for somebody who has nothing of this repository: makes a module proxy of the last commit,
# installs from it into an empty folder, and runs what came out of it.
set -euo pipefail
cd "$(dirname "$0")/.."
module=github.com/yardmaster/yardmaster
revision=$(git rev-parse HEAD)
time=$(TZ=UTC git show -s --format=%cd --date=format-local:%Y%m%d%H%M%S HEAD)
version=v0.0.0-$time-${revision:0:12}
downloaded=$(go env GOMODCACHE)/cache/download
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

proxy=$dir/proxy/$module/@v
mkdir -p "$proxy" "$dir/bin"
git show HEAD:go.mod >"$proxy/$version.mod"
git archive --format=zip --prefix="$module@$version/" -o "$proxy/$version.zip" HEAD
printf '{"Version":"%s","Time":"%s"}\n' "$version" "$(TZ=UTC git show -s --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ HEAD)" >"$proxy/$version.info"
echo "$version" >"$proxy/list"

# Other modules come from where go has downloaded them, or from the usual proxy.
cd "$dir"
GOBIN=$dir/bin GOMODCACHE=$dir/mod GOFLAGS="-mod=mod -modcacherw" GONOSUMDB=$module \
  GOPROXY="file://$dir/proxy,file://$downloaded,$(go env GOPROXY)" go install "$module/cmd/yardmaster@$version"

said=$(bin/yardmaster version)
case $said in
  *"+${revision:0:12}") echo "$said" ;;
  *) echo "version prints \"$said\", without the revision ${revision:0:12}"; exit 1 ;;
esac
bin/yardmaster run -q --set workload.generate.jobs=20 >/dev/null # the scenario that is built in
test -s results/facebook-like/report.html
echo "go install $module/cmd/yardmaster@$version works"
