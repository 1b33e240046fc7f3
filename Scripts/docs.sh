#!/bin/sh
# Makes the documentation of a built program, for a browser: docs.sh [PROGRAM] [FOLDER]; .build/debug/stockbus and .build/docs unless told.
# Pages: Documentation/extend/StockbusPlugin.docc, Documentation, the declarations of PROGRAM, and what is public in the modules beside it.
set -eu
cd "$(dirname "$0")/.."
program=${1:-.build/debug/stockbus}
out=${2:-.build/docs}

docc=${DOCC:-$(command -v docc || true)}
if [ -z "$docc" ] && command -v xcrun >/dev/null 2>&1; then docc=$(xcrun --find docc 2>/dev/null || true); fi
[ -n "$docc" ] || docc=$(dirname "$(command -v "${SWIFT:-swift}")")/docc
for tool in "$docc" python3; do
  if ! command -v "$tool" >/dev/null 2>&1; then
    echo "SKIPPED: the documentation needs $(basename "$tool"); docc comes with the Swift toolchain" >&2
    exit 77
  fi
done

mkdir -p "$out/symbols"
python3 Scripts/docs-check.py "$program" "$out/StockbusPlugin.docc"
python3 Scripts/docs-check.py "$program" --symbols "$out/symbols"
# Parameters are described where their names do not say it all.
"$docc" convert "$out/StockbusPlugin.docc" --additional-symbol-graph-dir "$out/symbols" --output-path "$out/site" --warnings-as-errors \
  --fallback-display-name stockbus --fallback-bundle-identifier stockbus --disable-parameters-and-returns-validation
echo "documentation in $out/site; look at it:"
echo "  python3 -m http.server -d $out/site 8000    # http://127.0.0.1:8000/documentation/stockbus"
