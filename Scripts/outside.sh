#!/bin/sh
# Builds, tests and runs Examples/plugins/moving-average: a package as somebody else writes it, who has only products and what is public.
set -eu
cd "$(dirname "$0")/../Examples/plugins/moving-average"
swift=${SWIFT:-swift}

fail() {
  printf 'outside: %s\n' "$*" >&2
  exit 1
}

"$swift" build --explicit-target-dependency-import-check error --product averages
for module in NIOCore StockbusTLS StockbusSQLite StockbusHistory StockbusCrypto; do
  # SwiftPM makes a folder for each module that it knows, and objects for those that it builds.
  [ -z "$(find ".build/debug/$module.build/" -name '*.o' 2>/dev/null | head -n 1)" ] || fail "the program without network and database has built $module"
done
"$swift" test --explicit-target-dependency-import-check error

# The program by its own name, with its own plugin.
program=.build/debug/averages
[ "$($program --version | cut -c 1-23)" = "averages 1.0 (stockbus " ] || fail "--version says $($program --version)"
$program --help | grep -q "USAGE: averages <subcommand>" || fail "the help does not say the program's name"
$program describe moving_average | grep -q "Emits  average" || fail "describe does not know the plugin"
$program validate plugins.yaml
crossings=$($program run --quiet --log-level error plugins.yaml)
expected='{"symbol":"ACME","short":12,"long":12.5,"signal":"fall","time":"2024-01-02T14:30:06Z"}
{"symbol":"ACME","short":13,"long":12.5,"signal":"rise","time":"2024-01-02T14:30:10Z"}'
[ "$crossings" = "$expected" ] || fail "the crossings are
$crossings"
echo "outside: the package builds, passes its tests and runs"

# The same sources as a library that stockbus loads, in the process of the run and in one of its own: the same bytes.
package=$PWD
stockbus=$package/../../../.build/debug/stockbus
"$swift" build --package-path ../../.. --product stockbus
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/moving_average"
cp -R Sources/MovingAverage "$folder/moving_average/Sources"
cat >"$folder/moving_average/plugin.yaml" <<END
name: moving_average
kind: processor
home: loaded
doc: Averages the last prices of each symbol.
takes: [trade]
emits: average
END
"$stockbus" plugin build "$folder/moving_average"
"$stockbus" plugin check "$folder/moving_average"
"$stockbus" plugin install "$folder/moving_average" --to "$folder/plugins"
for isolation in '' 'isolation: process, '; do
  {
    echo "plugin_path: [$folder/plugins]"
    sed -e "s|path: data|path: $package/data|" -e "s|plugin: moving_average, |&$isolation|" plugins.yaml
  } >"$folder/plugins.yaml"
  crossings=$("$stockbus" run --quiet --log-level error "$folder/plugins.yaml")
  [ "$crossings" = "$expected" ] || fail "${isolation:-in the process of the run, }the loaded library's crossings are
$crossings"
done
echo "outside: loaded, and in a process of its own, it gives the same bytes"
