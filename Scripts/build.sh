#!/bin/sh
# swift build with these arguments. On a terminal one line says how far it is and for how long it has been at it, as there may be nothing else to
# see for minutes. SwiftPM itself never writes to the terminal: it would compile everything once more, with colours, after a build without one.
set -u

swift=${SWIFT:-swift}
if [ ! -t 1 ]; then exec "$swift" build "$@"; fi

if [ ! -d .build/checkouts ]; then echo "stockbus: the first build fetches and compiles everything, the libraries too"; fi

{
  # The clock of the line below.
  (while sleep 1 >/dev/null && kill -0 $$ 2>/dev/null; do echo "tick"; done) &
  ticks=$!
  "$swift" build "$@" 2>&1
  status=$?
  kill "$ticks" 2>/dev/null
  echo "status $status"
} | awk '
  function show(   width) {
    width = 78 - length(step) - length(time())
    printf "\r\033[K%s%s  %s", step == "" ? "" : step "  ", time(), substr(what, 1, width)
    shown = 1
    fflush()
  }
  function time() { return sprintf("%d:%02d", seconds / 60, seconds % 60) }
  function clear() { if (shown) printf "\r\033[K"; shown = 0 }
  $0 == "tick" { seconds++; show(); next }
  /^status [0-9]+$/ { status = $2; next }
  /^\[[0-9]+\/[0-9]+\] / {
    split(substr($1, 2, length($1) - 2), n, "/")
    step = n[1] " of " n[2]
    if ($2 == "Compiling" || $2 == "Linking") what = tolower($2) " " $3
    show(); next
  }
  /^(Fetching|Fetched|Updating|Updated|Creating|Working|Computing|Computed|Building|Planning)/ { what = $0; show(); next }
  { clear(); print; fflush() }
  END { clear(); if (status == 0 && seconds > 9) printf "built in %s\n", time(); exit status }
'
