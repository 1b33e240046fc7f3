#!/usr/bin/env python3
"""The same bytes at full speed, at 60 times the speed of the market, and live through the embedded echo: bars, movers, fills.

    python3 Tests/System/SameBytes/replays.py [PROGRAM] [--recording FILE] [--minutes N] [--rounds N]

Without --recording it is that of STOCKBUS_DATA, or of ../shared/data beside the project; where that is absent, it says so and is done.
Ninety minutes take ninety seconds at 60 times the speed; --minutes 0 takes the whole recording.
"""
import argparse
import hashlib
import os
import subprocess
import sys
import tempfile

PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
DATA = os.environ.get("STOCKBUS_DATA", os.path.join(PROJECT, "..", "shared", "data"))
RECORDING = os.path.join(DATA, "us_equities_tick", "us_trades_SPY_BAC_AIG_IBM_20131008_rth_0930_1100.csv")

OUTPUTS = {"bars": "bars", "minutes": "minutes", "movers": "today", "window": "window", "fills": "broker.fills", "orders": "broker.orders",
           "positions": "broker.positions", "accounts": "broker.accounts"}

CONFIG = """
sources:
  replayed: {{ plugin: file_replay, path: "{rows}", speed: {speed} }}
{echo}
processors:
  bars: {{ plugin: bars, inputs: [{ticks}], lengths: [1s, 1m, 100t] }}
  minutes: {{ plugin: bars, inputs: [seconds], lengths: 5m }}
  seconds: {{ plugin: bars, inputs: [{ticks}], lengths: 1s }}
  today: {{ plugin: movers, inputs: [{ticks}], period: day, reference: first_price, top: 3 }}
  window: {{ plugin: movers, inputs: [{ticks}], period: 1m, reference: first_price, top: 3 }}
  follows: {{ plugin: demo_momentum, inputs: [{ticks}], account: momentum, window: 50, threshold: 0.02% }}
  returns: {{ plugin: demo_reversion, inputs: [{ticks}], account: reversion, window: 50, threshold: 0.02% }}
  broker:
    plugin: paper_broker
    inputs: [{ticks}, follows, returns]
    path: {folder}/fund.db
    value_every: 10s
    accounts:
      - {{ name: momentum, deposit: 1000000, fees: {{ per_share: 0.005, minimum: 1 }} }}
      - {{ name: reversion, deposit: 1000000, fees: {{ basis_points: 1 }} }}
sinks:
"""


def run(program, rows, folder, speed, echo):
    """The digest of each output, and how many lines it has."""
    os.makedirs(folder)
    ticks = "echo" if echo else "replayed"
    text = CONFIG.format(rows=rows, speed=speed, folder=folder, ticks=ticks,
                         echo="  echo: { plugin: echo_socket, inputs: [replayed], url: embedded }" if echo else "")
    for name, topic in OUTPUTS.items():
        text += f'  out_{name}: {{ plugin: file_writer, inputs: [{topic}], path: "{folder}/{name}.csv", append: false }}\n'
    path = os.path.join(folder, "run.yaml")
    with open(path, "w") as out:
        out.write(text)
    done = subprocess.run([program, "run", path], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0 or "balanced" not in done.stdout + done.stderr:
        sys.exit(f"{speed}, echo {echo}: status {done.returncode}\n{done.stderr[-4000:]}")
    found = {}
    for name in OUTPUTS:
        with open(os.path.join(folder, f"{name}.csv"), "rb") as file:
            data = file.read()
        found[name] = (hashlib.sha256(data).hexdigest(), data.count(b"\n"))
    return found


def cut(recording, minutes, path):
    """The first minutes of a recording."""
    with open(recording) as rows, open(path, "w") as out:
        out.write(next(rows))
        begin = None
        for row in rows:
            clock = row.split("T", 1)[1]
            minute = int(clock[0:2]) * 60 + int(clock[3:5])
            begin = minute if begin is None else begin
            if minutes and minute >= begin + minutes:
                break
            out.write(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=".build/debug/stockbus")
    parser.add_argument("--recording", default=RECORDING)
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=2, help="how often at full speed and through the echo")
    arguments = parser.parse_args()
    if not os.path.exists(arguments.recording):
        print(f"skipped: there is no {arguments.recording}")
        return
    program = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.csv")
        cut(arguments.recording, arguments.minutes, rows)
        expected = run(program, rows, os.path.join(folder, "first"), "max", False)
        for name, (digest, lines) in expected.items():
            print(f"{name}: {lines - 1} events, {digest[:16]}", flush=True)
        ways = [("max", False), ("max", True)] * arguments.rounds + [("60x", False), ("60x", True)]
        wrong = False
        for number, (speed, echo) in enumerate(ways):
            found = run(program, rows, os.path.join(folder, str(number)), speed, echo)
            differ = [name for name in OUTPUTS if found[name] != expected[name]]
            way = f"{speed}{', through the echo' if echo else ''}"
            print(f"{way}: {'differs in ' + ', '.join(differ) if differ else 'the same bytes'}", flush=True)
            for name in differ:
                wrong = True
                first_difference(folder, number, name)
        sys.exit(1 if wrong else 0)


def first_difference(folder, number, name):
    with open(f"{folder}/first/{name}.csv") as a, open(f"{folder}/{number}/{name}.csv") as b:
        for line, (left, right) in enumerate(zip(a, b), start=1):
            if left != right:
                print(f"  {name}:{line}\n    {left}    {right}", end="")
                return
    print(f"  {name}: one has more lines")


main()
