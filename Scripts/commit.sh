#!/bin/sh
# Writes what `stockbus --version` says of the commit into a header that Sources/CCommit includes; where nothing has changed it is left alone,
# and nothing is built again. STOCKBUS_COMMIT overrules what git says, as for a build from an archive. Without either the commit is empty.
set -eu
cd "$(dirname "$0")/.."

commit=${STOCKBUS_COMMIT:-}
# Not that of a clone around this folder.
if [ -z "$commit" ] && [ -e .git ]; then
  commit=$(git describe --always --dirty=', modified' --exclude='*' --abbrev=7 2>/dev/null || true)
fi
commit=$(printf %s "$commit" | tr -cd 'A-Za-z0-9 ,.+-')

header=.build/commit/stockbus_commit.h
line="#define STOCKBUS_COMMIT \"$commit\""
[ "$(cat "$header" 2>/dev/null)" != "$line" ] || exit 0
mkdir -p "${header%/*}"
echo "$line" >"$header"
