"""NATS JetStream on one node: single messages beside libnats and nats.py, packed trades into a stream and out of it, and how long a message takes.

What is in the stream is read again after each measurement and compared: numbered messages with their numbers, trades with the file that the
same generator gives without NATS."""
import hashlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from ..machine import CORES, Failed, lines_of_json, run
from ..setup import BIN, NATS_BENCH, PEERS, PROJECT, PYTHON, STOCKBUS
from ..work import US, Contestant, Goal, Once, Sample, Work, figure

sys.path.insert(0, str(PROJECT / "Tests" / "System" / "NATS"))
from servers import Cluster, binary  # noqa: E402

CLIENT, LIBNATS, NATS_PY = f"{US}, the client alone", "libnats (C)", "nats.py"
ONE, EIGHT = US, f"{US}, eight partitions"
SIZE, WINDOW = 100, 4096
FIELDS = "fields: [symbol, price, size, time]"


class Node:
    """A server with an empty stream, until the block ends."""

    def __init__(self, stream="BENCH", subjects=("BENCH",)):
        self.stream, self.subjects = stream, subjects

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="stockbus-bench-")
        self.path = Path(self.folder.name)
        self.cluster = Cluster(binary(), self.path / "server", 1)
        try:
            self.cluster.start_all()
            client = self.cluster.client()
            names = ",".join(f'"{subject}"' for subject in self.subjects)
            client.request(f"$JS.API.STREAM.CREATE.{self.stream}", f'{{"name":"{self.stream}","subjects":[{names}]}}')
            client.close()
        except SystemExit as error:
            self.__exit__()
            raise Failed(str(error)) from None
        self.url = self.cluster.urls[0]
        return self

    def __exit__(self, *_):
        self.cluster.stop()
        self.folder.cleanup()

    def messages(self):
        return self.cluster.stream(self.stream)[1]

    def server_seconds(self):
        """Processor time of the server so far, which is no disturbance."""
        with open(f"/proc/{self.cluster.processes[0].pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def run(self, command):
        """Runs a client of the server; the server's own time does not count as others'."""
        before, began = self.server_seconds(), time.monotonic()
        done = run(command)
        share = (self.server_seconds() - before) / ((time.monotonic() - began) * CORES)
        done.others = max(0.0, done.others - share)
        return done


# MARK: single messages


def numbered(command, messages):
    """One that publishes numbered messages of 100 bytes."""

    def measure():
        with Node() as node:
            done = node.run([*command, "publish", node.url, node.stream, messages, SIZE, WINDOW] if command[0] != PYTHON else
                            [*command, node.url, node.stream, messages, SIZE, WINDOW])
            line = lines_of_json(done.output)[0]
            run([NATS_BENCH, "read", node.url, node.stream, messages, SIZE])
            return {"rate": messages / line["seconds"], "cpu": line["cpu"] / messages * 1e6, "others": done.others}

    return measure


def generator(events, symbols=200):
    return f"ticks: {{ plugin: generator, symbols: {symbols}, rate: max, count: {events}, seed: 3, start: '2024-01-02T14:30:00Z' }}"


def written(folder, sources, reader=None):
    """The digest of what a run writes to its standard output; for a run that does not end by itself, after so many lines."""
    path = Path(folder) / "written.yaml"
    name = "desk" if reader else "ticks"
    path.write_text(f"sources: {{ {sources} }}\nsinks: {{ out: {{ plugin: file_writer, inputs: [{name}], path: '-', {FIELDS} }} }}\n")
    process = subprocess.Popen([STOCKBUS, "run", "--quiet", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    digest, lines = hashlib.sha256(), 0
    try:
        while block := os.read(process.stdout.fileno(), 1 << 20):
            digest.update(block)
            lines += block.count(b"\n")
            if reader and lines >= reader:
                process.send_signal(signal.SIGTERM)
                reader = None
    finally:
        process.wait(60)
    return digest.hexdigest(), lines


REFERENCES = {}


def check_content(node, events, symbols=200):
    """The trades in the stream are those of the generator, in their order."""
    if (events, symbols) not in REFERENCES:
        REFERENCES[events, symbols] = written(node.path, generator(events, symbols))
    source = f"desk: {{ plugin: nats_in, servers: ['{node.url}'], stream: {node.stream} }}"
    if written(node.path, source, reader=events) != REFERENCES[events, symbols]:
        raise Failed("the stream does not hold what was generated")


def writer(node, events, options, symbols=200):
    """A run that puts generated trades into the stream; its end says that all of them are confirmed."""
    path = node.path / "out.yaml"
    path.write_text(
        f"sources: {{ {generator(events, symbols)} }}\n"
        f"sinks: {{ out: {{ plugin: nats_out, inputs: [ticks], servers: ['{node.url}'], stream: {node.stream}, {options} }} }}\n")
    done = node.run([STOCKBUS, "run", path])
    ledger = done.errors + done.output
    if "balanced: every event is accounted for" not in ledger:
        raise Failed(f"the ledger is wrong: {ledger[-400:]}")
    return done


def through_the_program(events):
    def measure():
        with Node() as node:
            done = writer(node, events, f"subject: {node.stream}, in_flight: {WINDOW}")
            if node.messages() != events:
                raise Failed(f"{node.messages()} of {events} messages are there")
            check_content(node, events)
            return {"rate": events / done.wall, "cpu": done.cpu / events * 1e6, "others": done.others}

    return measure


# MARK: packed


def packed(events, partitions=None):
    def measure():
        with Node(subjects=("BENCH.*",) if partitions else ("BENCH",)) as node:
            subject = f"subject: 'BENCH.{{partition}}', partitions: {partitions}" if partitions else "subject: BENCH"
            done = writer(node, events, f"{subject}, batch: 1000")
            # Over partitions the order is that of each symbol, so only one subject is compared.
            if partitions is None:
                check_content(node, events)
            figures = {"rate": events / done.wall / 1e6, "cpu": done.cpu, "others": done.others, "messages": node.messages()}
            return {**figures, "read": consumed(node, events)}

    return measure


def consumed(node, events):
    """Million trades a second into a feed, from the first request to when nothing waits any more."""
    path, log = node.path / "in.yaml", node.path / "in.log"
    path.write_text(
        f"sources: {{ desk: {{ plugin: nats_in, servers: ['{node.url}'], stream: {node.stream} }} }}\n"
        "processors: { ranked: { plugin: sorting_feed, inputs: [desk], by: price } }\n"
        "sinks: { end: { plugin: null_sink, inputs: [ranked] } }\n")
    with open(log, "w") as told:
        process = subprocess.Popen([STOCKBUS, "run", "--log-format", "json", path], stdin=subprocess.DEVNULL, stdout=told, stderr=told)
    end = time.monotonic() + 60
    while "live: all messages" not in log.read_text():
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            raise Failed(f"it did not read the stream: {log.read_text()[-300:]}")
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    process.wait(30)
    told = log.read_text()
    if "balanced: every event is accounted for" not in told or not re.search(rf"end: events {events:,}\b", told):
        raise Failed(f"the ledger is wrong: {told[-400:]}")

    def when(words):
        line = next(line for line in told.splitlines() if words in line and line.startswith("{"))
        return datetime.fromisoformat(re.search(r'"time":"([^"]+)Z"', line)[1]).timestamp()

    return events / (when("live: all messages") - when("catching up: ")) / 1e6


# MARK: latency


def delay(command):
    def measure():
        with Node() as node:
            done = node.run([part.format(url=node.url, stream=node.stream) if isinstance(part, str) else part for part in command])
            return {**lines_of_json(done.output)[0], "others": done.others}

    return measure


def contestant(name, runs, of, peer="nats"):
    def measure():
        figures = runs(of)
        return Sample(of(figures), figures["others"])

    return Contestant(name, measure, peer)


def rate(figures):
    return figures["rate"]


def cpu(figures):
    return figures["cpu"]


def read(figures):
    return figures["read"]


def p50(figures):
    return figures["p50"] / 1e3


def p99(figures):
    return figures["p99"] / 1e3


def works(quick):
    messages, events, trips = (200_000, 5_000_000, 2_000) if quick else (1_000_000, 10_000_000, 5_000)
    program, client = Once(through_the_program(messages)), Once(numbered([NATS_BENCH], messages))
    libnats = Once(numbered([BIN / "nats"], messages))
    python = Once(numbered([PYTHON, PEERS / "python" / "nats_publish.py"], messages // 10))
    one, eight = Once(packed(events)), Once(packed(events, 8))
    hertz = 1_000
    ours = Once(delay([NATS_BENCH, "latency", "{url}", "{stream}", trips, hertz]))
    theirs = Once(delay([BIN / "nats", "latency", "{url}", "{stream}", trips, hertz, SIZE]))

    def single(of):
        return [
            contestant(US, program, of), contestant(CLIENT, client, of), contestant(LIBNATS, libnats, of, "libnats"),
            contestant(NATS_PY, python, of, "nats_py"),
        ]

    def both(of):
        return [contestant(ONE, one, of), contestant(EIGHT, eight, of)]

    def trip(of):
        return [contestant(US, ours, of), contestant(LIBNATS, theirs, of, "libnats")]

    return [
        Work(
            "nats-single", "Single messages into a stream, confirmed", "messages/s", single(rate), higher_is_better=True,
            goals=[
                figure("at least 400,000 messages/s by the client", 400_000, at_least=True, of=CLIENT),
                figure("at least 400,000 messages/s by the program", 400_000, at_least=True),
                Goal("the client at least as fast as libnats", lambda w: w.ratio(LIBNATS, of=CLIENT), 1),
            ]),
        Work(
            "nats-single-cpu", "The same: the client's processor time for a message", "CPU µs a message", single(cpu),
            goals=[figure("at most 0.3 µs by the client", 0.3, of=CLIENT), figure("at most 0.3 µs by the whole program", 0.3)]),
        Work(
            "nats-packed", "Trades into a stream, packed by 1,000, confirmed", "million trades/s", both(rate), higher_is_better=True,
            goals=[figure("at least 5 M trades/s", 5, at_least=True), figure("at least 5 M trades/s over partitions", 5, at_least=True, of=EIGHT)]),
        Work(
            "nats-consumed", "Packed trades out of a stream into a feed", "million trades/s", both(read), higher_is_better=True,
            goals=[figure("at least 8 M trades/s", 8, at_least=True)]),
        Work("nats-median", "From a message to its receipt through a stream, 1,000 a second, median", "µs", trip(p50)),
        Work(
            "nats-latency", "The same, 99th percentile", "µs", trip(p99),
            goals=[Goal("at most libnats'", lambda w: w.ratio(LIBNATS), 1)]),
    ]
