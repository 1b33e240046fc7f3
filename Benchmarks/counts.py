#!/usr/bin/env python3
"""Counts the instructions of the hot paths and holds them to counts.json: counts.py [--update] [--only NAME].

Instructions do not depend on the machine's noise, so this is what every change is held to. They depend on the compiler: with
another one than the file names, or without valgrind, nothing is checked, and that is said.
"""
import argparse
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PROJECT = ROOT.parent
FILE = ROOT / "counts.json"
ROWS = 20_000


def paths():
    """By name: what it is, and the arguments of a short and of a long run. Short paths get more events, for the digit after the point."""
    def plain(name, *arguments, first=ROWS, more=ROWS):
        return [(name, first, *arguments), (name, first + more, *arguments)]

    def replayed(name, form):
        return [("replay", 1, f"{name}-short.{form}"), ("replay", 1, f"{name}-long.{form}")]

    return {
        "ring": ("publish an event by itself, and read it", plain("ring", more=10 * ROWS)),
        "batch": ("publish 64 events together, and read them; each", plain("batch", more=10 * ROWS)),
        "spill": ("publish twice what the ring holds, and read it; an event", plain("spill", more=10 * ROWS)),
        "lossy": ("publish an event by itself, and read it without back-pressure", plain("lossy", more=10 * ROWS)),
        "filter": ("watchlist_filter, an event (4 % pass)", plain("filter", more=10 * ROWS)),
        "where": ("filter, an event, three comparisons", plain("where", more=10 * ROWS)),
        "columns": ("watchlist_filter, an event with eight columns (all pass)", plain("columns", more=10 * ROWS)),
        "derive": ("derive, an event, three columns of arithmetic", plain("derive", more=10 * ROWS)),
        "as_of": ("as_of, a trade or quote of two inputs that alternate", plain("as_of", more=10 * ROWS)),
        "feed_25": ("sorting_feed, an update, 25 symbols, small steps", plain("feed", 25, "small")),
        "feed_1k": ("sorting_feed, an update, 1,000 symbols, small steps", plain("feed", 1000, "small")),
        "feed_100k_random": ("sorting_feed, an update, 100,000 symbols, jumps", plain("feed", 100_000, "random", first=100_000 + ROWS)),
        "bars": ("bars of a minute, a trade, 1,000 symbols", plain("bars", more=10 * ROWS)),
        "replay_csv": ("file_replay, a CSV row", replayed("plain", "csv")),
        "replay_jsonl": ("file_replay, a JSON row", replayed("plain", "jsonl")),
        "replay_mixed": ("file_replay, a JSON row, its keys in changing order", replayed("mixed", "jsonl")),
        "write_csv": ("file_writer, a CSV row", plain("write", "out.csv")),
        "write_jsonl": ("file_writer, a JSON row", plain("write", "out.jsonl")),
        "encode": ("schema, a trade as JSON", plain("encode")),
        "decode": ("schema, a trade from JSON", plain("decode")),
    }


def make_rows(folder):
    """The rows that are replayed: always the same."""
    rng = random.Random(20240701)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    symbols = sorted({"".join(rng.choices(letters, k=rng.randint(2, 5))) for _ in range(500)})
    time, rows = 1719850000123456789, []
    for _ in range(2 * ROWS):
        time += rng.randint(1_000, 400_000)
        rows.append((rng.choice(symbols), f"{rng.uniform(5, 900):.{rng.randint(2, 4)}f}", rng.randint(1, 5000), time))
    orders = [
        '{"symbol":"%(s)s","price":%(p)s,"size":%(z)d,"ts":%(t)d}', '{"ts":%(t)d,"size":%(z)d,"price":%(p)s,"symbol":"%(s)s"}',
        '{"price":%(p)s,"symbol":"%(s)s","ts":%(t)d,"size":%(z)d}',
    ]
    mixed = [rng.choice(orders) % dict(s=s, p=p, z=z, t=t) for s, p, z, t in rows]
    for length, count in (("short", ROWS), ("long", 2 * ROWS)):
        part = rows[:count]
        (folder / f"plain-{length}.csv").write_text("symbol,price,size,ts\n" + "".join(f"{s},{p},{z},{t}\n" for s, p, z, t in part))
        (folder / f"plain-{length}.jsonl").write_text("".join(orders[0] % dict(s=s, p=p, z=z, t=t) + "\n" for s, p, z, t in part))
        (folder / f"mixed-{length}.jsonl").write_text("\n".join(mixed[:count]) + "\n")


def toolchain():
    """What the counts depend on."""
    text = subprocess.run([os.environ.get("SWIFT", "swift"), "--version"], capture_output=True, text=True).stdout
    version = re.search(r"Swift version (\S+)", text)
    return f"Swift {version.group(1) if version else '?'}, {platform.system()} {platform.machine()}"


def skip(reason):
    print(f"SKIPPED: instruction counts were not checked: {reason}")
    sys.exit(0)


def valgrind():
    if shutil.which("valgrind") is None and shutil.which("apt-get"):
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "valgrind"]):
            try:
                subprocess.run([*root, *command], env=environment, capture_output=True)
            except OSError:
                break
    if shutil.which("valgrind") is None:
        skip("there is no valgrind, and it cannot be installed")


def build(folder):
    """The program without its debug information, which valgrind 3.19 cannot read."""
    swift = os.environ.get("SWIFT", "swift")
    subprocess.run([swift, "build", "-c", "release", "--product", "HotPaths"], cwd=ROOT, check=True, stdout=sys.stderr)
    program = folder / "HotPaths"
    strip = shutil.which("strip") or shutil.which("llvm-strip")
    subprocess.run([strip, "-g", "-o", program, ROOT / ".build" / "release" / "HotPaths"], check=True)
    return program


def count(program, arguments):
    """Instructions of one run, and how many events it says went through. In the folder of the rows: no path's length counts."""
    command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null", program, *arguments]
    done = subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, timeout=300, cwd=program.parent,
        env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"})
    collected = re.search(r"Collected : (\d+)", done.stderr)
    answer = next((json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")), None)
    if done.returncode != 0 or collected is None or answer is None:
        sys.exit(f"{' '.join(map(str, arguments))} failed under valgrind: {(done.stdout + done.stderr)[-600:]}")
    if not answer["can_count"]:
        skip("valgrind/callgrind.h was missing when HotPaths was built")
    return int(collected.group(1)), answer["events"]


# Swift's main thread waits in sigsuspend with a constant mask, into which valgrind 3.19 writes.
MASK = """
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int sigsuspend(const sigset_t *mask) { sigset_t copy = *mask; return syscall(SYS_rt_sigsuspend, &copy, 8); }
"""


def start(folder):
    """Millions of instructions of a whole run with one event, from the loader to the end. Of the debug program, which the tests have built: a
    release build of everything would take longer than all other counts."""
    swift = os.environ.get("SWIFT", "swift")
    flags = ["--explicit-target-dependency-import-check", "error"]  # Those of make, or everything would be built again.
    subprocess.run([swift, "build", *flags, "--product", "stockbus"], cwd=PROJECT, check=True, stdout=sys.stderr)
    strip = shutil.which("strip") or shutil.which("llvm-strip")
    subprocess.run([strip, "-g", "-o", folder / "stockbus", PROJECT / ".build" / "debug" / "stockbus"], check=True)
    (folder / "mask.c").write_text(MASK)
    subprocess.run([shutil.which("cc") or "clang", "-shared", "-fPIC", "-o", folder / "mask.so", folder / "mask.c"], check=True)
    (folder / "one.csv").write_text("time,symbol,price,size\n2026-03-02T14:30:00Z,AAPL,100.00,1\n")
    (folder / "one.yaml").write_text("sources: { p: { plugin: file_replay, path: one.csv } }\nsinks: { n: { plugin: null_sink, inputs: [p] } }\n")
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "./stockbus", "run", "one.yaml"],
        capture_output=True, text=True, timeout=300, cwd=folder,
        env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1", "LD_PRELOAD": str(folder / "mask.so")})
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None or "1 event " not in done.stderr:
        sys.exit(f"a run with one event failed under valgrind: {(done.stdout + done.stderr)[-600:]}")
    return int(collected.group(1)) / 1e6


def measure(program, runs):
    (short, events_short), (long, events_long) = (count(program, run) for run in runs)
    events = events_long - events_short
    wanted = ROWS if runs[0][0] == "replay" else runs[1][1] - runs[0][1]
    if events != wanted:
        sys.exit(f"{runs}: {events} events between the two runs, not {wanted}")
    return (long - short) / events


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write what was counted into counts.json")
    parser.add_argument("--only", default="", help="count only paths whose name contains this")
    options = parser.parse_args()
    kept = json.loads(FILE.read_text()) if FILE.exists() else {"tolerance": 0.05, "instructions": {}}
    here = toolchain()
    if not options.update and kept.get("toolchain") != here:
        skip(f"{FILE.name} holds counts of {kept.get('toolchain')}, this is {here}; renew it with counts.py --update")
    valgrind()
    with tempfile.TemporaryDirectory(prefix="stockbus-counts-") as name:
        folder = Path(name)
        program = build(folder)
        make_rows(folder)
        wanted = {n: p for n, p in paths().items() if options.only in n}
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            counted = dict(zip(wanted, pool.map(lambda path: measure(program, path[1]), wanted.values())))
        if options.only in "start":
            wanted["start"] = ("a whole run with one event, debug program, millions", None)
            counted["start"] = start(folder)

    worse = []
    print(f"instructions an event ({here})")
    for name, (what, _) in wanted.items():
        now, before = counted[name], kept["instructions"].get(name)
        change = "" if before is None else f"{(now / before - 1) * 100:+.1f} %"
        # Some paths are so short that a handful of instructions is more than the tolerance.
        slack = max(before * kept["tolerance"], 1.5) if before is not None else 0
        verdict = "new" if before is None else "WORSE" if now > before + slack else "better" if now < before - slack else ""
        if verdict == "WORSE":
            worse.append(name)
        print(f"  {what:54}{now:10.1f}  {'–' if before is None else f'{before:.1f}':>10}  {change:>9}  {verdict}")
    if options.update:
        kept["toolchain"] = here
        kept["instructions"].update({name: round(value, 1) for name, value in counted.items()})
        FILE.write_text(json.dumps(kept, indent=2) + "\n")
        print(f"{FILE.name} renewed")
    elif worse:
        sys.exit(f"more instructions than {FILE.name} allows: {', '.join(worse)}; make it fast again, or say why and renew the file with --update")


if __name__ == "__main__":
    main()
