#!/bin/sh
# Runs the tests long, by seed, under the address sanitizer and then under the thread sanitizer: soak.sh [MINUTES] [address|thread]
# STOCKBUS_FUZZ_COUNT, which random tests take their count from, grows from round to round until the time is over; both sanitizers have
# one round at least. Builds are kept in .build/asan and .build/tsan.
set -eu
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
minutes=${1:-20}
sanitizers=${2:-address thread}
# The test runner keeps memory on purpose; a report ends the run, as a failed test would.
export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
share=$(echo "$sanitizers" | wc -w)

for sanitizer in $sanitizers; do
  case $sanitizer in address) folder=.build/asan ;; thread) folder=.build/tsan ;; *) echo "soak: there is no sanitizer '$sanitizer'" >&2; exit 64 ;; esac
  "$swift" build --build-tests --sanitize="$sanitizer" --scratch-path "$folder"
  end=$(($(date +%s) + minutes * 60 / share))
  count=2000
  while :; do
    echo "== $sanitizer sanitizer, STOCKBUS_FUZZ_COUNT=$count"
    STOCKBUS_FUZZ_COUNT=$count STOCKBUS_STRESS=10 "$swift" test --skip-build --sanitize="$sanitizer" --scratch-path "$folder"
    [ "$(date +%s)" -lt "$end" ] || break
    count=$((count * 2))
  done
done
