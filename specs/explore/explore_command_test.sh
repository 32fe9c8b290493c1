#!/bin/sh
# What `mrproof explore` answers to good and bad input:  explore_command_test.sh MRPROOF SCOPES
set -u
mrproof=$1 scopes=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# expect CODE WORDS ARGUMENTS...: the exit code, and words of what is said.
expect() {
  code=$1 words=$2
  shift 2
  said=$("$mrproof" explore "$@" 2>&1)
  got=$?
  if [ "$got" != "$code" ] || ! echo "$said" | grep -q -- "$words"; then
    echo "explore $*: exit code $got for $code, without '$words': $said"
    failed=1
  fi
}

cat >"$folder/small.scope" <<'SCOPE'
# mrproof scope v1
given pd0
regions 1
mr* = reg_mr(pd0, buf0+0, {64; 0xffffffffffffffff}, 0)
dereg_mr(mr*)
SCOPE
sed 's/dereg_mr/derg_mr/' "$folder/small.scope" >"$folder/wrong.scope"
to='{NONE; READ; WRITE}' page=4096 pages=8192
cat >"$folder/holes.scope" <<SCOPE
# mrproof scope v1
given pd0
regions 1
protect({buf0+0, $page; buf0+$page, $page; buf0+0, $pages}, $to)
protect({buf1+0, $page; buf1+$page, $page; buf1+0, $pages}, $to)
protect({buf2+0, $page; buf2+$page, $page; buf2+0, $pages}, $to)
protect(buf3+{0; $page; $pages; 12288}, $page, $to)
protect(buf3+{0; $page; $pages}, $pages, $to)
protect(buf3+{0; $page}, 12288, $to)
SCOPE

expect 0 '^2 states, 2 expanded, depth 1, ' "$folder/small.scope"
expect 0 '^2 states' --threads 2 "$folder/small.scope"
expect 2 'small.scope: not all of it was explored: .*--memory' --memory 0.0001 "$folder/small.scope"
expect 2 'wrong.scope:5:' "$folder/wrong.scope"
expect 2 'holes.scope: more than 4096 forms of .*; protect fewer ranges' "$folder/holes.scope"
expect 2 'nowhere.scope: cannot be read' "$folder/nowhere.scope"
expect 2 'threads' --threads 0 "$folder/small.scope"
exit $failed
