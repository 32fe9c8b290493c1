#!/bin/bash
# A second solver over everything that was proved:
#   second_solver.sh MRPROOF_PROVE CVC5 [PROCESSES [DIR]]
# Exports all questions and puts each to cvc5: as sums of numbers, then as bits, each with ten
# seconds and then with a minute. (Most lemmas about 64-bit addresses are hard for one of the
# two and easy for the other.) DIR keeps the export and the answers. Prints how many agree,
# how many have no answer in any of these ways, and each that is answered otherwise; fails if
# there is one of these, or if more than one in twenty has no answer.
set -u
prove=$1
cvc5=$2
processes=${3:-2}
folder=${4:-}
if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder"

"$prove" --smt2 "$folder/smt2" >"$folder/table" || { cat "$folder/table"; exit 1; }

ask() {
  local expected answer way
  expected=$(sed -n 's/^(set-info :status \(.*\))$/\1/p' "$2")
  for way in "sum 10" "off 10" "sum 60" "off 60"; do
    answer=$("$1" "--solve-bv-as-int=${way% *}" "--tlimit=${way#* }000" "$2" 2>&1 | head -1)
    case $answer in
      "$expected") echo "agrees, $way" && return ;;
      unknown | *interrupted* | *resource*) ;;
      *) break ;;
    esac
  done
  case $answer in
    unknown | *interrupted* | *resource*) echo "no answer: $2: $(head -1 "$2")" ;;
    *) echo "DIFFERS: Z3 says $expected, cvc5 $answer: $2: $(head -1 "$2")" ;;
  esac
}
export -f ask
find "$folder/smt2" -name '*.smt2' -print0 |
  xargs -0 -P "$processes" -I FILE bash -c 'ask "$0" "$1"' "$cvc5" FILE >"$folder/answers"

count() { grep -c "$1" "$folder/answers"; }
asked=$(wc -l <"$folder/answers")
echo "$asked questions: $(count '^agrees') agree, $(count '^no answer') have no answer," \
  "$(count '^DIFFERS') differ"
sed -n 's/^agrees, /answered as /p' "$folder/answers" | sort | uniq -c | sort -rn
grep -v '^agrees' "$folder/answers" | head -40
[ "$asked" -gt 1000 ] && [ "$(count '^DIFFERS')" = 0 ] &&
  [ $((20 * $(count '^no answer'))) -le "$asked" ]
