#!/bin/sh
# swift build with these arguments. On a terminal one line says how far it is, for how long it has been at it, and, where much is to be compiled,
# how long it will take: there may be nothing else to see for minutes. SwiftPM itself never writes to the terminal: it would compile everything once
# more, with colours, after a build without one.
set -u

swift=${SWIFT:-swift}
if [ ! -t 1 ]; then exec "$swift" build "$@"; fi

if [ ! -d .build/checkouts ]; then echo "stockbus: the first build fetches and compiles everything, the libraries too"; fi

# What is linked in the end: SwiftPM's count of steps grows while it builds, but its manifest for a build lists the objects.
kind=debug product=
case " $* " in *" -c release "*) kind=release ;; esac
case " $* " in
*" --product "*) product="$(echo " $* " | sed 's/.* --product \([^ ]*\) .*/\1/')-[^\"]*exe" ;;
*" --build-tests "*) product='[^"]*PackageTests-[^"]*test' ;;
esac
total="awk '/^  \"C\\.$product\":/ { found = 1 } found && /^    inputs:/ { print gsub(/\\.o\"/, \"\"); exit }' .build/$kind.yaml 2>/dev/null"
# The link .build/debug comes only at the end of a first build.
count="find .build/*/$kind/ -name '*.o' 2>/dev/null | wc -l"
# mawk waits for 4 KiB of input unless it is asked not to.
interactive=
case $(awk -W version 2>&1 </dev/null) in *mawk*) interactive="-W interactive" ;; esac

{
  # The clock of the line below.
  (while sleep 1 >/dev/null && kill -0 $$ 2>/dev/null; do echo "tick"; done) &
  ticks=$!
  "$swift" build "$@" 2>&1
  status=$?
  kill "$ticks" 2>/dev/null
  echo "status $status"
} | TOTAL=$total COUNT=$count awk $interactive '
  function show(   width, head) {
    head = (step == "" ? "" : step "  ") time() (left ? ", " left : "")
    width = 78 - length(head)
    printf "\r\033[K%s  %s", head, substr(what, 1, width)
    shown = 1
    fflush()
  }
  function time() { return sprintf("%d:%02d", seconds / 60, seconds % 60) }
  function clear() { if (shown) printf "\r\033[K"; shown = 0 }
  # How long it will be, from the objects of the last half minute, as the speed changes with what is compiled.
  function measure(   before, rest) {
    if (total == "") { ENVIRON["TOTAL"] | getline total; close(ENVIRON["TOTAL"]) }
    if (total < 1) return
    ENVIRON["COUNT"] | getline done[seconds]; close(ENVIRON["COUNT"])
    if (first == "") first = seconds
    before = seconds - 30 > first ? seconds - 30 : first
    rest = total - done[seconds]
    if (rest < 1) { left = ""; total = -1; return }
    step = done[seconds] " of " total
    if (seconds - first >= 10 && done[seconds] > done[before]) {
      rest = rest * (seconds - before) / (done[seconds] - done[before]) / 60
      left = rest < 1 ? "less than a minute more" : sprintf("about %d min more", rest + 0.5)
    }
  }
  $0 == "tick" { seconds++; if (seconds % 5 == 0) measure(); show(); next }
  /^status [0-9]+$/ { status = $2; next }
  /^\[[0-9]+\/[0-9]+\] / {
    if (total < 1) { split(substr($1, 2, length($1) - 2), n, "/"); step = n[1] " of " n[2] }
    if ($2 == "Compiling" || $2 == "Linking") what = tolower($2) " " $3
    show(); next
  }
  /^(Fetching|Fetched|Updating|Updated|Creating|Working|Computing|Computed|Building|Planning)/ { what = $0; show(); next }
  { clear(); print; fflush() }
  END { clear(); if (status == 0 && seconds > 9) printf "built in %s\n", time(); exit status }
'
