#!/bin/bash
# A second solver over everything that was proved: second_solver.sh MRPROOF_PROVE CVC5 [PROCESSES]
# Exports all questions and puts each to cvc5, with ten seconds for each. Prints how many agree, how
# many have no answer in that time, and each that is answered otherwise; fails if there is one.
set -u
prove=$1
cvc5=$2
processes=${3:-2}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$prove" --smt2 "$folder/smt2" >"$folder/table" || { cat "$folder/table"; exit 1; }

ask() {
  local expected answer
  expected=$(sed -n 's/^(set-info :status \(.*\))$/\1/p' "$2")
  answer=$("$1" --tlimit=10000 "$2" 2>&1 | head -1)
  case $answer in
    "$expected") echo agrees ;;
    unknown | *interrupted* | *resourceout* | *resource*) echo "no answer: $(head -1 "$2")" ;;
    *) echo "DIFFERS: Z3 says $expected, cvc5 $answer: $(head -1 "$2")" ;;
  esac
}
export -f ask
find "$folder/smt2" -name '*.smt2' -print0 |
  xargs -0 -P "$processes" -I FILE bash -c 'ask "$0" "$1"' "$cvc5" FILE >"$folder/answers"

count() { grep -c "$1" "$folder/answers"; }
asked=$(wc -l <"$folder/answers")
echo "$asked questions: $(count '^agrees') agree, $(count '^no answer') have no answer in" \
  "ten seconds, $(count '^DIFFERS') differ"
grep -v '^agrees' "$folder/answers" | sort | uniq -c | sort -rn | head -40
[ "$asked" -gt 1000 ] && [ "$(count '^DIFFERS')" = 0 ]
