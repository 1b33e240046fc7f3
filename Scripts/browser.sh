#!/bin/sh
# Tries the dashboard's page in a real browser: browser.sh [PART…]; parts are units, journeys, access, pictures, program, and figures (only by name).
# "program" is what people do with the built program, STOCKBUS or .build/debug/stockbus; the others have a stand-in for it. "setup" only
# fetches what the parts need.
# Playwright and what else the tests need go into .build/browser; Chromium comes from the system's packages.
set -eu
cd "$(dirname "$0")/.."

if ! command -v chromium >/dev/null 2>&1 && ! command -v google-chrome >/dev/null 2>&1 && [ -z "${CHROMIUM:-}" ]; then
  if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" -eq 0 ]; then
    echo "installing chromium"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-liberation >/dev/null
  else
    echo "SKIPPED: the tests in a browser: there is no chromium; as root: apt-get install chromium" >&2
    exit 77
  fi
fi
python=.build/browser/bin/python3
if [ ! -x "$python" ] || ! "$python" -c "import playwright, aiohttp, axe_playwright_python, PIL" 2>/dev/null; then
  python3 -m venv .build/browser && .build/browser/bin/pip install -q -r Tests/System/Browser/requirements.txt || {
    echo "SKIPPED: the tests in a browser: $(cat Tests/System/Browser/requirements.txt | tr '\n' ' ')could not be installed" >&2
    exit 77
  }
fi

[ "$*" != setup ] || exit 0
python3 Tests/System/Browser/files.py
for part in ${*:-units journeys access pictures program}; do
  echo "$part:"
  if [ "$part" = program ]; then
    "$python" Tests/System/Browser/program.py "${STOCKBUS:-.build/debug/stockbus}" || [ $? -eq 77 ]
  else
    "$python" "Tests/System/Browser/$part.py"
  fi
done
