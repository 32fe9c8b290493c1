#!/bin/bash
# As the kernel's selftests are run: KTAP on the output, exit status 0 pass, 1 fail, 4 skip.
#     MRPROOF=PROGRAM kselftest.sh [ARGUMENT of mrproof run]...
# Without a device it is a skip. What else mrproof says goes to the error output.
set -u
out=$(mktemp -d) && trap 'rm -rf "$out"' EXIT
"${MRPROOF:-mrproof}" run --quick --out "$out" --skip-exit-code 4 "$@" >&2
status=$?
if [ -e "$out/report.ktap" ]; then
    cat "$out/report.ktap"
else
    printf 'KTAP version 1\n1..0 # SKIP nothing could be tested\n'
    status=4
fi
exit "$status"
