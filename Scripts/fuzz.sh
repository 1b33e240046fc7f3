#!/bin/sh
# Fuzzes the code that reads bytes from outside, guided by coverage (libFuzzer): fuzz.sh [TARGET|all] [SECONDS] [FILE…]
# Without a target it lists the targets. RUNS limits a target to that many inputs; with `all` these are the same each time in a fresh clone.
# With files it runs only these, such as an input that fuzzing has found. SANITIZE=address uses the address sanitizer. CONFIGURATION=debug is
# built in half the time, and tries fewer inputs a second. The corpus is kept in Fuzzing/.build/corpus, findings in Fuzzing/.build/found.
set -eu
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
target=${1:-}
seconds=${2:-60}
configuration=${CONFIGURATION:-release}
[ $# -gt 2 ] && shift 2 || set --

# libFuzzer as a library, which is part of the toolchain for Linux.
clang=$(command -v "$(dirname "$(command -v "$swift")")/clang" || command -v clang || true)
library=$("$clang" -print-resource-dir 2>/dev/null || true)/lib/linux/libclang_rt.fuzzer_no_main-$(uname -m).a
if [ ! -f "$library" ]; then
  echo "SKIPPED: libFuzzer is not a part of this toolchain (looked for $library)" >&2
  exit 77
fi

build="$PWD/Fuzzing/.build"
scratch=$build
options=
if [ "${SANITIZE:-}" = address ]; then
  scratch=$build/address
  options=--sanitize=address
fi
# shellcheck disable=SC2086
"$swift" build --package-path Fuzzing --scratch-path "$scratch" -c "$configuration" --disable-index-store $options -Xlinker "$library" -Xlinker -lstdc++ --product Fuzz
fuzz=$scratch/$configuration/Fuzz
# Deterministic hashing, so that sets and dictionaries take the same paths in every process; libFuzzer handles traps; leaks are the
# runtime's own.
export SWIFT_DETERMINISTIC_HASHING=1 SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0

attack() {
  name=$1
  shift
  mkdir -p "$build/corpus/$name" "$build/seeds/$name" "$build/found" "$build/empty"
  "$fuzz" --seeds "$name" "$build/seeds/$name"
  "$fuzz" --words "$name" >"$build/seeds/$name.dict"
  words=
  [ -s "$build/seeds/$name.dict" ] && words=-dict=$build/seeds/$name.dict
  seeds=$PWD/Fuzzing/Seeds/$name
  [ -d "$seeds" ] || seeds=
  # In an empty folder, so that a path in an input leads to no file.
  # shellcheck disable=SC2086,SC2046
  (cd "$build/empty" && exec "$fuzz" "$name" $("$fuzz" --limits "$name") $words -timeout=20 -rss_limit_mb=4096 -error_exitcode=1 \
    -artifact_prefix="$build/found/$name-" -print_final_stats=1 -verbosity="${VERBOSITY:-1}" "$@" "$build/corpus/$name" "$build/seeds/$name" $seeds)
}

case $target in
'') "$fuzz" ;;
all) for name in $("$fuzz" | awk '{ print $1 }'); do echo "== $name"; attack "$name" -seed=1 ${RUNS:+-runs=$RUNS} -max_total_time="$seconds"; done ;;
*)
  if [ $# -gt 0 ]; then
    SWIFT_BACKTRACE=enable=yes exec "$fuzz" "$target" -timeout=20 "$@"
  fi
  # shellcheck disable=SC2086
  attack "$target" ${RUNS:+-runs=$RUNS} -max_total_time="$seconds"
  ;;
esac
