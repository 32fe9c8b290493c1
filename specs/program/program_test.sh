#!/bin/bash
# mrproof-prove as a user meets it: program_test.sh MRPROOF_PROVE MRPROOF [CVC5]
# Exit codes, the list, JSON; and that cvc5, if it is there, agrees with every exported answer.
set -u
prove=$1
mrproof=$2
cvc5=${3:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

expect() {
  local code=$1
  shift
  "$prove" "$@" >"$folder/out" 2>"$folder/err"
  local got=$?
  if [ "$got" != "$code" ]; then
    echo "mrproof-prove $*: exit code $got, not $code"
    cat "$folder/out" "$folder/err"
    failures=$((failures + 1))
  fi
}

contains() {
  if ! grep -q -- "$2" "$folder/$1"; then
    echo "no '$2' in:"
    cat "$folder/$1"
    failures=$((failures + 1))
  fi
}

expect 0 --list
contains out "^no_byte_outside "
expect 2 --theorem nonsense
contains err "no theorem 'nonsense'"
expect 2 --dialect klingon
contains err "there are: linux, linux-2006, mlnx-exp"
expect 2 --no-such-option
expect 2 --verb dereg_mr
expect 2 --mutants --verb nosuch
contains err "no verb's name begins with 'nosuch'"
expect 2 --mutants --verb dereg_mr --only nosuch
contains err "no mutant of these verbs has 'nosuch'"
if "$prove" --list >/dev/full 2>"$folder/err"; then
  echo "--list to a full disk is a success"
  failures=$((failures + 1))
fi
contains err "standard output cannot be written"
expect 0 --mutants --verb dereg_mr
contains out "^9 mutants: 9 refuted"
expect 0 --theorem flags_are_their_table --json
contains out '"open": 0'
expect 0 --theorem window_inside_region --dialect linux --smt2 "$folder/smt2"
contains out "^window_inside_region .* proved$"
expect 0 --theorem pages_are_as_asked --smt2 "$folder/smt2.pages"

# A mutant is refuted with a trace: the judge says what is wrong with it, a device with the same
# mistake does as it says, a sound one does not.
expect 2 --mutant "bind_mw.ok without sense"
contains err "no mutant"
expect 0 --mistakes
contains out "^bind_mw.ok without bind_in_bounds$"
expect 1 --mutant "bind_mw.ok without bind_in_bounds" --theorem window_inside_region \
  --traces "$folder/traces"
contains out "^# window_inside_region: "
trace="$folder/traces/window_inside_region-bind_mw.ok.mrt"
name="deviates bind_mw.ok accepted bind_in_bounds"
told() {
  local code=$1 words=$2
  shift 2
  "$mrproof" "$@" >"$folder/out" 2>&1
  local got=$?
  [ "$got" = "$code" ] || { echo "mrproof $*: exit code $got"; failures=$((failures + 1)); }
  contains out "$words"
}
told 1 "^! $name" judge "$trace"
told 1 "^reproduced: $name" replay --device sim:bind-bounds-unchecked "$trace"
told 0 "^not reproduced: $name" replay --device sim "$trace"

# mrproof hands over; alone it says what is missing.
if ! "$mrproof" prove --list 2>&1 | grep -q "^no_byte_outside "; then
  echo "mrproof prove --list does not list the theorems"
  failures=$((failures + 1))
fi
cp "$mrproof" "$folder/mrproof"
alone=$("$folder/mrproof" prove --list 2>&1)
if [ $? != 2 ] || [[ "$alone" != "mrproof: no mrproof-prove in "*"libz3-dev"* ]]; then
  echo "mrproof prove without mrproof-prove: $alone"
  failures=$((failures + 1))
fi

if [ -n "$cvc5" ]; then
  asked=0
  for file in "$folder"/smt2*/*.smt2; do
    expected=$(sed -n 's/^(set-info :status \(.*\))$/\1/p' "$file")
    answer=$("$cvc5" --rlimit=100000000 "$file" 2>&1)
    asked=$((asked + 1))
    if [ "$answer" != "$expected" ]; then
      echo "$(head -1 "$file"): Z3 says $expected, cvc5 says $answer"
      failures=$((failures + 1))
    fi
  done
  echo "$asked questions asked of cvc5"
  [ "$asked" -gt 10 ] || failures=$((failures + 1))
fi
[ "$failures" = 0 ]
