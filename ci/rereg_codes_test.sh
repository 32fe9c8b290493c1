#!/bin/bash
# Tests ci/rereg-codes:  rereg_codes_test.sh MRPROOF
# The simulated device that protects memory on fork shows all five codes, the plain one only two.
set -euo pipefail

mrproof=$1
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
    echo "rereg_codes_test: $1" >&2
    exit 1
}

run() {
    "$mrproof" run --device "$1" --steps 20000 --scenarios "$root/model/scenarios" \
        --out "$work/$2" >"$work/$2.log" || die "$1: $(tail -n 3 "$work/$2.log")"
}

run sim plain
run sim@fork fork
table=$("$root/ci/rereg-codes" "plain=$work/plain" "fork=$work/fork")
echo "$table"
[ "$(grep -c '^| `IBV_REREG_MR_ERR_' <<<"$table")" -eq 5 ] || die "not a row for each code"
[ "$(grep -c '| - | [0-9,]* ([0-9,]*) |$' <<<"$table")" -eq 3 ] ||
    die "three codes are of fork protection alone"
! grep -q '(0) |$' <<<"$table" || die "a code after which no region was named again"
if "$root/ci/rereg-codes" "none=$work" 2>"$work/said"; then die "no journal, and no complaint"; fi
grep -q 'journal' "$work/said" || die "the complaint does not name the journal"
