#!/bin/sh
# Whether SPIN counts the states and transitions of a Promela model that the explorer counts of a
# scope:  spin_test.sh MRPROOF SCOPE MODEL.pml [SPIN'S OPTIONS]
set -eu
mrproof=$1 scope=$2 model=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ours=$("$mrproof" explore --threads 1 "$scope")
cd "$folder"
spin "$@" -a "$model" >/dev/null
cc -O1 -w -DSAFETY -DNOREDUCE -o pan pan.c
theirs=$(./pan -m1000000)
echo "$ours"
echo "$theirs" | grep -E 'states, stored|transitions|errors'
echo "$theirs" | grep -q 'errors: 0'
states=$(echo "$ours" | sed -n 's/^\([0-9]*\) states.*/\1/p')
transitions=$(echo "$ours" | sed -n 's/.* \([0-9]*\) transitions.*/\1/p')
echo "$theirs" | grep -qE "^ *$states states, stored"
# SPIN counts the way into the first state, too.
echo "$theirs" | grep -qE "^ *$((transitions + 1)) transitions"
