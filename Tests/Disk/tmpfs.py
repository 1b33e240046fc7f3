#!/usr/bin/env python3
"""What a small disk holds and what is counted as lost is what was delivered: every sink that writes files, on a tmpfs of every size.

    python3 Tests/Disk/tmpfs.py [PROGRAM] [--least KiB] [--most KiB] [--step KiB]

Mounting takes a namespace of one's own (unshare) or root; where neither is given, it says so and is done.
"""
import argparse
import ctypes
import os
import re
import subprocess
import sys
import tempfile

SINKS = {
    "csv": "{ plugin: file_writer, inputs: [ticks], path: disk/log, format: csv, patience: 0s, append: false }",
    "jsonl": "{ plugin: file_writer, inputs: [ticks], path: disk/log, patience: 0s, flush: 1ms }",
    "rotating": "{ plugin: file_writer, inputs: [ticks], path: disk/log, patience: 0s, rotate: 10KiB, keep: 10000 }",
    "recorder": "{ plugin: recorder, inputs: [ticks], path: disk/log, patience: 0s, sync: true }",
    "flashes": "{ plugin: flash_logger, inputs: [ticks], path: disk/log, format: jsonl, patience: 0s }",
    "channel": "{ plugin: notification_dispatcher, inputs: [ticks], queue: 100000, deadline: 1s, channels: [{ file: { path: disk/log, format: jsonl } }],"
    " rules: [" + ", ".join(f"{{ name: r{i}, above: 1, initial: true }}" for i in range(150)) + "] }",
}
# Once their records are larger than the largest disk, more events only take time.
COUNTS = {"channel": 5}


def may_mount():
    """True in a mount namespace of our own."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0 or libc.unshare(0x00020000) != 0:
        return False
    return libc.mount(b"none", b"/", None, 0x44000, None) == 0


def number(text, name):
    found = re.search(rf"\b{name} ([\d,]+)", text)
    return int(found.group(1).replace(",", "")) if found else 0


def lines(folder):
    """Whole lines without the head of a CSV file, and whether there is anything else."""
    found, torn = 0, False
    for name in os.listdir(folder):
        data = open(f"{folder}/{name}", "rb").read()
        torn |= bool(data) and not data.endswith(b"\n")
        parts = data.split(b"\n")[:-1]
        found += sum(not part.startswith(b"symbol,") for part in parts)
        torn |= any(part.startswith(b"{") and not part.endswith(b"}") for part in parts)
    return found, torn


def check(program, kind, size, folder):
    os.makedirs(f"{folder}/disk", exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", f"{folder}/disk"], check=True)
    try:
        with open(f"{folder}/plugins.yaml", "w") as file:
            file.write(
                f"sources:\n  ticks: {{ plugin: generator, symbols: 5, rate: max, count: {COUNTS.get(kind, 4000)} }}\n"
                f"sinks:\n  out: {SINKS[kind]}\n")
        run = subprocess.run([program, "run"], cwd=folder, capture_output=True, text=True, timeout=120)
        written, torn = lines(f"{folder}/disk")
    finally:
        subprocess.run(["umount", f"{folder}/disk"], check=True)
    lost = number(run.stderr, "LOST") + number(run.stderr, "file failed")
    delivered = number(run.stderr, "alerts" if kind == "channel" else "records")
    if written + lost != delivered or torn or run.returncode not in (0, 1):
        print(run.stderr)
        sys.exit(f"{kind} on {size} KiB: {delivered} delivered, {lost} lost, {written} on the disk, torn: {torn}")
    return delivered, lost, written


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default=".build/debug/stockbus")
    parser.add_argument("--least", type=int, default=4)
    parser.add_argument("--most", type=int, default=256)
    parser.add_argument("--step", type=int, default=4)
    parser.add_argument("--only", choices=SINKS)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    if not may_mount():
        print("skipped: only root may mount a small disk")
        return
    with tempfile.TemporaryDirectory() as folder:
        for kind in [arguments.only] if arguments.only else SINKS:
            total, full = [0, 0, 0], 0
            for size in range(arguments.least, arguments.most + 1, arguments.step):
                result = check(program, kind, size, folder)
                total = [a + b for a, b in zip(total, result)]
                full += result[1] > 0
            delivered, lost, written = total
            print(f"{kind}: {delivered} delivered = {written} on the disk + {lost} lost; {full} disks were too small", flush=True)


main()
