#!/bin/sh
# Checks the models of the wake-up protocol exhaustively with Spin (apt-get install spin gcc), and that every mutant fails.
# The largest search takes 2.2 GB; all together some nine minutes. `check.sh --large` adds one of two minutes and 2.5 GB.
# Status: 0 all as expected, 1 not, 2 a model cannot be built, 77 there is no Spin.
set -u
here=$(cd "$(dirname "$0")" && pwd)
for tool in spin gcc; do
  command -v "$tool" >/dev/null || {
    echo "SKIPPED: the models need spin and gcc, and there is no $tool here"
    exit 77
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
failed=0

# check EXPECTED KIND MODEL [-DMUTANT ...]: KIND is `safety` (assertions, invalid end states) or `endless` (any infinite execution).
check() {
  expected=$1 kind=$2 model=$3
  shift 3
  rm -rf "$work"/* && cp "$here/$model" "$work" && cd "$work" || exit 2
  if ! spin -a "$@" "$model" >spin.txt 2>&1; then
    cat spin.txt
    exit 2
  fi
  if [ "$kind" = safety ]; then flags=-DSAFETY run=; else flags=-DNP run=-l; fi
  gcc -O2 -w "$flags" -DCOLLAPSE -DVECTORSZ=512 -o pan pan.c || exit 2
  # -m: the search's depth; a search that was cut short says so, and is no proof.
  begin=$(date +%s)
  ./pan -m1000000 $run >out.txt 2>&1
  states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' out.txt)
  depth=$(sed -n 's/.*depth reached \([0-9]*\).*/\1/p' out.txt)
  if grep -q 'errors: 0' out.txt; then got=pass; else got=fail; fi
  if ! grep -q 'errors:' out.txt || grep -q -e 'out of memory' -e 'max search depth too small' -e 'Search not completed' out.txt; then
    # A mutant's search ends at its first error, which is all that is asked of it.
    if [ "$got" != fail ] || ! grep -q '^pan:1:' out.txt; then got=incomplete; fi
  fi
  verdict=ok
  if [ "$got" != "$expected" ]; then
    verdict=WRONG
    failed=1
  fi
  printf '%-6s %-10s %-7s %-12s %-44s %12s states, depth %s, %s s\n' "$verdict" "$got" "$kind" "$model" "$*" "${states:-?}" \
    "${depth:-?}" "$(($(date +%s) - begin))"
}

echo 'The protocol: must pass.'
check pass safety ring.pml
check pass safety ring.pml -DWEAK
check pass safety ring.pml -DSHARED
check pass safety ring.pml -DC=1
check pass endless ring.pml -DC=1 -DN=2
check pass safety ring.pml -DWATCH -DC=1 -DN=1
check pass safety ring.pml -DWATCH -DC=1 -DN=1 -DWEAK
check pass safety ring.pml -DWATCH -DSOLO -DC=1
check pass safety ring.pml -DWATCH -DSOLO -DC=1 -DWEAK
check pass safety relay.pml
check pass safety relay.pml -DN0=2 -DN1=0
check pass endless relay.pml -DN0=1 -DN1=0
check pass safety relay.pml -DWATCH -DSOLO -DN0=2 -DN1=0
check pass endless relay.pml -DWATCH -DSOLO -DN0=1 -DN1=0
check pass safety mailbox.pml
check pass endless mailbox.pml
check pass safety swap.pml -DCHANGES=2
check pass safety swap.pml -DCHANGES=2 -DREATTACH
check pass safety swap.pml -DCHANGES=2 -DREATTACH -DWEAK
check pass safety swap.pml -DCHANGES=2 -DREATTACH -DC=2 -DN=3
check pass safety swap.pml -DCHANGES=2 -DREATTACH -DCUT
check pass safety swap.pml -DREATTACH -DWATCH
check pass endless swap.pml -DCHANGES=2 -DREATTACH
check pass safety writer.pml
check pass safety writer.pml -DC=2
check pass safety writer.pml -DCHANGES=2 -DFAILURES=0
check pass safety writer.pml -DWATCH -DN=1
check pass endless writer.pml -DN=1
check pass endless writer.pml -DWATCH -DN=1 -DFAILURES=0
if [ "${1:-}" = --large ]; then check pass safety relay.pml -DN0=3 -DN1=0; fi

echo 'Mutants: must fail.'
check fail safety ring.pml -DNO_HEAVY_OF_READER
check fail safety ring.pml -DNO_HEAVY_OF_PRODUCER
check fail safety ring.pml -DWATCH -DN=2 -DNO_HEAVY_OF_WATCH
check fail safety ring.pml -DWATCH -DN=2 -DNOTICE_ENDS_LATE
check fail safety ring.pml -DLOOK_FIRST
check fail safety ring.pml -DNO_SECOND_LOOK_OF_READER
check fail safety ring.pml -DNO_SECOND_LOOK_OF_PRODUCER
check fail safety ring.pml -DNO_PERMIT
check fail safety ring.pml -DSHARED -DRETRACT_SHARED
check fail safety ring.pml -DDETACH_WITHOUT_FEEDING
check fail safety ring.pml -DCLOSE_WITHOUT_WAKING
check fail safety ring.pml -DATTACH_WITHOUT_LOCK
check fail endless ring.pml -DC=1 -DN=2 -DCANCELLATION_WAKES
check fail safety ring.pml -DWAKES_BEFORE_TELLING
check fail safety relay.pml -DWAKES_BEFORE_TELLING
check fail safety relay.pml -DNO_HEAVY
check fail safety relay.pml -DNO_PERMIT
check fail safety relay.pml -DLOOKS_AT_ONE
check fail safety mailbox.pml -DNO_HEAVY
check fail safety mailbox.pml -DLOOK_FIRST
check fail safety mailbox.pml -DNO_OFFER_AT_ATTACHING
check fail safety swap.pml -DWAKES_BEFORE_TELLING
check fail safety swap.pml -DLETS_GO_WITHOUT_WAKING
check fail safety swap.pml -DBEGINS_AT_HEAD
check fail safety swap.pml -DDETACHES_WHEN_LEAVING
check fail safety swap.pml -DCHANGES=2 -DFINISHED_WHILE_HELD
check fail safety swap.pml -DCHANGES=2 -DHOLD_LOOKED_AT_LAST
check fail endless swap.pml -DCHANGES=2 -DASKS_WITHOUT_LOCK
check fail safety swap.pml -DREATTACH -DREATTACHES_WITHOUT_FEEDING
check fail safety swap.pml -DREATTACH -DREATTACHES_IN_TWO_SECTIONS
check fail safety swap.pml -DREATTACH -DNOT_IN_THE_LIMIT
check fail safety swap.pml -DREATTACH -DNO_OFFER_AFTER_REATTACHING
check fail safety writer.pml -DNO_CLAIM
check fail safety writer.pml -DGIVES_BACK_EARLY
check fail safety writer.pml -DGIVES_BACK_RELAXED
check fail safety writer.pml -DBEGINS_AT_WRITTEN
check fail safety writer.pml -DCANCELLED_IN_A_BATCH
check fail endless writer.pml -DWATCH -DN=1 -DFAILURES=0 -DSTAYS_ANNOUNCED

if [ "$failed" = 0 ]; then echo 'All as expected.'; else echo 'NOT as expected.'; fi
exit "$failed"
