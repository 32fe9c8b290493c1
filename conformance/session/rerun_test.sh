#!/bin/sh
# What a device does once and not again is flaky, though something known is seen beside it:
#     rerun_test.sh MRPROOF
# The virtual machine is a script here, which runs the agent on the simulated device: with one fault
# during the run, with another, which is expected, when the unexpected is made again.
set -u
mrproof=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/target"
echo '{"name": "script", "accelerator": "none", "device": "sim", "driver": "simulated"}' \
  >"$folder/target/target.json"
cat >"$folder/target/boot" <<EOF
#!/bin/sh
echo boot >>"$folder/boots"
echo ready >"\$2"
fault=dealloc-pd-minus-one
[ \$(wc -l <"$folder/boots") -gt 1 ] && fault=\$(cat "$folder/second")
exec "$mrproof" agent --channel "\$1" --own-device "sim:\$fault"
EOF
chmod +x "$folder/target/boot"
echo '*/detail/errno_set,Deviates  # known' >"$folder/expected.txt"
failed=0

# expect CODE FLAKY SECOND: the fault when the calls are made again, and whether they are flaky.
expect() {
  echo "$3" >"$folder/second"
  rm -f "$folder/boots"
  "$mrproof" run --target "$folder/target" --steps 4000 --expect "$folder/expected.txt" \
    --out "$folder/out" >"$folder/said" 2>&1
  got=$?
  if [ "$got" != "$1" ] || ! grep -q "\"flaky\": *$2" "$folder/out/report.json"; then
    echo "then $3: exit code $got for $1, or not flaky $2:"
    cat "$folder/said"
    failed=1
  fi
}

expect 0 true reg-mr-without-errno
expect 1 false dealloc-pd-minus-one
exit "$failed"
