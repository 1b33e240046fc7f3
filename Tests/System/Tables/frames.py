#!/usr/bin/env python3
"""Events as Arrow streams and Parquet files, printed by the program: frames.py PROGRAM

Both have to be sound for `check`, each of some hundred flipped bits has to be found, and what data frames read has to be what CSV says, digit by
digit. Without pyarrow the last part is skipped, and that is said.
"""
import csv
import os
import random
import subprocess
import sys
import tempfile
from decimal import Decimal

CONFIG = """
sources:
  trades: { plugin: generator, symbols: 40, interval: 20ms, count: 3000, seed: 3, start: 2024-07-01T13:30:00Z }
processors:
  marked: { plugin: derive, inputs: [trades], columns: { vwap: vwap(session), rising: "price > sma(price, 5)" } }
  bars: { plugin: bars, inputs: [marked], lengths: [1s] }
sinks:
  none: { plugin: null_sink, inputs: [bars] }
"""
FLIPS = 120


def run(program, folder, *arguments):
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=300)


def printed(program, folder, component, form):
    done = run(program, folder, "print", "frames.yaml", "--from", component, "--format", form)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check(program, folder, name, content):
    with open(os.path.join(folder, name), "wb") as out:
        out.write(content)
    return run(program, folder, "check", name)


def soundness(program, folder, name, content, rows):
    whole = check(program, folder, name, content)
    assert whole.returncode == 0 and f"{rows} rows in ".encode() in whole.stdout and b"no bit has changed" in whole.stdout, whole
    rng = random.Random(7)
    for at in sorted(rng.sample(range(len(content)), FLIPS)):
        damaged = bytearray(content)
        damaged[at] ^= 1 << rng.randrange(8)
        done = check(program, folder, name, damaged)
        assert done.returncode == 1 and done.stderr and not done.stdout, f"{name}: a flipped bit in byte {at}: {done}"
    cut = check(program, folder, name, content[:len(content) * 2 // 3])
    assert cut.returncode == 1, cut
    print(f"{name}: {rows} rows, {FLIPS} flipped bits found")


def same(table, rows):
    """True if a table of pyarrow has what CSV says."""
    found = table.to_pylist()
    assert len(found) == len(rows), (len(found), len(rows))
    for have, want in zip(found, rows):
        for name, text in want.items():
            value = have[name]
            if isinstance(value, Decimal):
                assert value == Decimal(text), (name, value, text)
            elif isinstance(value, bool):
                assert text == str(value).lower(), (name, value, text)
            elif value is None or name in ("time", "received"):
                assert (value is None) == (text == "" and name != "condition"), (name, value, text)
            else:
                assert str(value) == text or (name, text) == ("condition", ""), (name, value, text)
    times = [value.value for value in table["time"]]
    assert times == sorted(times)


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="stockbus-frames-") as folder:
        with open(os.path.join(folder, "frames.yaml"), "w") as out:
            out.write(CONFIG)
        for component in ("marked", "bars"):
            rows = list(csv.DictReader(printed(program, folder, component, "csv").decode().splitlines()))
            stream = printed(program, folder, component, "arrow")
            file = printed(program, folder, component, "parquet")
            soundness(program, folder, component + ".arrows", stream, len(rows))
            soundness(program, folder, component + ".parquet", file, len(rows))
            try:
                import pyarrow
                import pyarrow.parquet
            except ImportError:
                print("SKIPPED: comparing with CSV needs pyarrow", file=sys.stderr)
                continue
            same(pyarrow.ipc.open_stream(stream).read_all(), rows)
            same(pyarrow.parquet.read_table(pyarrow.BufferReader(file), page_checksum_verification=True), rows)
            print(f"{component}: pyarrow reads what CSV says")
        done = run(program, folder, "check", "frames.yaml")
        assert done.returncode == 1 and b"neither a Parquet file nor an Arrow stream" in done.stderr, done


main()
