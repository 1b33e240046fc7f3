#!/usr/bin/env python3
"""Compares a run with Documentation/use/control.yaml by Schemathesis: control.py PROGRAM SCHEMATHESIS [--examples N] [--seed N].

A run with an echo, a ranking, a list and alerts is asked with its token. The requests are those of the document's examples, of the edges of
its schemas, and made up by seed, some proper and some not; among them plans and changes to files that are not there. control.toml names the
deviations that are meant, each with its reason. POST /stop ends the run and is asked last, by itself: its answer is the document's, the
process ends with that status, and the ledger is balanced. Nothing that was said has the token in it.
"""
import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../../..")
TOKEN = "contract-0123456789abcdef"
CONFIG = """
sources:
  ticks: { plugin: generator, symbols: 5, interval: 20ms, seed: 42 }
  echo: { plugin: echo_socket, inputs: [ticks], url: embedded }
processors:
  ranked: { plugin: sorting_feed, inputs: [echo], by: price }
  mine: { plugin: watchlist_filter, inputs: [ranked], symbols: [AAPL, NVDA] }
sinks:
  shown: { plugin: null_sink, inputs: [mine] }
  states: { plugin: null_sink, inputs: [connections] }
  alerts:
    plugin: notification_dispatcher
    inputs: [echo]
    rules: [{ name: high, symbol: AAPL, crosses_above: 100000 }]
    channels: [{ file: { path: alerts.txt } }]
"""
LEFT_OUT = "stop"


def ask(port, method, path, body=None, token=TOKEN):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        fields = {"Authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            fields["Content-Type"] = "application/json"
        connection.request(method, path, None if body is None else json.dumps(body), fields)
        answer = connection.getresponse()
        return answer.status, answer.getheader("content-type") or "", answer.read().decode()
    finally:
        connection.close()


class Run:
    def __init__(self, program, folder):
        self.folder, self.log_path = folder, os.path.join(folder, "run.log")
        self.config = os.path.join(folder, "run.yaml")
        with open(self.config, "w") as out:
            out.write(CONFIG)
        runtime = os.path.join(folder, "runtime")
        os.mkdir(runtime, 0o700)
        environment = dict(os.environ, STOCKBUS_TOKEN=TOKEN, XDG_RUNTIME_DIR=runtime)
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen([program, "run", self.config, "--control", "127.0.0.1:0"], cwd=folder, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL, stderr=log, env=environment)
        end = time.monotonic() + 60
        while True:
            said = re.search(r"asked at http://127.0.0.1:(\d+)/", self.log)
            if said:
                self.port = int(said.group(1))
                if ask(self.port, "GET", "/readyz")[0] == 200:
                    return
            if self.process.poll() is not None or time.monotonic() > end:
                self.end()
                raise AssertionError(f"no port: {self.log[-2000:]}")
            time.sleep(0.02)

    @property
    def log(self):
        with open(self.log_path, "rb") as log:
            return log.read().decode("utf-8", "replace")

    def finish(self):
        """It lived until now and can be changed; POST /stop answers as the document says, and as the process ends."""
        assert self.process.poll() is None, f"the run has ended:\n{self.log[-3000:]}"
        status, kind, text = ask(self.port, "GET", "/status")
        assert status == 200, text
        assert json.loads(text)["configuration"] == [self.config], text
        status, kind, text = ask(self.port, "POST", "/reload")
        report = json.loads(text)
        assert status == 200 and report["outcome"] == "done", text
        assert {step["step"] for step in report["steps"]} == {"kept"}, text
        for token in (None, "", TOKEN[:-1], TOKEN + "x", "wrong"):
            for method, path in (("GET", "/livez"), ("GET", "/status"), ("GET", "/metrics"), ("POST", "/plan"), ("POST", "/stop")):
                status, kind, text = ask(self.port, method, path, token=token)
                assert status == 401 and kind.startswith("application/json"), (token, method, path, status, text)
        status, kind, text = ask(self.port, "POST", "/stop")
        assert status == 200 and kind.startswith("application/json"), (status, kind, text)
        ended = json.loads(text)
        assert type(ended.get("status")) is int and type(ended.get("text")) is str, text
        code = self.process.wait(timeout=60)
        assert code == ended["status"] == 0, f"{code} and {ended}:\n{self.log[-3000:]}"
        assert "balanced: every event is accounted for" in ended["text"], ended["text"]
        assert "balanced: every event is accounted for" in self.log, self.log[-3000:]
        # What was made up is refused with its place, and the log says so.
        assert not re.search(r"Fatal|unaccounted|FAILED", self.log), self.log[-3000:]
        assert TOKEN not in self.log, "the token is in the log"

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("schemathesis")
    parser.add_argument("--examples", type=int, default=20, help="made-up requests of each operation")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(os.path.abspath(arguments.program), folder)
        try:
            status = subprocess.run([
                os.path.abspath(arguments.schemathesis), "--config-file", os.path.join(HERE, "control.toml"), "run",
                os.path.join(ROOT, "Documentation/use/control.yaml"), "--url", f"http://127.0.0.1:{run.port}", "-H", f"Authorization: Bearer {TOKEN}",
                "--exclude-operation-id", LEFT_OUT, "--phases", "examples,coverage,fuzzing", "--max-examples", str(arguments.examples),
                "--seed", str(arguments.seed), "--request-timeout", "60",
            ], cwd=folder).returncode
            run.finish()
        finally:
            run.end()
    sys.exit(status)


if __name__ == "__main__":
    main()
