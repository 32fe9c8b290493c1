#!/bin/sh
# Tours on the simulated device, and `mrproof coverage` of them:
#     coverage_command_test.sh MRPROOF SCOPES SCENARIOS
set -u
mrproof=$1 scopes=$2 scenarios=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# expect CODE WORDS COMMAND...: the exit code, and words of what is said.
expect() {
  code=$1 words=$2
  shift 2
  said=$("$@" 2>&1)
  got=$?
  if [ "$got" != "$code" ] || ! echo "$said" | grep -q -- "$words"; then
    echo "$*: exit code $got for $code, without '$words': $said"
    failed=1
  fi
}

tours=''
for scope in "$scopes"/tour-*.scope; do tours="$tours --tours $scope"; done
# Word splitting is meant: the folder has no blanks.
expect 0 ' 0 deviates' "$mrproof" run --device sim --steps 200 --out "$folder/all" $tours
expect 0 '^tour/windows: complete' "$mrproof" coverage "$folder/all" $tours
expect 0 'reg_mr.refused_doubtful is taken, reg_mr.ok never is' \
  "$mrproof" coverage "$folder/all" $tours
expect 0 '"complete": true' "$mrproof" coverage "$folder/all" --json $tours
"$mrproof" coverage "$folder/all" $tours | grep 'NOT COMPLETE' && failed=1

# One case is lost: one that is the only one to make its last call.
for number in 0100 0200 0300 0400; do
  mkdir -p "$folder/less"
  cp "$folder/all/report.json" "$folder/less"
  grep -v "\"case\":\"tour/windows/$number\"" "$folder/all/journal.jsonl" \
    >"$folder/less/journal.jsonl"
  "$mrproof" coverage "$folder/less" $tours >"$folder/said" && continue
  grep -q 'calls that nobody made' "$folder/said" && lost=$number && break
done
[ -n "${lost:-}" ] || { echo "no case is missed when it is lost"; failed=1; }

# Traces of what was missed, which one can replay.
expect 1 "tour/windows: [1-9].* missed calls in $folder/again; to 0 more" \
  "$mrproof" coverage "$folder/less" $tours --missed "$folder/again"
for trace in "$folder"/again/*.mrt; do expect 0 '' "$mrproof" judge "$trace"; done
expect 2 "again: has files already; name an empty folder" \
  "$mrproof" coverage "$folder/less" $tours --missed "$folder/again"

# What the device has not is skipped, by name.
expect 0 'tour/windows/0001 to .* (the device lacks MW_BIND, MW_TYPE_1)' \
  "$mrproof" run --device sim@no-windows --steps 200 --out "$folder/none" \
  --tours "$scopes/tour-windows.scope"
expect 0 '^tour/windows: skipped, the device lacks MW_BIND, MW_TYPE_1' \
  "$mrproof" coverage "$folder/none" --tours "$scopes/tour-windows.scope"

# So is a scope of another dialect.
sed 's/^given pd0/given dialect(mlnx-exp)\n&/' "$scopes/tour-windows.scope" \
  >"$folder/tour-vendor.scope"
expect 0 '^tour/vendor: skipped, its dialect is mlnx-exp' \
  "$mrproof" coverage "$folder/all" --tours "$folder/tour-vendor.scope" $tours

# Over iWARP no condition is missed that only another connection could show.
expect 0 ' 0 deviates' "$mrproof" run --device sim@iwarp --steps 200 --out "$folder/iwarp" $tours
expect 0 '^tour/windows: skipped' "$mrproof" coverage "$folder/iwarp" $tours

# Of a run in which no scenario goes as far as its invalidations, since these are known to kill.
"$mrproof" run --device sim --steps 1 --out "$folder/safe" --scenarios "$scenarios" >"$folder/said"
grep -v '"call":"local_inv(' "$folder/safe/journal.jsonl" >"$folder/journal"
mv "$folder/journal" "$folder/safe/journal.jsonl"
echo 'local_inv.none/none/unbound_window_named,Crash  # it kills' >"$folder/known.txt"
expect 1 'left out as known trouble: local_inv.none/none/unbound_window_named: [1-9]' \
  "$mrproof" coverage "$folder/safe" --expect "$folder/known.txt" --scenarios "$scenarios" \
  --tours "$scopes/tour-windows.scope"
"$mrproof" coverage "$folder/safe" --scenarios "$scenarios" | grep 'trouble: local' && failed=1

# Over iWARP both ends of a connection fail together.
expect 0 ' 0 deviates' "$mrproof" run --device sim@iwarp --steps 4000 --out "$folder/streams"
expect 0 'rdma_write.ok but for qp_ready (at no step was one end of a pair ready' \
  "$mrproof" coverage "$folder/streams" --all
"$mrproof" run --device sim --steps 4000 --out "$folder/packets" >"$folder/said"
"$mrproof" coverage "$folder/packets" --all | grep 'one end of a pair' && failed=1

# A read over iWARP has one element; here the port carries as much as it can say.
"$mrproof" coverage "$folder/streams" --all | grep 'a read has one element' && failed=1
sed -i 's/1073741824/4294967295/' "$folder/streams/journal.jsonl"
expect 0 'rdma_read.loc_len_err because message_not_too_long (a read has one element here' \
  "$mrproof" coverage "$folder/streams" --all

# A device need not make regions of no bytes: this one does not, until one is put into its journal.
expect 0 'rereg_mr.err_cmd_doubtful because length_zero (at no step was there a region of no' \
  "$mrproof" coverage "$folder/safe" --all
sed -i '/= reg_mr(pd1, buf2+0, 0, 0)","result":"refused/{
  s/refused EINVAL/ok lkey=0x7a00 rkey=0x7a00/; p
  s/"step":0,"call":"[^"]*"/"step":1,"call":"dereg_mr(mr0)"/; s/ok lkey[^"]*/ok/
}' "$folder/safe/journal.jsonl"
"$mrproof" coverage "$folder/safe" --all >"$folder/said" || failed=1
grep 'a region of no bytes' "$folder/said" && failed=1

expect 2 'nowhere/report.json: cannot be read' "$mrproof" coverage "$folder/nowhere"
expect 2 "write 'symmetry none' for tours" \
  "$mrproof" run --device sim --out "$folder/bad" --tours "$scopes/default.scope"
expect 2 'none.scope: cannot be read' \
  "$mrproof" run --device sim --out "$folder/bad" --tours "$folder/none.scope"
exit $failed
