#!/usr/bin/env python3
"""Plays two days of captures before a live source begins, and compares what functions have with a run that has seen everything: past.py PROGRAM.

A venue on this machine sends doubles of the past, then trades of now, of which some are missing at the border where it is told so. What the
functions have, at the border and after, is to the digit what an uninterrupted run has, and the recursions are to nine digits.
"""
import base64
import calendar
import hashlib
import json
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PROGRAM = os.path.abspath(sys.argv[1])
SYMBOLS = ["BTC-USD", "ETH-USD"]
DAYS = 2
LENGTH = 2  # seconds of a bar

RULES = """
  desk:
    plugin: notification_dispatcher
    inputs: [live]
    rules:
      - {{ name: strong, when: "rsi(price, 14) > 200" }}
      - {{ name: dear, when: "price > 2 * vwap(session)" }}
      - {{ name: hour, when: "price > 2 * highest(price, 1h)" }}
  bars_desk:
    plugin: notification_dispatcher
    inputs: [bars]
    rules: [{{ name: high, when: "close > 2 * sma(close, 50)" }}, {{ name: odd, when: "close > 2 * ema(close, 50)" }}]
"""
CONFIG = """
{runtime}
sources:
  live:
    plugin: {source}
processors:
  bars: {{ plugin: bars, inputs: [live], lengths: [{length}s] }}
sinks:
  kept: {{ plugin: file_writer, inputs: [live], path: {folder}/trades.csv, flush: 0s }}
  kept_bars: {{ plugin: file_writer, inputs: [bars], path: {folder}/bars.csv, flush: 0s }}
  holes: {{ plugin: file_writer, inputs: [gaps], path: {folder}/gaps.csv, flush: 0s }}
  page: {{ plugin: dashboard, inputs: [live], listen: "127.0.0.1:0", file: "-" }}
""" + RULES
LIVE = """websocket
    preset: coinbase_exchange
    symbols: [BTC-USD, ETH-USD]
    decoding: {{ url: "ws://127.0.0.1:{port}/" }}
    past: {{ from: "{captures}/*.raw", last: {last} }}"""
WHOLE = """file_replay
    preset: coinbase_exchange
    symbols: [BTC-USD, ETH-USD]
    path: "-\""""


def stamp(seconds):
    """ISO-8601 with microseconds."""
    whole = int(seconds)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{int((seconds - whole) * 1e6):06d}Z"


def receipt(seconds):
    return int(seconds * 1e9)


class Tape:
    """The venue's trades: numbers that count up for each symbol, and a random walk of prices."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.numbers = {name: 1000 for name in SYMBOLS}
        self.cents = {"BTC-USD": 6_000_000, "ETH-USD": 300_000}

    def next(self, name, seconds):
        self.numbers[name] += 1
        self.cents[name] += self.rng.randint(-200, 200)
        price = f"{self.cents[name] // 100}.{self.cents[name] % 100:02d}"
        return (
            f'{{"type":"match","trade_id":{self.numbers[name]},"side":"{self.rng.choice(["buy", "sell"])}",'
            f'"size":"0.{self.rng.randint(1, 999):03d}","price":"{price}","product_id":"{name}","time":"{stamp(seconds)}"}}')


class Venue:
    """A WebSocket server for one feed at a time, which sends what it is told to."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.ready = threading.Event()
        self.socket = None
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(4096)
            key = re.search(rb"Sec-WebSocket-Key: (\S+)", head, re.I).group(1)
            accepted = base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accepted + b"\r\n\r\n")
            connection.recv(4096)  # the subscription
            self.socket = connection
            self.ready.set()

    def send(self, text):
        data = text.encode()
        head = bytes([0x81, len(data)]) if len(data) < 126 else bytes([0x81, 126]) + struct.pack(">H", len(data))
        self.socket.sendall(head + data)


class Run:
    def __init__(self, folder, source, stdin=None, runtime="", **values):
        os.makedirs(folder, exist_ok=True)
        self.folder = folder
        self.config = os.path.join(folder, "run.yaml")
        with open(self.config, "w") as file:
            file.write(CONFIG.format(source=source.format(**values), folder=folder, length=LENGTH, runtime=runtime))
        self.log = open(os.path.join(folder, "log"), "w+")
        self.process = subprocess.Popen([PROGRAM, "run", self.config], stdin=stdin, stdout=self.log, stderr=self.log, text=True)

    def asks(self, name):
        """Asks what the functions have for a symbol; they say so if an event of it comes meanwhile."""
        command = [PROGRAM, "why", "--run", str(self.process.pid), "--for", "3s", name]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def page(self, path):
        """What the page answers."""
        found = until("there is no page", lambda: re.search(r"the page is at (\S+?)/?\s", self.text()))
        with urllib.request.urlopen(found.group(1) + path, timeout=10) as answer:
            return json.load(answer)

    def rows(self, file):
        try:
            with open(os.path.join(self.folder, file)) as lines:
                return lines.read().splitlines()[1:]
        except FileNotFoundError:
            return []

    def text(self):
        self.log.flush()
        with open(self.log.name) as file:
            return file.read()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def until(what, condition, seconds=30):
    end = time.time() + seconds
    while time.time() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise SystemExit(f"FAILED: {what}")


def check(what, condition):
    print(("ok    " if condition else "FAIL  ") + what)
    if not condition:
        raise SystemExit(1)


def compare(runs, send, when):
    """What functions have after two more trades of each symbol, of which the second ends the bar of the first, in both runs."""
    # On a busy machine somebody may ask too late: then once more.
    for attempt in range(5):
        time.sleep(LENGTH - time.time() % LENGTH)
        asked = [(name, run.asks(name)) for name in SYMBOLS for run in runs]
        time.sleep(0.3)
        send()
        time.sleep(LENGTH)
        send()
        answers = [(name, functions(process.communicate()[0])) for name, process in asked]
        pairs = [(name, [found for each, found in answers if each == name]) for name in SYMBOLS]
        if all(live == whole and len(live) == 5 and not any("ready" in value for value in live.values()) for _, (live, whole) in pairs):
            break
    for name, (live, whole) in pairs:
        check(f"{name} {when}: {live}" + (f", and {whole}" if whole != live else ""), live == whole and len(live) == 5 and not any("ready" in value for value in live.values()))


def check_page(run, lines, when):
    """The page shows the past before the first live trade of a symbol: its last price, and its hours."""
    for name in SYMBOLS:
        past = [line.split(" ", 1) for line in lines if f'"{name}"' in line]
        last = json.loads(past[-1][1])
        shown = run.page(f"/api/symbols/{name}")
        check(f"the page {when} has the last price of {name}: {shown.get('last')}", shown.get("last") == last["price"] and abs(shown["time"] / 1000 - int(past[-1][0]) / 1e9) < 1)
        # As many hours as it keeps of a symbol at least.
        hours = run.page(f"/api/symbols/{name}/bars?length=1h")["bars"]
        closes = {}
        for _, message in past:
            match = json.loads(message)  # its own time, which may be of another hour than its receipt
            hour = calendar.timegm(time.strptime(match["time"][:13], "%Y-%m-%dT%H"))
            closes[hour * 1000] = match["price"]
        wrong = [bar for bar in hours[1:] if closes.get(bar[0]) != bar[4]]
        check(f"and {len(hours)} hours as they were" + (f", but for {wrong[:2]}" if wrong else ""), len(hours) >= 29 and not wrong)


def functions(answer):
    return dict(re.findall(r"(\w+\([^()]*\)) is (not ready[^,;)]*|[\d.-]+)", answer))


def main():
    top = tempfile.mkdtemp(prefix="past")
    captures = os.path.join(top, "captures")
    os.makedirs(captures)
    tape, venue = Tape(7), Venue()
    begin = time.time() - DAYS * 86_400 + 60
    # A UTC day begins with the session, so the present one is in the past as a whole.
    lines = []
    count = DAYS * 86_400 // 10
    for k in range(count):
        moment = begin + k * (time.time() - 1 - begin) / count
        for name in SYMBOLS:
            lines.append(f"{receipt(moment + 0.02)} {tape.next(name, moment)}")
    half = len(lines) // 2
    for number, part in enumerate((lines[:half], lines[half:])):
        with open(os.path.join(captures, f"day{number}.raw"), "w") as file:
            file.write("\n".join(part) + "\n")

    def play(name, last, runtime=""):
        live = Run(os.path.join(top, name), LIVE, captures=captures, port=venue.port, last=last, runtime=runtime)
        if not venue.ready.wait(30):
            raise SystemExit("FAILED: no connection\n" + live.text())
        venue.ready.clear()
        return live

    # The whole run waits for more, as a live one does.
    live = play("live", "3d")
    whole = Run(os.path.join(top, "whole"), WHOLE, stdin=subprocess.PIPE)
    whole.process.stdin.write("\n".join(lines) + "\n")
    whole.process.stdin.flush()
    until("the whole run did not read", lambda: len(whole.rows("trades.csv")) == len(lines))
    check_page(live, lines, "before live")
    # Doubles of the past come first.
    for line in lines[-10:]:
        venue.send(line.split(" ", 1)[1])
    time.sleep(1)
    check("no double was sent", live.rows("trades.csv") == [])
    sent = []

    def send():
        for name in SYMBOLS:
            message = tape.next(name, time.time())
            venue.send(message)
            sent.append(message)
            whole.process.stdin.write(f"{receipt(time.time())} {message}\n")
        whole.process.stdin.flush()

    compare((live, whole), send, "at the border")
    for k in range(60):
        send()
        time.sleep(0.05)
    compare((live, whole), send, "after it")
    trades = [run.rows("trades.csv") for run in (live, whole)]
    # Without the receipts.
    cut = [[row.split(",")[:5] for row in rows] for rows in trades]
    check("the trades behind the border are the same", cut[0] == cut[1][len(lines):] and len(cut[0]) == len(sent))
    live.stop()
    whole.process.stdin.close()
    whole.process.wait(30)
    text = live.text()
    check("no gap", live.rows("gaps.csv") == [])
    check("the doubles are counted", re.search(r"live: doubles +10\b", text) or "doubles" in text)
    check("the log says what was played", f"{len(lines):,} events of the past" in text)
    print("\n".join(line for line in text.splitlines() if "past" in line or "doubles" in line))

    # Trades are missing between the past and now, and the past is too short.
    for name in SYMBOLS:
        tape.numbers[name] += 5
    last = tape.numbers["BTC-USD"]
    short = play("short", "10m")
    for name in SYMBOLS:
        venue.send(tape.next(name, time.time()))
    gaps = until("the missing trades are no gap", lambda: len(short.rows("gaps.csv")) == 2 and short.rows("gaps.csv"))
    short.stop()
    text = short.text()
    print("\n".join(line for line in text.splitlines() if "past" in line))
    check("what is too short is said with both numbers", re.search(r"'desk' needs 504 trades of each symbol for rsi\(price, 14\), and the past had \d\d of BTC-USD and \d\d of ETH-USD", text))
    check(f"the gap has the right numbers: {gaps[0]}", f"{1000 + count + 1}" in gaps[0] and f"{last + 1}" in gaps[0])
    validated = subprocess.run([PROGRAM, "validate", short.config], capture_output=True, text=True)
    print(validated.stderr + validated.stdout)
    check("validate says what is too little", "needs 1800 bars of each symbol for ema(close, 50) (1h), and the past goes back 10m" in validated.stderr)

    # With a memory the numbers go on, so that a hole between two runs is told.
    kept = play("kept", "3d", runtime=f"runtime: {{ memory: {top}/kept.memory }}")
    venue.send(tape.next("BTC-USD", time.time()))
    until("the first trade did not come", lambda: len(kept.rows("trades.csv")) == 1)
    first = kept.rows("gaps.csv")
    kept.stop()
    tape.numbers["BTC-USD"] += 3
    expected = tape.numbers["BTC-USD"] - 2
    kept = play("kept", "3d", runtime=f"runtime: {{ memory: {top}/kept.memory }}")
    # What the page shows is in no memory, and is played once more.
    check_page(kept, lines, "after a restart")
    venue.send(tape.next("BTC-USD", time.time()))
    gaps = until("the hole between the runs is no gap", lambda: len(kept.rows("gaps.csv")) > len(first) and kept.rows("gaps.csv"))
    kept.stop()
    check(f"the hole between two runs is told: {gaps[-1]}", f",{expected},{expected + 3}," in gaps[-1] and len(gaps) == len(first) + 1)
    shutil.rmtree(top)


main()
