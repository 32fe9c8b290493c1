#!/bin/sh
# Tours on the simulated device, and `mrproof coverage` of them:
#     coverage_command_test.sh MRPROOF SCOPES
set -u
mrproof=$1 scopes=$2
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

# A call that is known to kill is left out, which is said with its name; the run may be complete.
echo 'local_inv.none/none/unbound_window_named,Crash  # it kills' >"$folder/known.txt"
expect 0 ' 0 deviates' "$mrproof" run --device sim --steps 200 --out "$folder/safe" \
  --expect "$folder/known.txt" --tours "$scopes/tour-windows-2.scope"
expect 0 'local_inv.none/none/unbound_window_named' \
  "$mrproof" coverage "$folder/safe" --expect "$folder/known.txt" \
  --tours "$scopes/tour-windows-2.scope"
expect 1 'NOT COMPLETE' "$mrproof" coverage "$folder/safe" --tours "$scopes/tour-windows-2.scope"

# What was not reached is listed, with what the device lacks for its verb: does not claim, or has
# refused where no device claims it.
expect 0 '^    local_inv.ok (the device lacks MW_TYPE_2A|MW_TYPE_2B|MEM_MGT_EXTENSIONS)' \
  "$mrproof" coverage "$folder/none" --all
expect 0 '^  not reached: [1-9]' "$mrproof" coverage "$folder/none"
"$mrproof" coverage "$folder/none" | grep 'lacks ADVISE_MR' && failed=1
expect 0 ' 0 deviates' "$mrproof" run --device sim@no-advise --steps 4000 --out "$folder/plain"
expect 0 '^    advise_mr.ok (the device lacks ADVISE_MR)' "$mrproof" coverage "$folder/plain" --all

expect 2 'nowhere/report.json: cannot be read' "$mrproof" coverage "$folder/nowhere"
expect 2 "write 'symmetry none' for tours" \
  "$mrproof" run --device sim --out "$folder/bad" --tours "$scopes/default.scope"
expect 2 'none.scope: cannot be read' \
  "$mrproof" run --device sim --out "$folder/bad" --tours "$folder/none.scope"
exit $failed
