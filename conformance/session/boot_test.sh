#!/bin/sh
# A virtual machine that dies while it boots is booted again, and given up after the third time;
# what ends a run before its machine is up:
#     boot_test.sh MRPROOF
# The machine is a script here, which runs the agent on the simulated device.
set -u
mrproof=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# machine DEATHS: a target whose first boots end in a panic.
machine() {
  rm -rf "$folder/target" && mkdir "$folder/target"
  echo '{"name": "script", "accelerator": "none", "device": "sim", "driver": "simulated"}' \
    >"$folder/target/target.json"
  cat >"$folder/target/boot" <<EOF
#!/bin/sh
echo boot >>"$folder/target/boots"
if [ \$(wc -l <"$folder/target/boots") -le $1 ]; then
  echo 'Kernel panic - not syncing: Fatal exception in interrupt' >"\$2"
  exit 0
fi
echo ready >"\$2"
exec "$mrproof" agent --channel "\$1" --own-device sim
EOF
  chmod +x "$folder/target/boot"
}

# expect CODE WORDS DEATHS BOOTS
expect() {
  machine "$3"
  said=$("$mrproof" run --target "$folder/target" --steps 40 --case-steps 20 \
    --out "$folder/out" 2>&1)
  got=$?
  boots=$(wc -l <"$folder/target/boots")
  if [ "$got" != "$1" ] || [ "$boots" != "$4" ] || ! echo "$said" | grep -q -- "$2"; then
    echo "$3 deaths: exit code $got for $1, $boots boots for $4, without '$2': $said"
    failed=1
  fi
}

expect 0 ' 0 deviates' 0 1
expect 0 ' 0 crash' 2 3
expect 2 'ended while it booted (exit code 0), 3 times' 3 3

# A kernel that warned of something and later panics: what it says of the panic is told.
machine 0
cat >"$folder/target/boot" <<EOF
#!/bin/sh
if [ -e "$folder/target/boots" ]; then
  echo ready >"\$2"
  exec "$mrproof" agent --channel "\$1" --own-device sim
fi
echo boot >"$folder/target/boots"
echo 'WARNING: mm/page_alloc.c:5336 at alloc_pages' >"\$2"
"$mrproof" agent --channel "\$1" --own-device sim &
until [ "\$(wc -c <"$folder/out/journal.jsonl")" -gt 1000000 ]; do sleep 0.01; done
kill -9 \$!
printf '%s\\n' 'BUG: kernel NULL pointer dereference' 'Oops: 0000 [#1]' 'Kernel panic - not' >>"\$2"
EOF
rm -rf "$folder/out"
said=$("$mrproof" run --target "$folder/target" --steps 200000 --out "$folder/out" 2>&1)
if [ $? != 1 ] || ! echo "$said" | grep -q 'Kernel panic - not; BUG: kernel NULL pointer'; then
  echo "a panic after a warning: $said"
  failed=1
fi

# One that is asked to end while its machine boots does so at once.
machine 0
printf '#!/bin/sh\nexec sleep 60\n' >"$folder/target/boot"
begun=$(date +%s)
said=$(timeout 1 "$mrproof" run --target "$folder/target" --steps 40 --out "$folder/asked" 2>&1)
if [ $(($(date +%s) - begun)) -gt 20 ] || ! echo "$said" | grep -q 'interrupted after 0 of '; then
  echo "SIGTERM during a boot, $(($(date +%s) - begun)) s: $said"
  failed=1
fi

# An image that holds another build of the program is not begun with.
sed -i 's/{/{"program": "0123456789abcdef", /' "$folder/target/target.json"
said=$("$mrproof" run --target "$folder/target" --steps 40 --out "$folder/other" 2>&1)
if [ $? != 2 ] || ! echo "$said" | grep -q 'holds another build of mrproof (01234567)'; then
  echo "another build: $said"
  failed=1
fi
exit "$failed"
