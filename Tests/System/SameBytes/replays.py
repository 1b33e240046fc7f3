#!/usr/bin/env python3
"""The same bytes at full speed, at 60 times the speed of the market, and live through the embedded echo: bars, movers, fills,
columns beside trades, and the alerts of rules that look at earlier events or wait for time. Then again while other rules come and go.

    python3 Tests/System/SameBytes/replays.py [PROGRAM] [--recording FILE] [--minutes N] [--rounds N]

Without --recording it is that of STOCKBUS_DATA, or of ../shared/data beside the project; where that is absent, it says so and is done.
Ninety minutes take ninety seconds at 60 times the speed; --minutes 0 takes the whole recording.
"""
import argparse
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time

PROJECT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
DATA = os.environ.get("STOCKBUS_DATA", os.path.join(PROJECT, "..", "shared", "data"))
RECORDING = os.path.join(DATA, "us_equities_tick", "us_trades_SPY_BAC_AIG_IBM_20131008_rth_0930_1100.csv")

OUTPUTS = {"bars": "bars", "minutes": "minutes", "movers": "today", "window": "window", "fills": "broker.fills", "orders": "broker.orders",
           "positions": "broker.positions", "accounts": "broker.accounts", "crossings": "crossings", "alerts": "moves",
           "columns": "marked", "known": "known", "sampled": "known.sample_1s", "ordered": "ordered", "odd": "ordered.odd"}

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
  marked:
    plugin: derive
    inputs: [{ticks}]
    columns: {{ vwap: vwap(session), away: price / vwap - 1, high: "highest(price, 1m)", up: "price > sma(price, 20)" }}
  known: {{ plugin: as_of, inputs: [marked, seconds], within: 5s, columns: [close, volume as second_volume, age] }}
  ordered: {{ plugin: guard, inputs: [{ticks}], late: 200ms }}
sinks:
  thinned: {{ plugin: null_sink, inputs: [{{ from: known, sample: 1s }}] }}
  crossings:
    plugin: notification_dispatcher
    inputs: [seconds]
    rules:
      - {{ name: golden cross, when: "crosses_above(sma(close, 20), sma(close, 50))" }}
      - {{ name: macd, when: "crosses_below(macd(close, 12, 26), macd_signal(close, 12, 26, 9))" }}
      - {{ name: spike, when: "volume > 3 * sma(prev(volume), 20)", cooldown: 1m }}
      - {{ name: rsi, when: "rsi(close, 14) > 80", for: 3s, resolve: true }}
#     - {{ name: other, when: "close > 2 * sma(close, 30)" }}
  moves:
    plugin: notification_dispatcher
    inputs: [{ticks}]
    rules:
      - {{ name: breakout, when: "crosses_above(price, highest(price, first 2m))", rearm_when: "price < vwap(session)" }}
      - {{ name: lost VWAP, when: "crosses_below(price, vwap(session))", rearm_when: "price > 100.02% * vwap(session)" }}
      - {{ name: strange, when: "abs(zscore(price, 1m)) > 3", for: 500ms, resolve: true }}
      - {{ name: falls, falls_by: 0.1%, window: 1m, cooldown: 2m }}
      - {{ name: silent, silent_for: 2s, resolve: true }}
#     - {{ name: other, symbols: [NONE], silent_for: 100d }}
"""


def run(program, rows, folder, speed, echo, reloads=False):
    """The digest of each output, and how many lines it has. With reloads the rules in comments come and go during the run."""
    os.makedirs(folder)
    ticks = "echo" if echo else "replayed"
    text = CONFIG.format(rows=rows, speed=speed, folder=folder, ticks=ticks,
                         echo="  echo: { plugin: echo_socket, inputs: [replayed], url: embedded }" if echo else "")
    for name, topic in OUTPUTS.items():
        text += f'  out_{name}: {{ plugin: file_writer, inputs: [{topic}], path: "{folder}/{name}.csv", append: false }}\n'
    path = os.path.join(folder, "run.yaml")
    with open(path, "w") as out:
        out.write(text)
    with open(os.path.join(folder, "log"), "w+") as log:
        process = subprocess.Popen([program, "run", path], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        number = 0
        while reloads and process.poll() is None:
            # Not before it has begun to listen, and not before it has taken the last change.
            time.sleep(1)
            number += 1
            with open(path + ".new", "w") as out:
                out.write(text.replace("\n#     - ", "\n      - ") if number % 2 else text)
            os.replace(path + ".new", path)
            process.send_signal(signal.SIGHUP)
        status = process.wait()
        log.seek(0)
        said = log.read()
    if status != 0 or "balanced" not in said or (reloads and said.count("reloaded") < 2):
        sys.exit(f"{speed}, echo {echo}, reloads {reloads}: status {status}\n{said[-4000:]}")
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
    # A program that begins with SIGHUP ignored, as under nohup, does not reload.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.csv")
        cut(arguments.recording, arguments.minutes, rows)
        expected = run(program, rows, os.path.join(folder, "first"), "max", False)
        for name, (digest, lines) in expected.items():
            print(f"{name}: {lines - 1} events, {digest[:16]}", flush=True)
        ways = [("max", False, False), ("max", True, False)] * arguments.rounds
        ways += [("60x", False, False), ("60x", True, False), ("60x", False, True)]
        wrong = False
        for number, (speed, echo, reloads) in enumerate(ways):
            found = run(program, rows, os.path.join(folder, str(number)), speed, echo, reloads)
            differ = [name for name in OUTPUTS if found[name] != expected[name]]
            way = f"{speed}{', through the echo' if echo else ''}{', with reloads' if reloads else ''}"
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
