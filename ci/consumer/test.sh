#!/bin/bash
# Uses mrproof as a vendor does:  ci/consumer/test.sh BUILD COMPILER [CXX_FLAGS]
#
# Installs the build folder BUILD into a temporary prefix, then configures, builds and runs the
# project beside this script against it, with that compiler. Exit status: 0 when all went well and
# the suite walked its 1,000 steps.
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 compiler=$2 flags=${3:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# DESTDIR would move the installation away from where it is looked for.
unset DESTDIR
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log" ||
    { cat "$scratch/install.log" && exit 1; }
# A leftover of an earlier configuration, or a package of the system, must not be found instead.
cmake -S "$project" -B "$scratch/build" -D mrproof_ROOT="$scratch/prefix" \
    -D CMAKE_CXX_COMPILER="$compiler" -D CMAKE_CXX_FLAGS="$flags" -D CMAKE_BUILD_TYPE=Release
grep -q "^mrproof_DIR:PATH=$scratch/prefix/" "$scratch/build/CMakeCache.txt"
cmake --build "$scratch/build"
"$scratch/build/vendor_suite" | tee "$scratch/counts"
awk '{ steps += $2 } END { exit steps == 1000 ? 0 : 1 }' "$scratch/counts"
"$scratch/prefix/bin/mrproof" --version
