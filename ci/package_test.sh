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
usr=$scratch/unpacked/usr
for file in bin/mrproof bin/mrproof-prove share/mrproof/scopes/default.scope \
    share/mrproof/expectations/rxe-debian-bookworm-fails.txt \
    include/mrproof/model/judge/judge.hpp; do
    [ -e "$usr/$file" ] || die "$file is missing"
done
find "$usr" -name libmrproof-watch.so | grep -q . || die "no watching library"

cd /
mrproof=$usr/bin/mrproof
"$mrproof" run --device sim --quick --out "$scratch/report" | tail -n 3
grep -q '"scenarios/reg_mr/' "$scratch/report/report.json" || die "it has not found its scenarios"
"$mrproof" watch --out "$scratch/watched" -- true
"$mrproof" replay --device sim "$usr/share/mrproof/scenarios/reg_mr/ok-empty.mrt" >/dev/null ||
    die "a scenario of the package cannot be replayed"
