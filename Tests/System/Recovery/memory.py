#!/usr/bin/env python3
"""Kills a run with a memory by -9 at random moments, lets it go on each time, and compares its files with those of an undisturbed run:
memory.py PROGRAM [--kills N] [--seed N] [--keep FOLDER].

A recording is replayed through bars, movers, a ranking, rules with windows, a program in Python, two strategies and the paper broker. After all
kills every file is that of the undisturbed run, byte for byte, and so is what is held at the end.
"""
import argparse
import collections
import csv
import http.server
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

PYTHON = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../Examples/plugins/python"))

CONFIG = """
runtime: {{ memory: {folder}/run.memory }}
sources:
  ticks: {{ plugin: file_replay, path: {rows}, speed: {speed}, output: {{ capacity: 16 }} }}
  others: {{ plugin: file_replay, path: {others}, speed: {speed} }}
processors:
  minutes: {{ plugin: bars, inputs: [ticks, others], lengths: [1s, 1m] }}
  gainers: {{ plugin: movers, inputs: [ticks], period: 10m, top: 3 }}
  ranked: {{ plugin: sorting_feed, inputs: [ticks], by: "zscore(price, 1m)" }}
  averages: {{ plugin: program_processor, run: [python3, {python}/ewma.py], inputs: [ticks], options: {{ weight: 0.1, decimals: 4 }} }}
  follows: {{ plugin: demo_momentum, inputs: [ticks], account: one, window: 20, threshold: 0.05% }}
  broker:
    plugin: paper_broker
    inputs: [ticks, follows]
    accounts: [{{ name: one, deposit: 1000000, fees: {{ basis_points: 1 }} }}]
sinks:
  bars_file: {{ plugin: file_writer, inputs: [minutes], path: {folder}/bars.csv }}
  movers_file: {{ plugin: file_writer, inputs: [gainers], path: {folder}/movers.jsonl, rotate: 50KB, keep: 99 }}
  averages_file: {{ plugin: file_writer, inputs: [averages], path: {folder}/averages.csv, flush: 10ms }}
  fills_file: {{ plugin: file_writer, inputs: [broker.fills], path: {folder}/fills.csv, flush: 0s }}
  positions_file: {{ plugin: file_writer, inputs: [broker.positions], path: {folder}/positions.csv }}
  orders_file: {{ plugin: file_writer, inputs: [follows], path: {folder}/orders.csv }}
  trades_file: {{ plugin: recorder, inputs: [ticks, others], merge: received, path: {folder}/trades.jsonl }}
  alerts_file: {{ plugin: file_writer, inputs: [desk], path: {folder}/alerts.csv }}
  desk:
    plugin: notification_dispatcher
    inputs: [ticks]
    channels: [{{ file: {{ name: log, path: {folder}/alerts.log }} }}, {{ webhook: {{ name: web, url: "http://127.0.0.1:{port}/" }} }}]
    rules:
      - {{ name: above the mean, when: "price > 1.0005 * sma(price, 50)", cooldown: 20s }}
      - {{ name: stretched, when: "abs(zscore(price, 1m)) > 2.5", for: 1s, resolve: true }}
      - {{ name: once, when: "price > highest(prev(price), 200)", once: true }}
      - {{ name: falls, falls_by: 0.5%, window: 1m, cooldown: 30s }}
  ranks_file: {{ plugin: file_writer, inputs: [ranked], path: {folder}/ranks.csv }}
"""


class Receiver(http.server.BaseHTTPRequestHandler):
    """Confirms every alert, and counts them by their keys."""

    confirmed = collections.Counter()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.confirmed[self.headers["Idempotency-Key"]] += 1

    def log_message(self, *_):
        pass


def write_rows(path, names, seed, count):
    """A random walk over an hour."""
    rng = random.Random(seed)
    prices = {name: 10_000 + 1_000 * number for number, name in enumerate(names)}
    moment = 0
    with open(path, "w") as out:
        out.write("time,symbol,price,size,side\n")
        for _ in range(count):
            symbol = rng.choice(names)
            prices[symbol] += rng.randint(-6, 6)
            moment += rng.randint(0, 2 * 3_600_000 // count)
            stamp = f"2024-01-02T{14 + moment // 3_600_000:02d}:{moment // 60_000 % 60:02d}:{moment // 1000 % 60:02d}.{moment % 1000:03d}Z"
            out.write(f"{stamp},{symbol},{prices[symbol] / 100:.2f},{rng.randint(1, 9) * 100},{rng.choice(['buy', 'sell'])}\n")


SERVER = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)


def start(program, folder, inputs, speed):
    path = os.path.join(folder, "run.yaml")
    with open(path, "w") as out:
        out.write(CONFIG.format(folder=folder, rows=inputs[0], others=inputs[1], speed=speed, python=PYTHON, port=SERVER.server_port))
    return subprocess.Popen(
        [program, "run", path, "--lenient"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def finish(program, folder, inputs, speed):
    run = start(program, folder, inputs, speed)
    _, errors = run.communicate(timeout=600)
    if run.returncode != 0:
        sys.exit(f"status {run.returncode}:\n{errors.decode()}")


def files(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        if not name.startswith("run."):
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = file.read()
    found["positions.csv"] = last_positions(found["positions.csv"])
    found["ranks.csv"] = last_ranks(found["ranks.csv"])
    return found


def last_ranks(text):
    """The list to which all moves lead, with each symbol's figures. A feed that goes on says its list once more."""
    order, last = [], {}
    for row in csv.DictReader(text.decode().splitlines()):
        symbol = row["symbol"]
        if symbol in order:
            order.remove(symbol)
        order.insert(int(row["rank"]) - 1, symbol)
        last[symbol] = [row[name] for name in ("price", "change", "percent", "volume")]
    return "\n".join(",".join([symbol] + last[symbol]) for symbol in order).encode()


def last_positions(text):
    """Of each symbol what is held and earned. A broker that goes on says once more what it has, for screens, and values it at other moments."""
    rows = list(csv.DictReader(text.decode().splitlines()))
    last = {row["symbol"]: [row[name] for name in ("symbol", "quantity", "cost", "realised", "fees")] for row in rows}
    return "\n".join(",".join(last[symbol]) for symbol in sorted(last)).encode()


def differences(expected, found):
    for name in sorted(set(expected) | set(found)):
        a, b = expected.get(name), found.get(name)
        if a == b:
            continue
        if a is None or b is None:
            yield f"{name} is {'missing' if b is None else 'too much'}"
            continue
        place = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        line = a[:place].count(b"\n")
        yield f"{name}:{line + 1}: {len(a)} and {len(b)} bytes: {a.splitlines()[line:line + 1]} and {b.splitlines()[line:line + 1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="a folder that stays, with what differs")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    threading.Thread(target=SERVER.serve_forever, daemon=True).start()
    rng = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        inputs = [os.path.join(folder, "ticks.csv"), os.path.join(folder, "others.csv")]
        write_rows(inputs[0], [f"S{i}" for i in range(8)], 11, 12_000)
        write_rows(inputs[1], [f"T{i}" for i in range(4)], 12, 3_000)
        calm, wild = os.path.join(folder, "calm"), os.path.join(folder, "wild")
        for path in (calm, wild):
            shutil.rmtree(path, ignore_errors=True)
            os.mkdir(path)
        finish(program, calm, inputs, "400x")
        expected = files(calm)
        alerts = set(Receiver.confirmed)
        Receiver.confirmed.clear()
        print("undisturbed: " + ", ".join(f"{name} {len(text)}" for name, text in expected.items() if "movers" not in name), flush=True)
        kills = rounds = doubled = 0
        while kills < arguments.kills:
            # At full speed events wait wherever there is room.
            speed = "400x" if rounds % 2 else "max"
            run = start(program, wild, inputs, speed)
            time.sleep(rng.uniform(0.02, 3))
            ended = run.poll()
            run.send_signal(signal.SIGKILL)
            _, errors = run.communicate()
            if ended is not None and ended != 0:
                sys.exit(f"a run ended by itself with status {ended}:\n{errors.decode()}")
            kills += 1
            if ended is None and kills < arguments.kills:
                continue
            finish(program, wild, inputs, speed)
            found = list(differences(expected, files(wild)))
            if set(Receiver.confirmed) != alerts:
                found.append(f"alerts: {len(alerts - set(Receiver.confirmed))} lost, {len(set(Receiver.confirmed) - alerts)} under other ids")
            doubled += sum(count - 1 for count in Receiver.confirmed.values())
            Receiver.confirmed.clear()
            if found:
                sys.exit(f"after {kills} kills:\n" + "\n".join(found))
            rounds += 1
            for name in os.listdir(wild):
                os.remove(os.path.join(wild, name))
        print(f"{kills} kills in {rounds} runs: every file and alert is as if there had been none; {doubled} of {rounds * len(alerts)} alerts twice")


if __name__ == "__main__":
    main()
