#!/bin/sh
# Installs the program that was built in FOLDER, with all that belongs to it: install.sh FOLDER. PREFIX is where it will be, DESTDIR is put before
# that for a package. Its symbols are kept in PREFIX/bin/.debug, where debuggers and the backtraces of a crash look for them.
#
# With RUNTIME=yes it runs on machines without Swift: the libraries of Swift that it needs go to PREFIX/lib/stockbus, and it looks for them there
# and nowhere else. Then the folder may be moved as a whole, and there are no symbols.
set -eu

built=${1:?usage: install.sh FOLDER}
PREFIX=${PREFIX:-/usr/local}
root=${DESTDIR:-}$PREFIX
here=$(dirname "$0")/..
program=$built/stockbus
# What a loaded plugin is built against, and what that imports.
contract="LibC MarketData EventBus StockbusOptions StockbusPlugin Logging"

fail() {
  printf 'install: %s\n' "$*" >&2
  exit 1
}

folder() { install -d -m 755 "$root/$1"; }

# put FOLDER FILE…
put() {
  folder "$1"
  to=$1
  shift
  install -m 644 "$@" "$root/$to"
}

# A machine without objcopy gets what it is given, with its symbols.
objcopy=
if [ "$(uname -s)" = Linux ]; then
  for each in objcopy llvm-objcopy; do
    if command -v "$each" >/dev/null 2>&1; then objcopy=$each && break; fi
  done
fi

# The program is installed after its modules: modules newer than the program are not its own.
modules=lib/stockbus/Modules
for module in $contract; do put $modules "$built/Modules/$module.swiftmodule"; done
put $modules/CMemoryBarrier "$here"/Sources/CLibraries/CMemoryBarrier/include/*.h
printf 'module CMemoryBarrier {\n  umbrella "."\n  export *\n}\n' >"$root/$modules/CMemoryBarrier/module.modulemap"
chmod 644 "$root/$modules/CMemoryBarrier/module.modulemap"

if [ -d .build/man ]; then put share/man/man1 .build/man/*.1; fi

# completion SHELL FILE
completion() {
  folder "$(dirname "$2")"
  # Shells read it, and do not run it.
  "$program" --generate-completion-script "$1" | sed '1{/^#!/d;}' >"$root/$2"
  chmod 644 "$root/$2"
}
completion bash share/bash-completion/completions/stockbus
completion zsh "${ZSH_COMPLETIONS:-share/zsh/site-functions}/_stockbus"
completion fish share/fish/vendor_completions.d/stockbus.fish

if [ "$(uname -s)" = Linux ]; then
  folder lib/systemd/system
  sed "s|/usr/local/bin/|$PREFIX/bin/|" "$here/Examples/systemd/stockbus@.service" >"$root/lib/systemd/system/stockbus@.service"
  chmod 644 "$root/lib/systemd/system/stockbus@.service"
  folder lib/sysusers.d
  install -m 644 "$here/Examples/systemd/stockbus.sysusers" "$root/lib/sysusers.d/stockbus.conf"
fi

folder bin
# A program that runs is replaced and not written to.
if [ "${RUNTIME:-}" = yes ]; then
  [ -n "$objcopy" ] || fail "objcopy is missing (apt-get install binutils)"
  command -v chrpath >/dev/null 2>&1 || fail "chrpath is missing (apt-get install chrpath)"
  ldd "$program" | awk '$3 ~ "/swift/linux/" { print $3 }' | while read -r library; do
    "$objcopy" --strip-unneeded "$library" "$root/lib/stockbus/$(basename "$library")"
    chmod 644 "$root/lib/stockbus/$(basename "$library")"
  done
  "$objcopy" --strip-unneeded "$program" "$root/bin/stockbus.new"
  chrpath -r '$ORIGIN/../lib/stockbus' "$root/bin/stockbus.new" >/dev/null
  if ldd "$root/bin/stockbus.new" | grep 'not found' >&2; then fail "libraries that the program needs were not found"; fi
elif [ -n "$objcopy" ]; then
  folder bin/.debug
  "$objcopy" --only-keep-debug "$program" "$root/bin/.debug/stockbus.debug"
  chmod 644 "$root/bin/.debug/stockbus.debug"
  "$objcopy" --strip-unneeded --add-gnu-debuglink="$root/bin/.debug/stockbus.debug" "$program" "$root/bin/stockbus.new"
else
  install "$program" "$root/bin/stockbus.new"
fi
chmod 755 "$root/bin/stockbus.new"
mv "$root/bin/stockbus.new" "$root/bin/stockbus"
