#!/bin/sh
# The checks that take long, for a given number of minutes: soak.sh [MINUTES] [PART…] [TARGET…]
#   models   the models of the wake-up protocol (Documentation/maintain/models/check.sh); skipped without spin
#   stress   the stress tests, in a plain build
#   address  the tests under the address sanitizer, round after round
#   thread   the tests under the thread sanitizer, likewise
# Without parts all are run. TARGETs are folders of Tests, for the sanitizers; each runs in a process of its own. Without targets all are
# run.
#
# The minutes are those of checking, without builds. The remaining time is divided among the remaining parts; the models get up to half,
# because cut short they prove little. When a part's time is over, its processes are ended. If that cuts the sanitizers' first round short,
# the next soak begins where this one ended. With 0 minutes everything runs once, to its end. The first round is the suite as it is, with
# ten seconds of the stress test; in later rounds STOCKBUS_FUZZ_COUNT, which sets the number of random tests, doubles each time.
#
# A report of the thread sanitizer does not end its target, one of the address sanitizer does. Output and reports are in .build/soak;
# distinct reports and failed tests are listed with their target. Builds are kept in .build/asan and .build/tsan; with SKIP_BUILD=1 they are
# used as they are. The last lines summarise what was done. Status: 0 nothing was found, 1 something was found, 77 nothing could be checked.
set -eu
cd "$(dirname "$0")/.."
[ "$(uname -s)" = Linux ] || {
  echo "SKIPPED: soak.sh knows Linux only" >&2
  exit 77
}

swift=${SWIFT:-swift}
minutes=20
parts=
targets=
wrong() {
  echo "soak: $1" >&2
  exit 64
}
if [ $# -gt 0 ]; then
  minutes=$1
  shift
fi
case $minutes in
'' | *[!0-9]* | ?????*) wrong "'$minutes' is no whole number of minutes, 0 to 9999" ;;
esac
minutes=$(echo "$minutes" | sed 's/^0*\(.\)/\1/')
for word; do
  case $word in
  models | stress | address | thread) parts="$parts $word" ;;
  *)
    [ -d "Tests/Unit/$word" ] || [ -d "Tests/System/$word" ] || wrong "'$word' is neither a part (models, stress, address, thread) nor a folder of tests"
    targets="$targets $word"
    ;;
  esac
done
# The bus and the modules on top of it come first, because most of what the sanitizers may find is there.
first="EventBusTests StockbusPluginTests StockbusRuntimeTests"
if [ -z "$targets" ]; then
  if [ -z "$parts" ]; then parts="models stress address thread"; fi
  targets=$first
  for folder in Tests/*/*Tests; do
    case " $first " in *" ${folder##*/} "*) ;; *) targets="$targets ${folder##*/}" ;; esac
  done
elif [ -z "$parts" ]; then
  parts="address thread"
fi

# Seconds after which a target counts as hanging, whatever the minutes are.
hang=3600
log=.build/soak
mkdir -p "$log"
session=
spent=0
found=0
checked=0
report=
part=

# The numbers of the processes of a session.
members() { sed -n 's/^\([0-9]*\) (.*) [A-Za-z] [0-9]* [0-9]* '"$1"' .*/\1/p' /proc/[0-9]*/stat 2>/dev/null || true; }

# Ends processes that a command has left, such as children in process groups of their own, which `timeout` does not end.
sweep() {
  for process in $(members "$session"); do kill -KILL "$process" 2>/dev/null || true; done
  session=
}

# within SECONDS COMMAND…: runs a command in a session of its own, and ends every process of it afterwards. Status 124 or 137: the time was
# over. 0 seconds: no limit.
within() {
  time=$1
  shift
  status=0
  setsid timeout -k 10 "$time" "$@" </dev/null 3>&- &
  session=$!
  wait "$session" || status=$?
  sweep
}

say() { report="$report$(printf '\n   %-8s %s' "$1" "$2")"; }

summary() {
  took=$(($(date +%s) - start - built))
  printf '== soak: %d min %d s of checking%s, %d min %d s of building%s\n' $((took / 60)) $((took % 60)) \
    "$([ "$minutes" -eq 0 ] || echo " of $minutes min")" $((built / 60)) $((built % 60)) "$report"
}

stopped() {
  trap '' INT TERM HUP
  if [ -n "$session" ]; then
    kill "$session" 2>/dev/null || true
    wait "$session" 2>/dev/null || true
    sweep
  fi
  say "$part" "stopped on the way"
  # Not to the log of the command that was running.
  summary >&3
  exit "$1"
}

# The present part's time in seconds: what is left, divided by the given number of parts.
share() {
  left=$((minutes * 60 - spent))
  [ "$left" -gt "$1" ] || left=$1
  echo $((left / $1))
}

build() {
  [ "${SKIP_BUILD:-}" = 1 ] && return 0
  echo "== $part: building"
  begin=$(date +%s)
  within 0 "$swift" build --build-tests "$@"
  built=$((built + $(date +%s) - begin))
  if [ "$status" -ne 0 ]; then
    say "$part" "the build FAILED"
    found=1
    return 1
  fi
}

models() {
  begin=$(date +%s)
  seconds=0
  [ "$minutes" -eq 0 ] || seconds=$(share $((remaining > 1 ? 2 : 1)))
  echo "== models: some minutes"
  within "$seconds" sh Documentation/maintain/models/check.sh >"$log/models.log" 2>&1
  sed 's/^/  /' "$log/models.log"
  count=$(grep -c '^ok ' "$log/models.log" || true)
  case $status in
  0) say models "$count checks, all as expected" ;;
  77)
    say models "$(head -n 1 "$log/models.log")"
    return 0
    ;;
  124 | 137)
    if grep -q '^WRONG ' "$log/models.log"; then found=1; fi
    say models "$count checks as expected$(sed -n 's/^WRONG /; WRONG: /p' "$log/models.log"), then the time was over"
    [ "$count" -gt 0 ] || return 0
    ;;
  *)
    found=1
    say models "NOT as expected: see $log/models.log"
    ;;
  esac
  checked=1
}

stress() {
  build || return 0
  seconds=60
  [ "$minutes" -eq 0 ] || seconds=$(share "$remaining")
  echo "== stress: $seconds s"
  # The tests end by themselves after their last round. Their own time limit, two minutes more, reports a hang before this one does.
  STOCKBUS_STRESS=$seconds NO_COLOR=1
  export STOCKBUS_STRESS NO_COLOR
  within $((seconds + 180)) "$PWD/.build/debug/stockbusPackageTests.xctest" --testing-library swift-testing --filter StressTests >"$log/stress.log" 2>&1
  unset STOCKBUS_STRESS NO_COLOR
  told=$(sed -n 's/^stress: //p' "$log/stress.log" | tail -n 1)
  checked=1
  if [ "$status" -eq 0 ] && grep -q 'Test run with [1-9]' "$log/stress.log"; then
    say stress "$seconds s: ${told:-passed}; nothing found"
  else
    found=1
    failures "$log/stress.log" | sed 's/^/    /'
    say stress "FAILED (status $status): see $log/stress.log"
  fi
}

# The summary lines of all reports with their numbers, without what differs from run to run.
reports() {
  find "$folder" -name "$1.report.*" -exec cat {} + | sed -n 's/^SUMMARY: //p' | sed 's/ (BuildId: [^)]*)//; s|'"$PWD"'/||' |
    "$swift" demangle --simplified | sort | uniq -c | sort -rn
}

# The failures that swift-testing has reported for a target, one line each.
failures() { sed -n 's/^✘ \(Test .*recorded an issue.*\)/\1/p; s/^\(.*Fatal error:.*\)/\1/p' "$1" | sort -u; }

# Runs one target within a number of seconds; sets is_cut if the time was over before its end.
run() {
  output=$folder/$1.log
  begin=$(date +%s)
  limit=$hang
  is_cut=0
  if [ "$2" -gt 0 ] && [ "$2" -lt "$hang" ]; then limit=$2; fi
  # Leaks are not checked, because the runtimes of Swift and of the tests keep memory on purpose.
  NO_COLOR=1 ASAN_OPTIONS="detect_leaks=0:log_path=$PWD/$folder/$1.report" \
    TSAN_OPTIONS="halt_on_error=0:exitcode=0:second_deadlock_stack=1:history_size=4:log_path=$PWD/$folder/$1.report" \
    within "$limit" "$bundle" --testing-library swift-testing --filter "^$1\\." >"$output" 2>&1
  took=$(($(date +%s) - begin))
  tests=$(sed -n 's/.*Test run with \([0-9]*\) test.*/\1/p' "$output" | tail -1)
  count=$(reports "$1" | wc -l)
  case $status in
  0) says="all passed" ;;
  124 | 137)
    if [ "$limit" -lt "$hang" ] && [ "$took" -ge "$limit" ]; then
      is_cut=1
      says="ended: the time is over"
    else
      says="HANGS: not over after $limit s"
    fi
    ;;
  *) if [ -n "$tests" ]; then says="FAILED"; else says="BROKE OFF with status $status"; fi ;;
  esac
  if [ "$is_cut" -eq 1 ] && [ -n "$(failures "$output")" ]; then says="FAILED, and the time is over"; fi
  printf '  %-28s %5s tests %6s s  %s%s\n' "$1" "${tests:-?}" "$took" "$says" "$([ "$count" -eq 0 ] || echo "; different REPORTS: $count")"
  case $says in
  "all passed" | "ended: the time is over") if [ "$count" -eq 0 ]; then return 0; fi ;;
  esac
  found=1
  failures "$output" | sed 's/^/    /'
  reports "$1" | sed 's/^/   /'
  bad="$bad $output"
}

sanitizer() {
  build --sanitize="$part" --scratch-path ".build/$1" || return 0
  bundle=$PWD/.build/$1/debug/stockbusPackageTests.xctest
  folder=$log/$part
  rm -rf "$folder"
  mkdir -p "$folder"
  # Begin where the last soak ended.
  place=$log/$part.next
  order=$targets
  if [ -s "$place" ]; then
    read -r begin_with <"$place"
    before=
    after=
    for target in $targets; do
      if [ -n "$after" ] || [ "$target" = "$begin_with" ]; then after="$after $target"; else before="$before $target"; fi
    done
    order="$after $before"
  fi
  # shellcheck disable=SC2086
  set -- $order
  end=0
  [ "$minutes" -eq 0 ] || end=$(($(date +%s) + $(share "$remaining")))
  all=$#
  round=0
  bad=
  whole=0
  next=
  while [ -z "$next" ]; do
    total=0
    export STOCKBUS_STRESS=10
    if [ "$round" -eq 0 ]; then
      echo "== $part sanitizer: the suite as it is"
      unset STOCKBUS_FUZZ_COUNT
    else
      export STOCKBUS_FUZZ_COUNT=$((2500 << round))
      echo "== $part sanitizer: STOCKBUS_FUZZ_COUNT=$STOCKBUS_FUZZ_COUNT"
    fi
    whole=0
    for target; do
      left=0
      if [ "$end" -gt 0 ]; then
        left=$((end - $(date +%s)))
        if [ "$left" -le 0 ]; then
          next=$target
          break
        fi
      fi
      run "$target" "$left"
      total=$((total + ${tests:-0}))
      if [ "$is_cut" -eq 1 ]; then
        # A target that had all the time and was not finished would otherwise be repeated for ever.
        next=$target
        if [ "$whole" -eq 0 ]; then next=${2:-$1}; fi
        break
      fi
      whole=$((whole + 1))
    done
    echo "== $part sanitizer: $total tests of $whole of $all targets"
    if [ -z "$next" ]; then round=$((round + 1)); fi
    if [ "$end" -eq 0 ] || [ -n "$bad" ]; then break; fi
  done
  unset STOCKBUS_FUZZ_COUNT STOCKBUS_STRESS
  checked=1
  if [ "$round" -gt 0 ]; then
    did="the whole suite$([ "$round" -eq 1 ] || echo ", $round rounds with growing counts")"
    rm -f "$place"
  else
    did="$whole of $all targets$([ -z "$next" ] || echo ", then the time was over; the next soak begins with $next")"
    if [ -n "$next" ]; then echo "$next" >"$place"; fi
  fi
  if [ -n "$bad" ]; then
    echo "== $part sanitizer: FOUND something; see"
    for output in $bad; do echo "   $output and ${output%.log}.report.*"; done
    say "$part" "FOUND something: see $folder; $did"
  else
    say "$part" "clean: $did"
  fi
}

start=$(date +%s)
built=0
exec 3>&1
# shellcheck disable=SC2086
set -- $parts
remaining=$#
trap 'stopped 130' INT
trap 'stopped 143' TERM
trap 'stopped 129' HUP
for part; do
  spent=$(($(date +%s) - start - built))
  case $part in
  models) models ;;
  stress) stress ;;
  address) sanitizer asan ;;
  thread) sanitizer tsan ;;
  esac
  remaining=$((remaining - 1))
done
summary
[ "$found" -eq 0 ] || exit 1
[ "$checked" -eq 1 ] || exit 77
