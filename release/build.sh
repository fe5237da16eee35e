#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Writes a release into dist/: a static binary for each platform, a Debian package for each Linux where dpkg-deb is
# there, a container image where podman, buildah or docker can build one, and SHA256SUMS of the files.
#
#   release/build.sh [PROFILE]      PROFILE: where the program's time goes, for the compiler
set -euo pipefail
cd "$(dirname "$0")/.."
profile=${1:-off}
[ "$profile" = off ] || profile=$PWD/$profile
version=$(cat internal/version/release.txt)
platforms=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}
rm -rf dist
mkdir dist

# All binaries know the revision that they were built from, where git tells.
for platform in $platforms; do
  file=dist/yardmaster-$version-${platform/\//-}
  echo "== $file"
  CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} go build -trimpath -buildvcs=auto -pgo="$profile" -ldflags="-s -w" -o "$file" ./cmd/yardmaster
done

# What runs here writes the completions.
here=dist/yardmaster-$version-$(go env GOHOSTOS)-$(go env GOHOSTARCH)

# debian ARCH makes a package of the binary for linux/ARCH.
debian() {
  local root
  root=$(mktemp -d)
  chmod 755 "$root"
  install -D -m 755 "dist/yardmaster-$version-linux-$1" "$root/usr/bin/yardmaster"
  install -D -m 644 LICENSE "$root/usr/share/doc/yardmaster/copyright"
  mkdir -p "$root"/usr/share/man/man1 "$root"/usr/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d} "$root/DEBIAN"
  gzip -9n <docs/yardmaster.1 >"$root/usr/share/man/man1/yardmaster.1.gz"
  "$here" completion bash >"$root/usr/share/bash-completion/completions/yardmaster"
  "$here" completion zsh >"$root/usr/share/zsh/vendor-completions/_yardmaster"
  "$here" completion fish >"$root/usr/share/fish/vendor_completions.d/yardmaster.fish"
  cat >"$root/DEBIAN/control" <<CONTROL
Package: yardmaster
Version: $version
Architecture: $1
Maintainer: The Yardmaster authors <yardmaster@localhost>
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Section: science
Priority: optional
Description: simulator of schedulers of shared Hadoop clusters
 Tells people who share a Hadoop cluster what a scheduling decision will do to
 their jobs, by simulating it under many schedulers.
CONTROL
  dpkg-deb --root-owner-group --build "$root" "dist/yardmaster_${version}_$1.deb"
  rm -rf "$root"
}

if ! command -v dpkg-deb >/dev/null; then
  echo "no dpkg-deb: no Debian package"
elif [ ! -x "$here" ]; then
  echo "no binary for this machine, which writes the completions: no Debian package"
else
  for platform in $platforms; do
    case $platform in linux/*) debian "${platform#*/}" ;; esac
  done
fi

builder=
for tool in podman buildah docker; do
  if command -v $tool >/dev/null && $tool info >/dev/null 2>&1; then builder=$tool; break; fi
done
image=dist/yardmaster-$version-linux-$(go env GOHOSTARCH)
if [ -z "$builder" ]; then
  echo "no podman, buildah or docker that works: no container image; the recipe is release/Containerfile"
elif [ ! -e "$image" ]; then
  echo "no Linux binary for this machine: no container image"
else
  $builder build -f release/Containerfile --build-arg BINARY="$image" -t "yardmaster:$version" .
fi

cd dist
sha256sum -- * >../SHA256SUMS.new
mv ../SHA256SUMS.new SHA256SUMS
cat SHA256SUMS
