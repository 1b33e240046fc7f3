#!/usr/bin/env python3
"""Kills a run with -9 at random moments, lets it go on each time, and compares the end with an undisturbed run: kill.py PROGRAM [--kills N].

A recording is replayed through two strategies, a paper broker, bars and a history; half of its symbols are of a market that opens in the
middle of it. After all kills no fill is lost or booked twice, the accounts are to the last digit those of the undisturbed run, both databases
pass SQLite's own check, and the bars are the same.
"""
import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

CONFIG = """
instruments: {folder}/instruments.csv
sources:
  ticks: {{ plugin: file_replay, path: {rows}, speed: {speed} }}
processors:
  follows: {{ plugin: demo_momentum, inputs: [ticks], account: momentum, window: 20, threshold: 0.05% }}
  returns: {{ plugin: demo_reversion, inputs: [ticks], account: reversion, window: 20, threshold: 0.05% }}
  broker:
    plugin: paper_broker
    inputs: [ticks, follows, returns]
    path: {folder}/fund.db
    value_every: 10s
    accounts:
      - {{ name: momentum, deposit: 1000000, slippage: 1, fees: {{ per_share: 0.005, minimum: 1 }} }}
      - {{ name: reversion, deposit: 1000000, fees: {{ basis_points: 1 }} }}
  bars: {{ plugin: bars, inputs: [ticks], lengths: [1s, 1m] }}
sinks:
  kept: {{ plugin: history, inputs: [bars], path: {folder}/history.db, batch: 200 }}
  fills: {{ plugin: null_sink, inputs: [broker.fills] }}
"""


INSTRUMENTS = "symbol,tick_size,lot,currency,calendar\n" + "".join(
    f"S{i},0.01,{1 if i % 2 else 10},USD,{'us_equities' if i < 4 else '24/7'}\n" for i in range(8))


def write_rows(path, seed=11, count=60_000):
    """A random walk of eight symbols over an hour, in hundredths of a second."""
    rng = random.Random(seed)
    prices = {f"S{i}": 10_000 + 1_000 * i for i in range(8)}
    with open(path, "w") as out:
        out.write("time,symbol,price,size,side\n")
        for n in range(count):
            symbol = f"S{rng.randrange(8)}"
            prices[symbol] += rng.randint(-6, 6)
            stamp = f"2024-01-02T{14 + n // 60_000:02d}:{n // 1000 % 60:02d}:{n % 1000 * 60 // 1000:02d}.{n % 1000:03d}Z"
            out.write(f"{stamp},{symbol},{prices[symbol] / 100:.2f},{rng.randint(1, 9) * 100},{rng.choice(['buy', 'sell'])}\n")


def start(program, folder, rows, speed):
    with open(os.path.join(folder, "instruments.csv"), "w") as out:
        out.write(INSTRUMENTS)
    path = os.path.join(folder, "run.yaml")
    with open(path, "w") as out:
        out.write(CONFIG.format(folder=folder, rows=rows, speed=speed))
    return subprocess.Popen([program, "run", path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def finish(program, folder, rows, speed):
    run = start(program, folder, rows, speed)
    _, errors = run.communicate(timeout=600)
    if run.returncode != 0:
        sys.exit(f"status {run.returncode}:\n{errors.decode()}")


def table(path, sql):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return db.execute(sql).fetchall()


def bars(program, path):
    """All fields of all bars, as the program reads them: how they are divided among chunks depends on the batches."""
    found = []
    for symbol, length in [(f"S{i}", length) for i in range(8) for length in ("1s", "1m")]:
        shown = subprocess.run([program, "history", symbol, "--file", path, "--bars", length, "--format", "csv"], capture_output=True, text=True)
        if shown.returncode != 0:
            sys.exit(f"{symbol} {length}: {shown.stderr}")
        found += [f"{length} {line}" for line in shown.stdout.splitlines()]
    return found


def state(program, folder):
    fund, history = os.path.join(folder, "fund.db"), os.path.join(folder, "history.db")
    for path in (fund, history):
        verdict = table(path, "PRAGMA integrity_check")
        if verdict != [("ok",)]:
            sys.exit(f"{path}: {verdict}")
    checked = subprocess.run([program, "history", "check", "--file", history], capture_output=True, text=True)
    if checked.returncode != 0:
        sys.exit(f"history check: {checked.stderr}")
    return {
        "fills": table(fund, "SELECT number, record FROM trading_fills ORDER BY number"),
        "orders": table(fund, "SELECT number, record FROM trading_orders ORDER BY number"),
        "cash": table(fund, "SELECT name, json_extract(record, '$.cash'), json_extract(record, '$.fees') FROM trading_accounts ORDER BY name"),
        "bars": bars(program, history),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    rng = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.csv")
        write_rows(rows)
        calm, wild = os.path.join(folder, "calm"), os.path.join(folder, "wild")
        os.mkdir(calm)
        os.mkdir(wild)
        finish(program, calm, rows, "max")
        expected = state(program, calm)
        print(f"undisturbed: {len(expected['fills'])} fills, {len(expected['orders'])} orders, {len(expected['bars'])} bars", flush=True)
        kills = 0
        booked = 0
        while kills < arguments.kills:
            run = start(program, wild, rows, "400x" if kills % 2 else "max")
            time.sleep(rng.uniform(0.02, 1.5))
            ended = run.poll()
            run.send_signal(signal.SIGKILL)
            run.communicate()
            if ended is not None and ended != 0:
                sys.exit(f"a run ended by itself with status {ended}")
            kills += 1
            path = os.path.join(wild, "fund.db")
            if os.path.exists(path):
                try:
                    count = table(path, "SELECT count(*) FROM trading_fills")[0][0]
                except sqlite3.OperationalError:
                    count = 0
                if count < booked:
                    sys.exit(f"{booked} fills were booked, and after kill {kills} there are {count}")
                booked = count
            # Once everything is booked, another one begins.
            if ended == 0 or booked == len(expected["fills"]):
                compare(program, wild, rows, expected)
                for name in os.listdir(wild):
                    os.remove(os.path.join(wild, name))
                booked = 0
        compare(program, wild, rows, expected)
        print(f"{kills} kills: nothing lost, nothing twice")


def compare(program, folder, rows, expected):
    finish(program, folder, rows, "max")
    found = state(program, folder)
    for key, rows_expected in expected.items():
        if found[key] != rows_expected:
            pairs = [(a, b) for a, b in zip(rows_expected, found[key]) if a != b]
            sys.exit(f"{key} differ: {len(rows_expected)} and {len(found[key])}; first {pairs[:1]}")


if __name__ == "__main__":
    main()
