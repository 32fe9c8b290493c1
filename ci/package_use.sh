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
    include/mrproof/model/judge/judge.hpp share/man/man1/mrproof-run.1 \
    share/zsh/site-functions/_mrproof; do
    [ -e "$usr/$file" ] || die "$file is missing"
done
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
"$mrproof" watch --out watched -- true
"$mrproof" replay --device sim "$usr/share/mrproof/scenarios/reg_mr/ok-empty.mrt" >/dev/null ||
    die "a scenario of the package cannot be replayed"
# shellcheck disable=SC1091
. "$usr/share/bash-completion/completions/mrproof"
COMP_WORDS=(mrproof re) COMP_CWORD=1
_mrproof
[ "${COMPREPLY[*]}" = "replay report reached" ] || die "completed by ${COMPREPLY[*]}"
