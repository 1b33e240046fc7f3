#!/bin/sh
# Compares the program with Documentation/use/openapi.yaml and control.yaml by Schemathesis: api.sh PROGRAM [--examples N] [--seed N]. It goes into .build/api.
set -eu
cd "$(dirname "$0")/.."
program=${1:?usage: api.sh PROGRAM}
shift
if ! command -v python3 >/dev/null 2>&1; then
  echo "SKIPPED: the comparison with the documents needs python3" >&2
  exit 77
fi
python=.build/api/bin/python3
if [ ! -x "$python" ] || ! "$python" -c "import schemathesis" 2>/dev/null; then
  { python3 -m venv .build/api && .build/api/bin/pip install -q -r Tests/System/API/requirements.txt; } || {
    echo "SKIPPED: the comparison with the documents: $(cat Tests/System/API/requirements.txt) could not be installed" >&2
    exit 77
  }
fi
status=0
"$python" Tests/System/API/contract.py "$program" .build/api/bin/schemathesis "$@" || status=1
"$python" Tests/System/API/control.py "$program" .build/api/bin/schemathesis "$@" || status=1
exit $status
