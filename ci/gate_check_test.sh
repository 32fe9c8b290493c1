#!/bin/bash
# ci/gate-check on the simulated device:  gate_check_test.sh MRPROOF
# A full run with a seeded fault, an expectation file that `expect update` makes of it; then a gate
# that does not look (a program in mrproof's place that always ends with 0) has to be found out.
set -eu
mrproof=$1
check=$(cd "$(dirname "$0")" && pwd)/gate-check
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "gate_check_test: $*" >&2
  exit 1
}

run() {
  "$mrproof" run --device sim:remote-write-right-unchecked --full --steps 4000 --seed 1 \
    --expect sim-fails.txt --out report >said 2>&1
}

echo "# What this fault shows." >sim-fails.txt
run && fail "the run with nothing expected ended with 0"
"$mrproof" expect update sim-fails.txt --report report/report.json \
  --reason "the seeded fault" >/dev/null
run || fail "the run with all expected ended with $?: $(tail -n 3 said)"
entries=$(grep -vc '^#' sim-fails.txt)

said=$("$check" --program "$mrproof" report sim-fails.txt) || fail "$said"
[ "$said" = "$((2 * entries + 2)) gates, 0 did not end as they should" ] || fail "$said"

printf '#!/bin/sh\nexit 0\n' >blind
chmod +x blind
said=$("$check" --program ./blind report sim-fails.txt) && fail "a blind gate went unnoticed"
echo "$said" | grep -q "^$((2 * entries + 2)) gates, $((2 * entries + 1)) did not" || fail "$said"
