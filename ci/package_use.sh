#!/bin/bash
# Uses an installed mrproof as people do, far from its source:  ci/package_use.sh PREFIX
#
# PREFIX: where bin/mrproof is. Exit status: 0 when all went well.
set -euo pipefail

usr=$1
mrproof=$usr/bin/mrproof
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

die() {
    echo "package_use: $1" >&2
    exit 1
}

for file in bin/mrproof-prove share/mrproof/scopes/default.scope \
    share/mrproof/expectations/rxe-debian-bookworm-fails.txt \
    share/man/man1/mrproof-run.1 \
    share/zsh/site-functions/_mrproof; do
    [ -e "$usr/$file" ] || die "$file is missing"
done
[ "$usr" != /usr ] || [ -e /usr/include/mrproof/model/judge/judge.hpp ] ||
    die "the headers are missing"
"$mrproof" --version
"$mrproof" run --device sim --quick --out report | tail -n 3
grep -q '"scenarios/reg_mr/' report/report.json || die "it has not found its scenarios"
"$mrproof" run --device sim:remote-read-right-unchecked --steps 500 --out found >/dev/null &&
    die "it has not found a seeded fault"
"$mrproof" report found/deviation-01-*.mrt --out bug >/dev/null
ls bug
"$mrproof" explore "$usr/share/mrproof/scopes/tour-rights.scope" | head -n 1
"$mrproof" prove --dialect linux --theorem "$("$mrproof" prove --list | head -n 1 |
    cut -d ' ' -f 1)" | tail -n 1
# The library that is preloaded into other programs wants their C library to be of 2021.
case $(getconf GNU_LIBC_VERSION) in
    "glibc 2."[0-9] | "glibc 2."[12][0-9] | "glibc 2.3"[0-3]) ;;
    *) "$mrproof" watch --out watched -- true ;;
esac
"$mrproof" replay --device sim "$usr/share/mrproof/scenarios/reg_mr/ok-empty.mrt" >/dev/null ||
    die "a scenario of the package cannot be replayed"
# shellcheck disable=SC1091
. "$usr/share/bash-completion/completions/mrproof"
COMP_WORDS=(mrproof re) COMP_CWORD=1
_mrproof
[ "${COMPREPLY[*]}" = "replay report reached" ] || die "completed by ${COMPREPLY[*]}"
