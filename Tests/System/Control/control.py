#!/usr/bin/env python3
"""Asks, changes and stops real runs by their control sockets: control.py PROGRAM [--only PATTERN].

The runs' sockets are in a runtime folder of the test's own. Nothing here depends on how fast anything is.
"""
import argparse
import csv
import http.client
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import traceback

DESK = """
sources:
  ticks: { plugin: generator, symbols: 5, interval: 50ms, seed: 7 }
  echo: { plugin: echo_socket, inputs: [ticks] }
processors:
  ranked: { plugin: sorting_feed, inputs: [echo], by: price }
sinks:
  out: { plugin: null_sink, inputs: [ranked] }
  links: { plugin: file_writer, inputs: [connections], path: FOLDER/links.csv }
"""
TOKEN = "0123456789abcdef-token"
MARK = """
import StockbusPlugin

extension Plugin { public static let mark = Plugin("mark", "Gives all trades one size.", .processor(Mark.self)) }

public actor Mark: Processor {
  public init(_: NoOptions, _: Context) {}

  public func process(_ events: Span<Trade>, into output: inout Outlet<Trade>) {
    for i in events.indices {
      var trade = events[i]
      trade.size = Quantity(raw: SIZE * 1_000_000_000)
      output.send(trade)
    }
  }
}
"""


class Skipped(Exception):
    """Something is missing here that a test needs."""


class Desk:
    """Runs of one user, with their own runtime folder."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.folder = tempfile.mkdtemp()
        os.chmod(self.folder, 0o700)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder, NO_COLOR="1", STOCKBUS_TOKEN=TOKEN)
        self.runs = []

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as out:
            out.write(text.replace("FOLDER", self.folder))
        return path

    def launch(self, config, *options):
        """A run; its log is in a file."""
        log = open(os.path.join(self.folder, f"log{len(self.runs)}"), "wb")
        run = subprocess.Popen([self.program, "run", *options, config], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment)
        run.log = log.name
        self.runs.append(run)
        return run

    def start(self, config, *options):
        """A run that listens, and is as it should be."""
        run = self.launch(config, *options)
        self.until(lambda: self.ask("status", "--json", "--run", str(run.pid)).returncode == 0)
        return run

    def ask(self, *words, cwd=None):
        return subprocess.run(
            [self.program, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, env=self.environment, cwd=cwd or self.folder, timeout=120)

    def status(self, *words):
        return json.loads(self.ask("status", "--json", *words).stdout)

    def until(self, condition, limit=60):
        end = time.monotonic() + limit
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError("it does not come about: " + "".join(open(run.log).read()[-1000:] for run in self.runs))
            time.sleep(0.05)

    def socket(self, run):
        return os.path.join(self.folder, "stockbus", f"{run.pid}.sock")

    def get(self, run, path, **fields):
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.sock.connect(self.socket(run))
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in fields.items()})
        answer = connection.getresponse()
        return answer.status, answer.getheader("content-type"), answer.read().decode()

    def close(self):
        for run in self.runs:
            if run.poll() is None:
                run.kill()
            run.wait()
        shutil.rmtree(self.folder)


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def test_nothing_runs(desk):
    """Nothing runs: that is said."""
    answer = desk.ask("status")
    expect(answer.returncode == 1 and "there are no runs" in answer.stderr, answer)
    expect(desk.ask("ps").stdout.splitlines() == ["PROCESS  NAME  STATE  FOR  EVENTS  CONFIGURATION"], desk.ask("ps"))


def test_whole_life(desk):
    """A run is listed, shown, told, changed by plan, apply and reload, and stopped; its socket stays connected all the time."""
    config = desk.write("desk.yaml", DESK)
    run = desk.start(config)
    desk.until(lambda: desk.status()["edges"][-2]["delivered"] > 5)
    place = os.stat(desk.socket(run))
    expect(stat.S_ISSOCK(place.st_mode) and place.st_mode & 0o777 == 0o600, oct(place.st_mode))
    expect(os.stat(os.path.dirname(desk.socket(run))).st_mode & 0o777 == 0o700, "the folder is the user's alone")
    listed = desk.ask("ps").stdout.splitlines()
    expect(len(listed) == 2 and listed[1].split()[:3] == [str(run.pid), "desk", "running"], listed)
    told = desk.ask("tell", "ticks", "set", "AAPL", "321.5")
    expect(told.returncode == 0 and told.stdout == "AAPL is now 321.50\n", told)
    expect(desk.ask("tell", "ticks", "sett", "AAPL").returncode == 1, "an unknown command")
    negative = desk.ask("tell", "ticks", "set", "AAPL", "-5")
    expect(negative.returncode == 1 and "option" not in negative.stderr, negative)
    top = desk.ask("top", "--once")
    expect(top.returncode == 0 and re.search(r"^ranked +sorting_feed +running +\d", top.stdout, re.M), top)

    tapped = desk.ask("tap", "ranked", "--limit", "3", "--fields", "symbol,rank", "--where", "rank <= 2")
    lines = tapped.stdout.splitlines()
    expect(tapped.returncode == 0 and lines[0].split() == ["SYMBOL", "RANK"] and len(lines) == 4, tapped)
    expect(desk.ask("tap", "ranked", "--where", "rnk < 2").returncode == 1, "no such field")

    new = desk.write("new.yaml", DESK.replace("by: price", "by: percent").replace("sinks:", "  mine: { plugin: watchlist_filter, inputs: [ranked], symbols: [AAPL] }\nsinks:\n  two: { plugin: null_sink, inputs: [mine] }"))
    plan = desk.ask("plan", new)
    expect(plan.returncode == 0 and plan.stdout.endswith("planned: added mine, two; replaced ranked; 4 as before\n"), plan)
    expect(len(desk.status()["components"]) == 5, "a plan changes nothing")
    applied = desk.ask("apply", new)
    expect(applied.returncode == 0 and applied.stdout.endswith("done: added mine, two; replaced ranked; 4 as before\n"), applied)
    expect(desk.status()["configuration"] == [new], desk.status()["configuration"])

    # What cannot be read again would keep whoever reads it for ever.
    os.mkfifo(os.path.join(desk.folder, "pipe.yaml"))
    for path in [os.path.join(desk.folder, "pipe.yaml"), "/dev/zero"]:
        for word in ["plan", "apply"]:
            piped = desk.ask(word, path)
            expect(piped.returncode == 1 and "can be read again" in piped.stdout, piped)
    expect(desk.ask("apply", "-").returncode == 64, "standard input")

    # The configuration is broken, the run is not.
    desk.write("new.yaml", "sources: {")
    broken = desk.ask("reload")
    expect(broken.returncode == 78 and f"{new}:" in broken.stdout and "not changed: 1 problem" in broken.stdout, broken)
    desk.write("new.yaml", DESK.replace("ticks: {", "ticks: { count: 100000,"))
    reloaded = desk.ask("reload", "--json")
    expect(reloaded.returncode == 0 and json.loads(reloaded.stdout)["outcome"] == "done", reloaded)
    before = desk.status()["edges"][-2]["delivered"]
    desk.until(lambda: desk.status()["edges"][-2]["delivered"] > before + 5)

    ended = desk.ask("stop")
    expect(ended.returncode == 0 and "balanced: every event is accounted for" in ended.stdout, ended)
    expect(run.wait(timeout=60) == 0, "the run has ended")
    expect(not os.path.exists(desk.socket(run)), "nothing is left")
    with open(os.path.join(desk.folder, "links.csv")) as links:
        states = [line for line in links if ",connected," in line]
    expect(len(states) == 1, "the socket was connected once: " + "".join(states))


def test_why(desk):
    """A symbol that is missing: the component that leaves it out is named, with the line that does it."""
    config = desk.write("why.yaml", """
sources:
  ticks: { plugin: generator, symbols: [AAPL, MSFT], interval: 20ms }
processors:
  mine: { plugin: watchlist_filter, inputs: [ticks], symbols: [AAPL] }
sinks:
  out: { plugin: null_sink, inputs: [mine] }
""")
    desk.start(config)
    desk.until(lambda: desk.status()["edges"][-1]["delivered"] > 0)
    answer = desk.ask("why", "MSFT", "--for", "1s")
    lines = answer.stdout.splitlines()
    expect(answer.returncode == 0 and lines[0] == "'MSFT' reaches no sink; mine published no event of it", answer)
    expect(re.search(rf"^mine +watchlist_filter +running +[1-9]\d* +0 +filters: 'symbols' does not list it \({config}:5:63\)$",
                     answer.stdout, re.M), answer)
    report = json.loads(desk.ask("why", "AAPL", "--for", "1s", "--json").stdout)
    expect(report["verdict"] == "'AAPL' reaches out" and report["components"][1]["reasons"][0]["setting"] == "symbols[0]", report)
    unknown = desk.ask("why", "msft")
    expect(unknown.returncode == 1 and "did you mean 'MSFT'?" in unknown.stderr, unknown)
    expect(desk.ask("why", "MSFT", "--for", "1h").returncode == 64, "longer than a minute")


def test_several_runs(desk):
    """Of several runs one has to be named; a run that was killed is forgotten."""
    first = desk.start(desk.write("one.yaml", DESK))
    second = desk.start(desk.write("two.yaml", DESK.replace("links.csv", "links2.csv")), "--name", "other")
    unclear = desk.ask("status")
    expect(unclear.returncode == 1 and "which run?" in unclear.stderr and "other" in unclear.stderr, unclear)
    os.mkdir(os.path.join(desk.folder, "near"))
    near = desk.start(desk.write("near/three.yaml", DESK.replace("links.csv", "links3.csv")))
    told = desk.ask("status", cwd=os.path.join(desk.folder, "near"))
    expect(told.returncode == 0 and told.stdout.startswith("three: ") and told.stderr.startswith(f"three, process {near.pid}: "), told)
    near.send_signal(signal.SIGINT)
    near.wait()
    expect(desk.status("--run", "other")["process"] == second.pid, "by name")
    expect(desk.status("--run", str(first.pid))["name"] == "one", "by number")
    expect(desk.ask("status", "--run", "none").returncode == 1, "no such run")
    # One that does not answer is in both lists, and keeps nobody from asking another one by its number.
    second.send_signal(signal.SIGSTOP)
    expect("does not answer" in desk.ask("ps").stdout, "it is listed")
    entries = {entry["process"]: entry for entry in json.loads(desk.ask("ps", "--json").stdout)}
    expect(entries[first.pid]["status"]["name"] == "one" and "failure" in entries[second.pid], entries)
    expect(desk.status("--run", str(first.pid))["name"] == "one", "by number")
    second.send_signal(signal.SIGKILL)
    second.wait()
    expect(os.path.exists(desk.socket(second)), "it could not remove its socket")
    expect(desk.status()["name"] == "one", "the other one is clear now")
    expect(not os.path.exists(desk.socket(second)), "it was removed")


def test_failing_sink(desk):
    """A sink that cannot start is named by health, metrics and status, and the others continue."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    port = taken.getsockname()[1]
    sink = f"  web: {{ plugin: dashboard, inputs: [ranked], listen: '127.0.0.1:{port}', supervision: {{ restarts: 0 }} }}\n"
    config = desk.write("desk.yaml", DESK + sink)
    run = desk.launch(config)
    desk.until(lambda: os.path.exists(desk.socket(run)))
    desk.until(lambda: any(c["id"] == "web" and c["state"] == "failed" for c in desk.status()["components"]))
    code, _, reasons = desk.get(run, "/readyz")
    expect(code == 503 and reasons.startswith("web is failed: ") and reasons.count("\n") == 1, reasons)
    expect(desk.get(run, "/livez")[0] == 200, "it lives")
    expect('stockbus_component_state{component="web",state="failed"} 1' in desk.get(run, "/metrics")[2], "metrics")
    shown = desk.ask("status")
    expect(shown.returncode == 1 and "cannot listen there" in shown.stdout, shown)
    before = desk.status()["edges"][2]["delivered"]
    desk.until(lambda: desk.status()["edges"][2]["delivered"] > before + 5)
    ended = desk.ask("drain")
    expect(ended.returncode == 1 and "web failed for good" in ended.stdout, ended)
    taken.close()


def test_metrics(desk):
    """Metrics are what Prometheus wants, on the port too, and only with the token."""
    config = desk.write("desk.yaml", DESK)
    without = subprocess.run([desk.program, "run", "--control", "127.0.0.1:0", config], capture_output=True, text=True,
                             env={k: v for k, v in desk.environment.items() if k != "STOCKBUS_TOKEN"}, timeout=60)
    expect(without.returncode == 64 and "STOCKBUS_TOKEN" in without.stderr, without)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    run = desk.start(config, "--control", f"127.0.0.1:{port}")
    for form, kind in [("text/plain", "text/plain; version=0.0.4; charset=utf-8"),
                       ("application/openmetrics-text; version=1.0.0", "application/openmetrics-text; version=1.0.0; charset=utf-8")]:
        code, given, text = desk.get(run, "/metrics", Accept=form)
        expect(code == 200 and given == kind, given)
        expect(text.endswith("# EOF\n") == ("openmetrics" in kind), text[-100:])
    edges = {}
    for line in desk.get(run, "/metrics")[2].splitlines():
        found = re.match(r'stockbus_edge_(received|events|waiting)(?:_total)?\{from="(.*?)",to="(.*?)"(?:,outcome="\w+")?\} (\d+)$', line)
        if found:
            sums = edges.setdefault(found.group(2, 3), {})
            sums[found.group(1)] = sums.get(found.group(1), 0) + int(found.group(4))
    expect(len(edges) == 4 and all(e["received"] == e["events"] + e["waiting"] for e in edges.values()), edges)
    # Buckets count what is below their bounds, so they never fall, and the last one has all.
    desk.until(lambda: 'le="+Inf"' in desk.get(run, "/metrics")[2])
    histograms = {}
    for line in desk.get(run, "/metrics")[2].splitlines():
        found = re.match(r'(stockbus_\w+_latency_seconds)_(?:bucket|count)\{(.*?)(?:,le="(.*?)")?\} (\d+)$', line)
        if found:
            histograms.setdefault(found.group(1, 2), []).append((found.group(3), int(found.group(4))))
    expect(histograms and all(len(h) == 24 for h in histograms.values()), histograms)
    for histogram in histograms.values():
        counts = [count for _, count in histogram]
        expect(counts == sorted(counts) and histogram[22][0] == "+Inf" and counts[22] == counts[23], histogram)
    for headers, code in [({}, 401), ({"Authorization": "Bearer no"}, 401), ({"Authorization": f"Bearer {TOKEN}"}, 200),
                          ({"Authorization": f"Bearer {TOKEN}", "Origin": "http://localhost"}, 403),
                          ({"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}, 421)]:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/metrics", headers=headers)
        expect(connection.getresponse().status == code, (headers, code))
        connection.close()
    for line in open(run.log):
        expect(TOKEN not in line, "the token is in the log")
    promtool = shutil.which("promtool")
    if promtool:
        checked = subprocess.run([promtool, "check", "metrics"], input=desk.get(run, "/metrics")[2], capture_output=True, text=True)
        expect(checked.returncode == 0 and not checked.stderr.strip(), checked.stdout + checked.stderr)
    else:
        print("  SKIPPED: promtool is not here", flush=True)
    expect(desk.ask("stop").returncode == 0, "stopped")


def test_foreign_folder(desk):
    """Where others may enter the runtime folder no socket is made there, and the run goes on."""
    os.mkdir(os.path.join(desk.folder, "stockbus"), 0o700)
    os.chmod(os.path.join(desk.folder, "stockbus"), 0o777)
    config = desk.write("desk.yaml", DESK.replace("interval: 50ms", "count: 50, interval: 10ms"))
    ran = desk.ask("run", config)
    expect(ran.returncode == 0 and "other users may enter it" in ran.stderr and "balanced" in ran.stderr, ran)


FAULTS = """
sources:
  ticks: { plugin: generator, symbols: 25, rate: 5000/s, seed: 7 }
  echo: { plugin: echo_socket, inputs: [{ from: ticks, overflow: drop_oldest, capacity: 1000 }], url: "ws://127.0.0.1:PORT" }
sinks:
  good: { plugin: file_writer, inputs: [ticks], path: FOLDER/good.csv }
  full: { plugin: file_writer, inputs: [{ from: ticks, overflow: drop_oldest, capacity: 1000 }], path: /dev/full }
  hung: { plugin: file_writer, inputs: [{ from: ticks, overflow: drop_oldest, capacity: 1000 }], path: FOLDER/hung, format: csv }
  slow: { plugin: file_writer, inputs: [{ from: ticks, overflow: drop_oldest, capacity: 1000 }], path: FOLDER/slow, format: csv }
  reader: { plugin: file_writer, inputs: [{ from: ticks, overflow: drop_oldest, capacity: 1000 }], path: FOLDER/reader, format: csv }
  alerts:
    plugin: notification_dispatcher
    inputs: [ticks]
    rules: [{ name: any, above: 0, once: true, initial: true }]
    channels: [{ command: { name: dying, run: [sh, -c, "kill -9 $$$$"], attempts: 1 } }]
  out: { plugin: null_sink, inputs: [echo] }
  dead: { plugin: file_writer, inputs: [dead_letters], path: FOLDER/dead.jsonl, flush: 100ms }
  states: { plugin: file_writer, inputs: [health], path: FOLDER/states.jsonl, flush: 100ms }
"""


def read_slowly(path):
    with open(path, "rb", buffering=0) as pipe:
        while pipe.read(4096):
            time.sleep(0.2)


def test_faulty_sinks(desk):
    """Sinks that cannot write, hang, are slow, or whose reader is killed, an echo without a server and an alert's program that is killed: the
    good sink gets everything, and status, top, metrics, health and dead letters say the same."""
    nobody = socket.socket()
    nobody.bind(("127.0.0.1", 0))
    config = desk.write("faults.yaml", FAULTS.replace("PORT", str(nobody.getsockname()[1])))
    for name in ["hung", "slow", "reader"]:
        os.mkfifo(os.path.join(desk.folder, name))
    asleep = subprocess.Popen(["sh", "-c", 'exec sleep 1000 < "$0"', os.path.join(desk.folder, "hung")])
    cat = subprocess.Popen(["sh", "-c", 'exec cat < "$0"', os.path.join(desk.folder, "reader")], stdout=subprocess.DEVNULL)
    threading.Thread(target=read_slowly, args=[os.path.join(desk.folder, "slow")], daemon=True).start()
    try:
        run = desk.launch(config)
        desk.until(lambda: desk.ask("ps").stdout.count("\n") == 2)

        def edge(name, status):
            return next(edge for edge in status["edges"] if edge["to"] == name)

        desk.until(lambda: edge("reader", desk.status())["delivered"] > 1000)
        cat.kill()
        # Each fault has shown itself, and the good one goes on.
        desk.until(lambda: all(edge(name, desk.status())["dropped"] > 0 for name in ["full", "hung", "slow", "reader", "echo"]))
        before = edge("good", desk.status())["delivered"]
        desk.until(lambda: edge("good", desk.status())["delivered"] > before + 10_000)
        # The one that hangs is noticed after a while; the slow one finishes a batch now and then.
        desk.until(lambda: "has finished no event for" in desk.ask("status").stdout)
        states = {"ticks": "running", "good": "running", "full": "degraded", "echo": "degraded", "reader": "failed", "hung": "degraded"}
        reasons = {
            "full": "No space left on device", "echo": "Connection refused", "reader": "Broken pipe", "hung": "has finished no event for"}
        status = desk.status()
        components = {component["id"]: component for component in status["components"]}
        expect({id: components[id]["state"] for id in states} == states, components)
        for id, reason in reasons.items():
            expect(reason in components[id]["error"], components[id])
        expect(edge("good", status)["dropped"] == 0 and edge("hung", status)["waiting"] > 0, status["edges"])
        top = desk.ask("top", "--once").stdout
        metrics = desk.get(run, "/metrics")[2]
        news = [json.loads(line) for line in open(os.path.join(desk.folder, "states.jsonl"))]
        for id, state in states.items():
            expect(re.search(rf"^{id} +\w+ +{state} .*{reasons.get(id, '')}", top, re.M), (id, top))
            expect(f'stockbus_component_state{{component="{id}",state="{state}"}} 1' in metrics, (id, state))
            last = [entry for entry in news if entry["component"] == id][-1]
            expect(last["state"] == state and reasons.get(id, "") in last["reason"], last)
        ready = desk.get(run, "/readyz")
        expect(ready[0] == 503 and all(reason in ready[2] for reason in reasons.values()), ready)
        # The program is started 25 times, which takes its time on a busy machine.
        dead = os.path.join(desk.folder, "dead.jsonl")
        desk.until(lambda: open(dead).read().count("\n") >= 25)
        letters = [json.loads(line) for line in open(dead)]
        expect(len(letters) == 25 and all(letter["reason"] == "not delivered: sh ended by signal 9" for letter in letters), letters)
        # The one that hangs never ends, so the process is ended in the end, and that is told too.
        stopped = desk.ask("stop")
        expect(stopped.returncode == 1 and "these components do not end: hung" in stopped.stdout, stopped)
        expect(run.wait(timeout=60) == 1, run.returncode)
        delivered = int(re.search(r"ticks → good +([\d,]+) +\1 +0 ", stopped.stdout).group(1).replace(",", ""))
        expect(len(open(os.path.join(desk.folder, "good.csv")).readlines()) == delivered + 1, delivered)
    finally:
        for process in [asleep, cat]:
            process.kill()
            process.wait()
        nobody.close()


class Manager:
    """A service manager that listens, at a path or at a name that is no file."""

    def __init__(self, desk, name=None):
        name = name or os.path.join(desk.folder, "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(name.replace("@", "\0", 1))
        self.socket.settimeout(60)
        desk.environment["NOTIFY_SOCKET"] = name

    def next(self):
        """The fields of the next message."""
        return dict(line.split("=", 1) for line in self.socket.recv(8192).decode().split("\n"))

    def until(self, field):
        """The next message with this field; those before have a new status only."""
        while True:
            message = self.next()
            if field in message:
                return message
            expect(list(message) == ["STATUS"], message)

    def expect_end(self):
        self.socket.setblocking(False)
        try:
            raise AssertionError(f"a message after the end: {self.next()}")
        except BlockingIOError:
            self.socket.close()


def test_service(desk):
    """A service manager hears of a run's start, of each change and of its stop."""
    for name in [None, f"@stockbus-{os.getpid()}"]:
        manager = Manager(desk, name)
        config = desk.write("desk.yaml", DESK)
        run = desk.start(config)
        expect(manager.until("READY") == {"READY": "1", "STATUS": "5 components, ready"}, "ready")
        desk.write("desk.yaml", DESK.replace("by: price", "by: percent").replace("sinks:", "sinks:\n  two: { plugin: null_sink, inputs: [ranked] }"))
        before = time.monotonic_ns() // 1000
        expect(desk.ask("reload").returncode == 0, "reloaded")
        begun = manager.until("RELOADING")
        expect(before < int(begun["MONOTONIC_USEC"]) < time.monotonic_ns() // 1000, begun)
        # It may look as if something has failed since, as long as the new instance has done nothing yet.
        expect(manager.until("READY")["STATUS"].startswith("6 components, "), "changed")
        desk.write("desk.yaml", "sources: {")
        expect(desk.ask("reload").returncode == 78, "a broken configuration")
        manager.until("RELOADING")
        expect(manager.until("READY")["STATUS"].startswith("6 components, "), "as before")
        run.send_signal(signal.SIGTERM)
        expect(manager.until("STOPPING")["STATUS"] == "6 components, the run is stopping", "stopping")
        expect(run.wait(timeout=60) == 0, "it has ended")
        manager.expect_end()


def test_service_start(desk):
    """A run without one of its components is ready, and so is a short one; a run that ends because a component does not start is not."""
    manager = Manager(desk)
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    web = f"web: {{ plugin: dashboard, inputs: [ticks], listen: '127.0.0.1:{taken.getsockname()[1]}', supervision: {{ restarts: 0 }} }}"
    desk.launch(desk.write("desk.yaml", f"{DESK}  {web}\n"))
    ready = manager.until("READY")
    expect(ready["STATUS"].startswith("6 components, web is failed: ") and "cannot listen there" in ready["STATUS"], ready)
    expect(desk.ask("stop").returncode == 1, "web has failed")
    manager.until("STOPPING")
    short = desk.write("short.yaml", "sources: { ticks: { plugin: generator, count: 5 } }\nsinks: { out: { plugin: null_sink, inputs: [ticks] } }\n")
    expect(desk.ask("run", short).returncode == 0, "short")
    manager.until("READY")
    manager.until("STOPPING")
    failing = desk.write("failing.yaml", f"sources: {{ ticks: {{ plugin: generator, interval: 1h }} }}\nsinks: {{ {web} }}\n")
    expect(desk.ask("run", failing).returncode == 1, "no sink is left")
    expect("READY" not in manager.next(), "it has not started")
    manager.expect_end()
    taken.close()


def test_rebuilt_library(desk):
    """A loaded plugin is edited, built, installed and taken up by a reload: the run goes on, and loses and doubles nothing."""
    if shutil.which("swiftc") is None:
        raise Skipped("there is no Swift compiler")
    sources = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
    desk.ask("plugin", "new", "mark", "--kind", "processor", "--home", "loaded", "--stockbus", sources, cwd=desk.folder)
    plugin = os.path.join(desk.folder, "mark")
    source = os.path.join(plugin, "Sources", "MarkProcessor.swift")

    def edit_build_install(size):
        began = time.monotonic()
        with open(source, "w") as out:
            out.write(MARK.replace("SIZE", str(size)))
        for words in (("plugin", "build", plugin), ("plugin", "install", plugin, "--to", os.path.join(desk.folder, "plugins"))):
            answer = desk.ask(*words)
            expect(answer.returncode == 0, answer)
        return began

    edit_build_install(1)
    config = desk.write("marked.yaml", """
plugin_path: [FOLDER/plugins]
sources:
  ticks: { plugin: generator, symbols: 5, interval: 1ms, seed: 7 }
processors:
  marked: { plugin: mark, inputs: [ticks] }
sinks:
  out: { plugin: file_writer, inputs: [marked], path: FOLDER/marked.csv }
  all: { plugin: file_writer, inputs: [ticks], path: FOLDER/all.csv }
""")
    run = desk.start(config)

    def sizes(name):
        """Those of the lines that are there as a whole."""
        with open(os.path.join(desk.folder, name)) as file:
            text = file.read()
        return [float(row["size"]) for row in csv.DictReader(text[: text.rfind("\n") + 1].splitlines())]

    desk.until(lambda: 1 in sizes("marked.csv"))
    for size in (2, 3):
        began = edit_build_install(size)
        answer = desk.ask("reload")
        expect(answer.returncode == 0 and "marked" in answer.stdout, answer)
        print(f"     edited, built, installed and reloaded in {time.monotonic() - began:.1f} s")
        desk.until(lambda: size in sizes("marked.csv"))
    # One that traps while it is loaded is refused, and the run goes on with the former one.
    with open(source, "w") as out:
        out.write('import StockbusPlugin\n\nextension Plugin { static let mark: Plugin = { fatalError("not today") }() }\n')
    for words in (("plugin", "build", plugin), ("plugin", "install", plugin, "--to", os.path.join(desk.folder, "plugins"))):
        desk.ask(*words)
    answer = desk.ask("reload")
    expect(answer.returncode != 0 and "not today" in answer.stderr + answer.stdout, answer)
    expect(run.poll() is None, "the run goes on")
    stopped = desk.ask("stop")
    expect(stopped.returncode == 0 and run.wait(30) == 0, stopped)
    marked = sizes("marked.csv")
    expect(marked == sorted(marked) and set(marked) == {1, 2, 3}, "each library takes over from the former one")
    expect(len(marked) == len(sizes("all.csv")), f"{len(marked)} of {len(sizes('all.csv'))} events came through")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_") or not re.search(arguments.only, name):
            continue
        desk = Desk(arguments.program)
        try:
            test(desk)
            print("ok", test.__doc__, flush=True)
        except Skipped as missing:
            print("SKIPPED", test.__doc__, missing, flush=True)
        except Exception:
            failed += 1
            print("FAILED", test.__doc__, flush=True)
            traceback.print_exc()
        finally:
            desk.close()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
