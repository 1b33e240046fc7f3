#!/usr/bin/env python3
"""Measures parts of stockbus beside what could stand in their place: compare.py [--only order|decode|encode|limits] [--seconds N] [--no-count].

Prints Markdown: instructions (callgrind) and processor time of a frame or an update, ratios to ours, and what each does at its limits. About four
minutes once it is built. Times are of one program that lets all do the same work in turn, so their ratios hold on a busy machine too.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
CASES = {
    "order": [f"order {n} {kind}" for kind in ("tick", "places", "jump") for n in (25, 1_000, 12_000)],
    "decode": [f"decode {n} {mask} {read}" for mask in ("plain", "masked") for n in (60, 200, 1_200) for read in (16_384, 65_536)],
    "encode": [f"encode {n} {mask}" for mask in ("plain", "masked") for n in (60, 200, 1_200)],
}
NAMES = {"order": ["tree", "array", "hinted"], "decode": ["ours", "nio", "bare"], "encode": ["ours", "nio", "room"]}
LEGENDS = {
    "order": "symbols and moves: ticks of 0.04 %, a few places, any other price. array: sorted, halving; hinted: it keeps where each symbol was",
    "decode": "bytes of a text, mask, bytes of a read. nio: with its aggregator and a check of the text; bare: without both",
    "encode": "bytes of a text, mask. room: texts with room for the head in front",
}


def run(command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed: {(done.stdout + done.stderr)[-600:]}")
    return done


def build(folder):
    """The program without its debug information, which not every valgrind can read."""
    subprocess.run([os.environ.get("SWIFT", "swift"), "build", "-c", "release"], cwd=ROOT, check=True, stdout=sys.stderr)
    program = folder / "Alternatives"
    strip = shutil.which("strip") or shutil.which("llvm-strip")
    run([strip, "-g", "-o", program, ROOT / ".build" / "release" / "Alternatives"])
    return program


def count(program, case, names):
    """Instructions a frame or an update, by contestant; all have to come to the same results."""
    counted, digests = {}, set()
    for name in names:
        done = run(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null", program, "count", 2, name, *case.split()],
            env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"})
        answer = json.loads(done.stdout)
        if not answer["can_count"]:
            return {}
        digests.add(answer["digest"])
        counted[name] = int(re.search(r"Collected : (\d+)", done.stderr).group(1)) / answer["units"]
    if len(digests) != 1:
        sys.exit(f"{case}: the contestants come to different results")
    return counted


def table(program, group, options):
    names = NAMES[group]
    others = names[1:]
    ratios = [f"{n} : {names[0]}" for n in others]
    heads = [f"{group}: {LEGENDS[group]}", *(f"instructions: {n}" for n in names), *ratios, *(f"ns: {n}" for n in names), *ratios]
    print("\n| " + " | ".join(heads) + " |\n|---" + "|---:" * (len(heads) - 1) + "|")
    for case in CASES[group]:
        counted = {} if options.no_count else count(program, case, names)
        timed = json.loads(run([program, "time", options.seconds, *case.split()]).stdout)
        cells = [f"{counted[n]:,.0f}" if counted else "–" for n in names]
        cells += [f"{counted[n] / counted[names[0]]:.2f}" if counted else "–" for n in others]
        cells += [f"{timed[n + '_ns']:,.1f}" for n in names]
        cells += [f"{timed[n + '_ratio']:.2f} ({timed[n + '_low']:.2f}–{timed[n + '_high']:.2f})" for n in others]
        print(f"| {case.removeprefix(group).strip()} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="order, decode, encode or limits")
    parser.add_argument("--seconds", type=float, default=2, help="how long each case is timed")
    parser.add_argument("--no-count", action="store_true", help="no instruction counts")
    options = parser.parse_args()
    options.no_count = options.no_count or shutil.which("valgrind") is None
    with tempfile.TemporaryDirectory(prefix="stockbus-alternatives-") as name:
        program = build(Path(name))
        for group in CASES:
            if options.only in ("", group):
                table(program, group, options)
        if options.only in ("", "limits"):
            print("\n" + run([program, "limits"]).stdout, end="")


if __name__ == "__main__":
    main()
