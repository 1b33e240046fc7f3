#!/usr/bin/env python3
"""What a small disk holds and what is counted as lost is what was delivered: every sink that writes files, on a tmpfs of every size.
Databases are whole afterwards, hold what was booked and nothing else, and go on once there is room.

    python3 Tests/System/Disk/tmpfs.py [PROGRAM] [--least KiB] [--most KiB] [--step KiB]

Mounting takes a namespace of one's own (unshare) or root; where neither is given, it says so and is done.
"""
import argparse
import ctypes
import os
import re
import shutil
import sqlite3
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
# Databases: the whole configuration, and the sizes of disks in KiB. The least is that of an empty one with its log and the log's index.
DATABASES = {
    "history": ("""
sources:
  ticks: { plugin: generator, symbols: 5, rate: max, count: 20000, seed: 3, start: "2024-01-02T14:30:00Z" }
processors:
  bars: { plugin: bars, inputs: [ticks], lengths: 10t }
sinks:
  out: { plugin: history, inputs: [bars], path: disk/log, patience: 0s, batch: 50, flush: 1h }
""", range(16, 700, 36)),
    "broker": ("""
sources:
  ticks: { plugin: generator, symbols: 10, rate: max, count: 10000, seed: 7, start: "2024-01-02T14:30:00Z", volatility: 0.2% }
processors:
  follows: { plugin: demo_momentum, inputs: [ticks], account: momentum, window: 50, threshold: 0.2% }
  broker:
    plugin: paper_broker
    inputs: [ticks, follows]
    path: disk/log
    patience: 0s
    value_every: 1s
    accounts: [{ name: momentum, deposit: 1000000 }]
sinks:
  fills: { plugin: null_sink, inputs: [broker.fills] }
""", range(16, 1200, 96)),
}
FULL = ["is full", "No space", "there is no room"]
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
    # Records are those in the file, alerts all that were to be delivered.
    delivered = number(run.stderr, "alerts") if kind == "channel" else number(run.stderr, "records") + lost
    if written + lost != delivered or torn or run.returncode not in (0, 1):
        print(run.stderr)
        sys.exit(f"{kind} on {size} KiB: {delivered} delivered, {lost} lost, {written} on the disk, torn: {torn}")
    return delivered, lost, written


def table(path, sql):
    """The rows of a database, and that it is whole: read in a copy, because the disk has no room for what reading makes."""
    with sqlite3.connect(path) as db:
        verdict = db.execute("PRAGMA integrity_check").fetchall()
        return db.execute(sql).fetchall() if verdict == [("ok",)] else sys.exit(f"{path}: {verdict}")


def check_database(program, kind, size, folder, whole):
    """What a database on a small disk holds is whole and what was booked; with room again, the run goes on. Returns what it holds."""
    config, _ = DATABASES[kind]
    disk, copy = f"{folder}/disk", f"{folder}/copy"
    os.makedirs(disk, exist_ok=True)
    with open(f"{folder}/plugins.yaml", "w") as file:
        file.write(config)
    if size:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", disk], check=True)
    try:
        run = subprocess.run([program, "run"], cwd=folder, capture_output=True, text=True, timeout=300)
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(disk, copy)
    finally:
        if size:
            subprocess.run(["umount", disk], check=True)
        else:
            shutil.rmtree(disk)

    def fail(text):
        print(run.stderr)
        sys.exit(f"{kind} on {size} KiB: {text}")

    if run.returncode not in (0, 1) or "damaged" in run.stderr or (run.returncode == 1) != any(words in run.stderr for words in FULL):
        fail(f"status {run.returncode}")
    names = set(os.listdir(copy))
    if "log" not in names:
        return fail(f"leaves {names}") if names - {"log-lock"} else []
    if kind == "history":
        held = sum(count for (count,) in table(f"{copy}/log", "SELECT count FROM chunks"))
        delivered = re.search(r"bars → out +[\d,]+ +([\d,]+)", run.stderr)
        delivered = int(delivered.group(1).replace(",", ""))
        if held != number(run.stderr, "bars") or held + number(run.stderr, "LOST") != delivered:
            fail(f"{held} bars are in the file, {delivered} were delivered")
        checked = subprocess.run([program, "history", "check", "--file", f"{copy}/log"], capture_output=True, text=True)
        if checked.returncode != 0:
            fail(checked.stderr)
        held = [held]
    else:
        held = table(f"{copy}/log", "SELECT number, record FROM trading_fills ORDER BY number")
        if whole is not None and held != whole[:len(held)]:
            fail("fills that an undisturbed run does not have")
    if whole is not None:
        # With room, it goes on to the same end.
        shutil.rmtree(disk, ignore_errors=True)
        shutil.move(copy, disk)
        again = subprocess.run([program, "run"], cwd=folder, capture_output=True, text=True, timeout=300)
        if again.returncode != 0:
            fail(f"with room: status {again.returncode}\n{again.stderr}")
        sql = "SELECT sum(count) FROM chunks" if kind == "history" else "SELECT number, record FROM trading_fills ORDER BY number"
        end = table(f"{disk}/log", sql)
        if (list(end[0]) if kind == "history" else end) != whole:
            fail("with room, another end than that of an undisturbed run")
        shutil.rmtree(disk)
    return held


def databases(program, kind, folder):
    whole = check_database(program, kind, 0, folder, None)
    sizes = DATABASES[kind][1]
    held = [check_database(program, kind, size, folder, whole) for size in sizes]
    os.makedirs(f"{folder}/disk", exist_ok=True)
    full_at_start(program, kind, folder)
    full = sum(rows != whole for rows in held)
    print(f"{kind}: {len(sizes)} disks, {full} were too small; all went on to the same end", flush=True)


def full_at_start(program, kind, folder):
    """A disk that is full when the run begins, and has room soon: the database waits, and holds in the end what it holds with room."""
    disk = f"{folder}/disk"
    with open(f"{folder}/plugins.yaml", "w") as file:
        file.write(DATABASES[kind][0].replace("patience: 0s", "patience: 60s"))
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk], check=True)
    try:
        with open(f"{disk}/filler", "wb") as filler:
            filler.write(bytes((16 << 20) - (12 << 10)))
        run = subprocess.Popen([program, "run"], cwd=folder, stderr=subprocess.PIPE, text=True)
        told = ""
        while "retrying for" not in told and (line := run.stderr.readline()):
            told += line
        os.remove(f"{disk}/filler")
        told += run.communicate(timeout=300)[1]
    finally:
        subprocess.run(["umount", disk], check=True)
    if run.returncode != 0 or "writing works again" not in told:
        sys.exit(f"{kind} on a disk that is full at the start: status {run.returncode}\n{told}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?", default=".build/debug/stockbus")
    parser.add_argument("--least", type=int, default=4)
    parser.add_argument("--most", type=int, default=256)
    parser.add_argument("--step", type=int, default=4)
    parser.add_argument("--only", choices=[*SINKS, *DATABASES])
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    if not may_mount():
        print("skipped: only root may mount a small disk")
        return
    with tempfile.TemporaryDirectory() as folder:
        for kind in [arguments.only] if arguments.only else [*SINKS, *DATABASES]:
            if kind in DATABASES:
                databases(program, kind, folder)
                continue
            total, full = [0, 0, 0], 0
            for size in range(arguments.least, arguments.most + 1, arguments.step):
                result = check(program, kind, size, folder)
                total = [a + b for a, b in zip(total, result)]
                full += result[1] > 0
            delivered, lost, written = total
            print(f"{kind}: {delivered} delivered = {written} on the disk + {lost} lost; {full} disks were too small", flush=True)


main()
