#!/bin/sh
# Writes the commit for `stockbus --version` to a header that Sources/CLibraries/CCommit includes. If the commit has not changed, the file is left
# alone, so that nothing is rebuilt. STOCKBUS_COMMIT overrides git, as for a build from an archive. Without either the commit is empty.
set -eu
cd "$(dirname "$0")/.."

commit=${STOCKBUS_COMMIT:-}
# Only this repository's commit, not that of a repository around this folder.
if [ -z "$commit" ] && [ -e .git ]; then
  commit=$(git describe --always --dirty=', modified' --exclude='*' --abbrev=7 2>/dev/null || true)
fi
commit=$(printf %s "$commit" | tr -cd 'A-Za-z0-9 ,.+-')

header=.build/commit/stockbus_commit.h
line="#define STOCKBUS_COMMIT \"$commit\""
[ "$(cat "$header" 2>/dev/null)" != "$line" ] || exit 0
mkdir -p "${header%/*}"
echo "$line" >"$header"
