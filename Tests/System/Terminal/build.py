#!/usr/bin/env python3
"""Scripts/build.sh, with a `swift` that compiles nothing: what it shows on a terminal and elsewhere, and its exit status.

Usage: build.py
"""
import os, pty, subprocess, sys, tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "Scripts", "build.sh")
# A build of 40 objects, one in each second; the clock of the script is a `sleep` that takes no second.
SWIFT = """#!/bin/sh
echo "[1/1] Planning build"
objects=.build/x86_64-unknown-linux-gnu/debug/Room.build
mkdir -p $objects
list=$(i=0; while [ $i -lt 40 ]; do printf '"%s/%s.o",' "$PWD/$objects" $i; i=$((i + 1)); done)
printf '  "C.Room-debug.module":\\n    inputs: ["a.o"]\\n  "C.stockbus-x86_64-unknown-linux-gnu-debug.exe":\\n    inputs: [%s]\\n' "$list" >.build/debug.yaml
i=0
while [ $i -lt 40 ]; do
  echo "[$i/$((i + 3))] Compiling Room $i.swift"
  : >$objects/$i.o
  /bin/sleep 0.05
  i=$((i + 1))
done
echo "Room.swift:1:1: error: something is wrong"
exit 3
"""
SLEEP = """#!/bin/sh
exec /bin/sleep 0.05
"""


def expect(condition, *shown):
    if not condition:
        print(*shown, sep="\n")
        sys.exit("build.sh")


def on_a_terminal(words, environment, folder):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(words, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    text = b""
    while True:
        try:
            text += os.read(ours, 4096)
        except OSError:
            return process.wait(), text.decode()


with tempfile.TemporaryDirectory() as folder:
    for name, text in {"swift": SWIFT, "sleep": SLEEP}.items():
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
        os.chmod(f"{folder}/{name}", 0o755)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "SWIFT": "swift"}
    words = ["sh", SCRIPT, "--product", "stockbus"]

    status, shown = on_a_terminal(words, environment, folder)
    lines = shown.replace("\n", "\r").split("\r")
    expect(status == 3, f"status {status}", shown)
    expect("\033[KRoom.swift:1:1: error: something is wrong" in lines, shown)
    expect(any("of 40" in line and "less than a minute more" in line and "compiling Room" in line for line in lines), shown)
    expect(max(map(len, lines)) < 84, shown)

    # Everything is there: nothing is said of how long it will be.
    status, shown = on_a_terminal(words, environment, folder)
    expect(status == 3 and "more" not in shown, shown)

    # Without a terminal, what swift says and nothing else.
    plain = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    expect(plain.returncode == 3 and "\033" not in plain.stdout and "[39/42] Compiling Room 39.swift\nRoom.swift" in plain.stdout, plain.stdout)
print("build.sh: on a terminal and without one")
