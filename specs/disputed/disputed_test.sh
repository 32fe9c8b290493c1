#!/bin/bash
# That each disputed trace is judged as it says, and is named in README.md:
# disputed_test.sh MRPROOF
set -eu
mrproof=$1
cd "$(dirname "$0")"
status=0
for trace in *.mrt; do
  judged=$("$mrproof" judge "$trace" | grep -E '^! ' | grep -vE '^!   |^! conforms') || true
  told=$(grep '^! ' "$trace")
  if [ "$judged" != "$told" ]; then
    printf '%s: judged\n%s\nbut it says\n%s\n' "$trace" "$judged" "$told"
    status=1
  fi
  grep -q "^| \`$trace\` |" README.md || { echo "$trace: not in README.md"; status=1; }
done
for trace in $(grep -o '^| `[^`]*\.mrt' README.md | cut -c4-); do
  [ -e "$trace" ] || { echo "README.md: $trace is missing"; status=1; }
done
exit "$status"
