"""Runs of stockbus around NATS servers: their configurations, their ends, and what is in the files that they leave."""
import json
import pathlib
import re
import signal
import subprocess
import time

FIELDS = "fields: [symbol, price, size, time]"


def wait_for(what, within, condition):
    deadline = time.time() + within
    while not condition():
        if time.time() > deadline:
            raise SystemExit(f"not within {within} s: {what}")
        time.sleep(0.05)


class Run:
    """One process, with its log."""

    def __init__(self, program, text, path):
        path.with_suffix(".yaml").write_text(text)
        self.path = path.with_suffix(".log")
        with open(self.path, "w") as log:
            self.process = subprocess.Popen(
                [program, "run", str(path.with_suffix(".yaml"))], stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    @property
    def log(self):
        return self.path.read_text()

    @property
    def isOver(self):
        return self.process.poll() is not None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def wait(self, within):
        try:
            return self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()
            self.fail(f"did not end in {within} s")

    def delivered(self):
        """What the run's ledger says was delivered; its status has said that it balances."""
        total = re.search(r"^total +([\d,]+) +([\d,]+)$", self.log, re.MULTILINE)
        if total is None or total[1] != total[2] or "balanced: every event is accounted for" not in self.log:
            self.fail("has another ledger than one in which all is delivered")
        return int(total[1].replace(",", ""))

    def fail(self, words):
        raise SystemExit(f"{self.path.name}: {words}\n{self.log[-3000:]}")

    def expect_end(self, within=300, status=0):
        """The end of a run in which everything is accounted for."""
        ended = self.wait(within)
        if ended != status:
            self.fail(f"ended with {ended}")

    def expect_failure(self, words, within=60):
        status = self.wait(within)
        if status != 1:
            self.fail(f"ended with {status}, not with 1")
        if words not in self.log:
            self.fail(f"does not say '{words}'")

    def expect_words(self, *words, within=60):
        """One of these."""
        deadline = time.time() + within
        while not any(each in self.log for each in words):
            if self.isOver or time.time() > deadline:
                self.fail(f"does not say '{' or '.join(words)}'")
            time.sleep(0.05)

    def stop(self, status=0):
        self.process.send_signal(signal.SIGTERM)
        self.expect_end(60, status)


class Runs:
    """All runs of a test have the same events, which a first run without NATS writes into a file."""

    def __init__(self, program, events, seconds, folder, batch=None):
        self.program, self.events, self.folder, self.batch = str(pathlib.Path(program).resolve()), events, folder, batch
        self.all = []
        # Times follow the rate, so all runs have this one.
        self.ticks = (
            f"ticks: {{ plugin: generator, symbols: 200, rate: {max(1000, events // seconds)}/s, count: {events}, seed: 3,"
            " start: '2024-01-02T14:30:00Z' }")
        self.reference = folder / "reference.jsonl"
        self.start(
            f"sources: {{ {self.ticks} }}\n"
            f"sinks: {{ out: {{ plugin: file_writer, inputs: [ticks], path: {self.reference}, {FIELDS} }} }}\n").expect_end()
        self.lines = self.reference.read_bytes().splitlines()
        assert len(self.lines) == events, f"the generator made {len(self.lines)} events"
        assert len(set(self.lines)) == events, "the events cannot be told apart"

    def start(self, text):
        self.all.append(Run(self.program, text, self.folder / str(len(self.all) + 1)))
        return self.all[-1]

    def kill_all(self):
        for run in self.all:
            if not run.isOver:
                run.kill()

    # Short pauses, so that a test of lost connections is short.
    connection = "connection: { reply_deadline: 2s, max_backoff: 500ms, ping: 2s, pong_deadline: 2s }"

    def writer(self, urls, stream, replicas, more="input: replay", ends=True):
        """One that does not end is still there when something goes wrong, however slow the machine is."""
        ticks = self.ticks if ends else self.ticks.replace(f", count: {self.events}", "")
        if self.batch:
            more += f", batch: {self.batch}, linger: 20ms"
        return self.start(
            f"sources: {{ {ticks} }}\n"
            f"sinks: {{ out: {{ plugin: nats_out, inputs: [ticks], servers: [{', '.join(urls)}], stream: {stream},"
            f" subject: '{stream}.{{partition}}', partitions: 8, create: {{ replicas: {replicas} }}, {self.connection}, {more} }} }}\n")

    def reader(self, urls, stream, path, more="", append="false"):
        return self.start(
            f"sources: {{ desk: {{ plugin: nats_in, servers: [{', '.join(urls)}], stream: {stream}, {self.connection}, {more} }} }}\n"
            f"sinks: {{ out: {{ plugin: file_writer, inputs: [desk], path: {path}, {FIELDS}, append: {append}, flush: 0s }} }}\n")

    def wait_for_lines(self, path, run, within=120):
        def count():
            return path.read_bytes().count(b"\n") if path.exists() else 0

        deadline = time.time() + within
        while count() < self.events:
            if run.isOver or time.time() > deadline:
                run.fail(f"{path.name} has {count()} of {self.events} lines")
            time.sleep(0.1)

    @staticmethod
    def size(path):
        return path.stat().st_size if path.exists() else 0

    @staticmethod
    def count_lines(path, begun):
        """How many lines a run has written that began when the file had so many bytes; a line that was torn then, it has ended."""
        data = path.read_bytes()
        return data.count(b"\n", begun) - (begun > 0 and data[begun - 1] != 10)

    def streams(self, lines):
        """The lines that have to be in order: all of them, or packed those of each symbol."""
        if not self.batch:
            return {"": lines}
        found = {}
        for line in lines:
            try:
                found.setdefault(json.loads(line)["symbol"], []).append(line)
            except ValueError:
                # The line that a kill has torn.
                pass
        return found

    def check_same(self, path, what):
        came, wanted = self.streams(path.read_bytes().splitlines()), self.streams(self.lines)
        for name in sorted(came.keys() | wanted.keys()):
            lines, others = came.get(name, []), wanted.get(name, [])
            for n, (a, b) in enumerate(zip(lines, others)):
                if a != b:
                    raise SystemExit(f"{what}: event {n} {name} is {a!r}, expected {b!r}")
            if len(lines) != len(others):
                raise SystemExit(f"{what}: {len(lines)} events {name}, expected {len(others)}")
        print(f"  {what}: {self.events} events, each once and in order", flush=True)

    def check_repeats(self, path, what):
        """Nothing is missing, and after each kill at most what was not acknowledged comes again."""
        repeats, wanted = 0, self.streams(self.lines)
        for name, lines in self.streams(path.read_bytes().splitlines()).items():
            place = {line: n for n, line in enumerate(wanted[name])}
            following = 0
            for line in lines:
                n = place.get(line)
                # The line that a kill has torn.
                if n is None:
                    continue
                if n > following:
                    raise SystemExit(f"{what}: events {following} to {n - 1} {name} are missing")
                repeats += n < following
                following = max(following, n + 1)
            if following != len(place):
                raise SystemExit(f"{what}: {following} events {name}, expected {len(place)}")
        print(f"  {what}: {self.events} events, none missing, {repeats} of them again", flush=True)
