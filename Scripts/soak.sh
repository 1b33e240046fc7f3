#!/bin/sh
# Runs the tests, long and by seed, under the address sanitizer and under the thread sanitizer: soak.sh [MINUTES] [address|thread] [TARGET…]
# Each test target has a process of its own; TARGETs are folders of Tests, all unless some are named. The first round is the suite as it
# is; STOCKBUS_FUZZ_COUNT, which random tests take their count from, doubles from round to round until the minutes are over (0: one round)
# or something was found. A report of the thread sanitizer does not end its target, one of the address sanitizer does. What they said is
# in .build/soak; the different reports and the tests that failed are told with their target, and the status is 1 where there is any.
# Builds are kept in .build/asan and .build/tsan; with SKIP_BUILD=1 they are taken as they are.
set -eu
cd "$(dirname "$0")/.."
[ "$(uname -s)" = Linux ] || {
  echo "SKIPPED: soak.sh knows the sanitizers of Linux only" >&2
  exit 77
}

swift=${SWIFT:-swift}
minutes=${1:-20}
sanitizers=${2:-address thread}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
targets=${*:-$(cd Tests && echo ./*Tests | sed 's|\./||g')}
for target in $targets; do
  [ -d "Tests/$target" ] || {
    echo "soak: there is no folder Tests/$target" >&2
    exit 64
  }
done
# Seconds; a target that takes longer hangs.
limit=3600
share=$(echo "$sanitizers" | wc -w)
found=0

# What every report says of itself, without what differs from run to run: places in the code, and how often.
reports() {
  find "$folder" -name "$1.report.*" -exec cat {} + | sed -n 's/^SUMMARY: //p' | sed 's/ (BuildId: [^)]*)//; s|'"$PWD"'/||' |
    "$swift" demangle --simplified | sort | uniq -c | sort -rn
}

# What swift-testing says of a target: a line a failure, and one at the end.
failures() { sed -n 's/^✘ \(Test .*recorded an issue.*\)/\1/p; s/^\(.*Fatal error:.*\)/\1/p' "$1" | sort -u; }

run() {
  log=$folder/$1.log
  begin=$(date +%s)
  status=0
  # Leaks are not looked for: the runtimes of Swift and of the tests keep memory on purpose.
  NO_COLOR=1 ASAN_OPTIONS="detect_leaks=0:log_path=$folder/$1.report" \
    TSAN_OPTIONS="halt_on_error=0:exitcode=0:second_deadlock_stack=1:history_size=4:log_path=$folder/$1.report" \
    timeout "$limit" "$bundle" --testing-library swift-testing --filter "^$1\\." >"$log" 2>&1 </dev/null || status=$?
  took=$(($(date +%s) - begin))
  tests=$(sed -n 's/.*Test run with \([0-9]*\) test.*/\1/p' "$log" | tail -1)
  count=$(reports "$1" | wc -l)
  case $status in
  0) says="all passed" ;;
  124) says="HANGS: not over after $limit s" ;;
  *) if [ -n "$tests" ]; then says="FAILED"; else says="BROKE OFF with status $status"; fi ;;
  esac
  printf '  %-28s %5s tests %6s s  %s%s\n' "$1" "${tests:-?}" "$took" "$says" "$([ "$count" -eq 0 ] || echo "; different REPORTS: $count")"
  total=$((total + ${tests:-0}))
  if [ "$status" -ne 0 ] || [ "$count" -ne 0 ]; then
    found=1
    failures "$log" | sed 's/^/    /'
    reports "$1" | sed 's/^/   /'
    bad="$bad $log"
  fi
}

for sanitizer in $sanitizers; do
  case $sanitizer in
  address) build=.build/asan ;;
  thread) build=.build/tsan ;;
  *)
    echo "soak: there is no sanitizer '$sanitizer'; there are address and thread" >&2
    exit 64
    ;;
  esac
  [ "${SKIP_BUILD:-}" = 1 ] || "$swift" build --build-tests --sanitize="$sanitizer" --scratch-path "$build"
  bundle=$PWD/$build/debug/stockbusPackageTests.xctest
  folder=$PWD/.build/soak/$sanitizer
  rm -rf "$folder"
  mkdir -p "$folder"
  end=$(($(date +%s) + minutes * 60 / share))
  round=0
  bad=
  while :; do
    total=0
    if [ "$round" -eq 0 ]; then
      echo "== $sanitizer sanitizer: the suite as it is"
      unset STOCKBUS_FUZZ_COUNT
    else
      STOCKBUS_FUZZ_COUNT=$((2500 << round))
      export STOCKBUS_FUZZ_COUNT STOCKBUS_STRESS=10
      echo "== $sanitizer sanitizer: STOCKBUS_FUZZ_COUNT=$STOCKBUS_FUZZ_COUNT"
    fi
    for target in $targets; do run "$target"; done
    echo "== $sanitizer sanitizer: $total tests"
    round=$((round + 1))
    [ -z "$bad" ] && [ "$(date +%s)" -lt "$end" ] || break
  done
  if [ -n "$bad" ]; then
    echo "== $sanitizer sanitizer: FOUND something; see"
    for log in $bad; do echo "   $log and ${log%.log}.report.*"; done
  else
    echo "== $sanitizer sanitizer: clean"
  fi
done
exit "$found"
