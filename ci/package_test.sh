#!/bin/bash
# Makes a Debian package of a build and uses what is in it:  ci/package_test.sh BUILD
#
# It is unpacked into a folder, from where the suite runs without the source tree. Exit status: 0
# when that went well, 77 where dpkg is not installed.
set -euo pipefail

build=$(cd "$1" && pwd)
for tool in dpkg-deb dpkg-shlibdeps; do
    command -v "$tool" >/dev/null || exit 77
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

die() {
    echo "package_test: $1" >&2
    exit 1
}

unset DESTDIR
(cd "$build" && cpack -G DEB -B "$scratch" >"$scratch/log") ||
    { cat "$scratch/log" && exit 1; }
package=$(echo "$scratch"/mrproof_*.deb)
dpkg-deb --field "$package" Package Version Depends
dpkg-deb --field "$package" Depends | grep -q libibverbs1 || die "it does not want libibverbs1"
dpkg-deb -x "$package" "$scratch/unpacked"
find "$scratch/unpacked" -name libmrproof-watch.so | grep -q . || die "no watching library"
"$(dirname "$0")/package_use.sh" "$scratch/unpacked/usr"
