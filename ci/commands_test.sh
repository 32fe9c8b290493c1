#!/bin/bash
# The commands' own manuals and refusals, from any folder:  commands_test.sh
# Run with nothing in PATH that could install or build, should one of them go on.
set -eu
ci=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap '/bin/rm -rf "$folder"' EXIT
mkdir "$folder/bin"
for tool in bash dirname readlink sed; do ln -s "$(command -v "$tool")" "$folder/bin/"; done
export PATH=$folder/bin

fail() {
  echo "commands_test: $*" >&2
  exit 1
}

says() { # FOLDER FIRST_WORDS COMMAND...
  local from=$1 words=$2 said
  shift 2
  said=$(cd "$from" && "$@" 2>&1) || fail "$* from $from ended with $?: $said"
  case $said in "$words"*) ;; *) fail "$* from $from said: $said" ;; esac
}

refuses() { # TEXT COMMAND...
  local text=$1 status=0 said
  shift
  said=$("$@" 2>&1) || status=$?
  [ "$status" -eq 2 ] || fail "$* ended with $status"
  [ "$said" = "$text" ] || fail "$* said: $said"
}

for from in / "$ci" "$ci/.."; do
  says "$from" "Judges an RDMA device" "$ci/conformance" --help
  says "$from" "Runs all tests" "$ci/test" -h
done
says "$ci" "Judges an RDMA device" ./conformance -h
says "$ci" "Runs all tests" ./test --help
refuses "conformance: --expect needs a value" "$ci/conformance" --expect
refuses "conformance: --target and --device exclude each other" \
  "$ci/conformance" --target=siw --device rxe0
refuses "test: --preset needs a value" "$ci/test" --preset
says / "Checks that clang" "$ci/clang-check" --help
says / "Checks that nothing is defined" "$ci/odr-check" --help
refuses "odr-check: unknown argument '--none'; see ci/odr-check --help" "$ci/odr-check" --none
refuses "clang-check: unknown argument '--none'; see ci/clang-check --help" "$ci/clang-check" --none
says / "Installs what building and running needs" "$ci/install" -h
refuses "install: unknown argument '--all'; see ci/install --help" "$ci/install" --all
refuses "install: name one preset; see ci/install --help" "$ci/install" release bench
