#!/bin/sh
# Installs a program in a folder without its symbols: install.sh PROGRAM FOLDER. They are kept beside it, where debuggers and the backtraces of
# a crash look for them: in FOLDER/.debug. A machine without objcopy gets the program as it is.
set -eu
program=$1
folder=$2
name=$(basename "$program")

objcopy=
for each in objcopy llvm-objcopy; do
  if command -v "$each" >/dev/null 2>&1; then objcopy=$each && break; fi
done
# A program that runs is replaced and not written to.
if [ -z "$objcopy" ] || [ "$(uname -s)" != Linux ]; then
  install -m 755 "$program" "$folder/$name"
  exit
fi
install -d "$folder/.debug"
"$objcopy" --only-keep-debug "$program" "$folder/.debug/$name.debug"
chmod 644 "$folder/.debug/$name.debug"
"$objcopy" --strip-unneeded --add-gnu-debuglink="$folder/.debug/$name.debug" "$program" "$folder/$name.new"
chmod 755 "$folder/$name.new"
mv "$folder/$name.new" "$folder/$name"
