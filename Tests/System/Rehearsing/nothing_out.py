#!/usr/bin/env python3
"""Nothing gets out of `stockbus rehearse` and `stockbus test`: a configuration with everything that has effects, in a network namespace without
a way out and under strace. No address but the program's own is spoken to, no program runs, no file outside of TMPDIR is opened for writing,
made, renamed or removed, and the folder is the same afterwards.

    python3 Tests/System/Rehearsing/nothing_out.py [PROGRAM] [--killed]

It takes root and strace; where one is missing, it says so and ends with 77. First the files of the configuration are not there yet. Then
`stockbus run` makes them, which shows that effects are seen; with --killed it is ended by SIGKILL, so that its databases have open logs.
"""
import argparse
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

DESK = """
sources:
  live: { plugin: websocket, preset: coinbase_exchange, symbols: [BTC-USD] }
  polled:
    plugin: http_poll
    event: quote
    url: "http://127.0.0.1:9/prices.json"
    decoding:
      time: iso8601
      messages:
        prices: { when: { prices: "[]" }, each: [prices], event: quote, fields: { symbol: symbol, bid: bid, ask: ask, time: at } }
  ticks: { plugin: generator, symbols: [BTC-USD], interval: 100ms, seed: 1 }
  echo: { plugin: echo_socket, inputs: [ticks], url: "ws://127.0.0.1:9" }
  remote: { plugin: nats_in, servers: ["nats://127.0.0.1:9"], stream: PRICES, event: trade }
processors:
  minutes: { plugin: bars, inputs: [live], lengths: [1m] }
  follows: { plugin: demo_momentum, inputs: [ticks], account: fund, window: 2, threshold: 0.001% }
  broker: { plugin: paper_broker, inputs: [ticks, follows], path: fund.db, accounts: [{ name: fund, deposit: 1000000 }] }
  ranked: { plugin: sorting_feed, inputs: [ticks], by: percent, since: previous_close }
sinks:
  desk:
    plugin: notification_dispatcher
    inputs: [ticks]
    rules: [{ name: any, above: 1, initial: true, remind: 10ms }]
    channels:
      - webhook: { url: "http://127.0.0.1:9/hook" }
      - ntfy: { topic: prices, server: "http://127.0.0.1:9" }
      - email: { to: [a@example.org], from: b@example.org, program: /bin/true }
      - command: { run: [touch, called] }
      - file: { path: alerts.log }
      - console: {}
      - desktop: {}
  bus: { plugin: nats_out, inputs: [ticks], servers: ["nats://127.0.0.1:9"], subject: prices }
  rows: { plugin: file_writer, inputs: [ticks], path: out/rows.csv }
  bars: { plugin: recorder, inputs: [minutes], path: bars.jsonl }
  flashes: { plugin: flash_logger, inputs: [ticks], path: flashes.log }
  kept: { plugin: history, inputs: [ticks], path: history.db }
  called: { plugin: program_sink, inputs: [ticks], run: [tee, lines.txt], protocol: lines }
  web: { plugin: dashboard, inputs: [ticks, ranked, broker.fills], listen: "127.0.0.1:0", accounts: closed, file: people.db }
  screen: { plugin: console_viewer, inputs: [polled, echo, remote, connections] }
"""
# Components with processes of their own, which have no history.
APART = """
sources:
  ticks: { plugin: generator, symbols: [BTC-USD], isolation: process }
processors:
  some: { plugin: filter, inputs: [ticks], where: price > 1, isolation: process }
sinks:
  desk: { plugin: notification_dispatcher, inputs: [some], rules: [{ above: 1, initial: true }] }
"""
ROWS = {"trades": "time,symbol,price,size\n" + "".join(f"2026-01-05T14:{30 + k}:00Z,BTC-USD,{100 + k},1\n" for k in range(20)),
        "quotes": "time,symbol,bid,ask\n" + "".join(f"2026-01-05T14:{30 + k}:00Z,BTC-USD,{100 + k},{101 + k}\n" for k in range(20))}
TEST = """configuration: desk.yaml
tests:
  - name: everything
    start: 2026-01-05T14:30:00Z
    input:
      live: { BTC-USD: "100 +1x5", every: 1m }
      ticks: trades.csv
      polled: [{ at: 0s, symbol: BTC-USD, bid: 99, ask: 101 }]
      remote: { BTC-USD: "100", every: 1m }
    expect: { desk: { contains: [{ at: 0s, rule: any, price: 100 }, { at: 1m, rule: any }] } }
"""
OVER = [word for source in ["live", "ticks", "remote"] for word in ["--over", f"{source}=trades.csv"]] + ["--over", "polled=quotes.csv"]
WAYS = {
    "rehearse": ["rehearse", "desk.yaml", *OVER],
    "rehearse, against": ["rehearse", "desk.yaml", *OVER, "--against", "desk.yaml", "--format", "json"],
    "rehearse, own processes": ["rehearse", "apart.yaml", "--over", "trades.csv"],
    "test": ["test", "desk.test.yaml"],
    "test, junit": ["test", "--format", "junit"],
}
CALLS = "%network,open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,mknod,mknodat,link,linkat,symlink," \
    "symlinkat,truncate,chmod,fchmodat,execve,execveat"
# To the terminal, to nowhere, and to the program's own standard output.
HARMLESS = ("/dev/null", "/dev/tty")
# What SQLite opens to read a database with a log.
READ = ("history.db", "history.db-wal", "history.db-shm")


def effects(trace, folder, temporary):
    """What a trace shows of effects: (kind, line)."""
    found, started = [], False
    with open(trace, errors="replace") as file:
        for line in file:
            call = re.match(r"\d+ +(\w+)\((.*)", line)
            if call is None:
                continue
            name, text = call[1], call[2]
            if name in ["execve", "execveat"]:
                # The first one is the program itself.
                if started:
                    found.append(("program", line))
                started = True
            elif name == "socket":
                if "AF_INET" in text:
                    found.append(("network", line))
            elif "sin_port" in text or "sin6_port" in text:
                found.append(("network", line))
            elif "sun_path" in text:
                path = re.search(r'sun_path=@?"([^"]*)"', text)
                if path is None or not path[1].startswith(temporary + "/"):
                    found.append(("network", line))
            elif name in ["open", "openat", "openat2"]:
                if re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND", text):
                    found += changed(line, text, folder, temporary)
            elif name in ["creat", "unlink", "unlinkat", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "rmdir", "mknod", "mknodat",
                          "link", "linkat", "symlink", "symlinkat", "truncate", "chmod", "fchmodat"]:
                found += changed(line, text, folder, temporary)
    return found


def changed(line, text, folder, temporary):
    for path in re.findall(r'"((?:[^"\\]|\\.)*)"', text):
        base = re.match(r"\w+<([^>]*)>", text)
        whole = os.path.normpath(os.path.join(base[1] if base else folder, path))
        isRead = os.path.dirname(whole) == folder and os.path.basename(whole) in READ
        if not whole.startswith(temporary + "/") and whole not in HARMLESS and not isRead:
            yield "file", line


def picture(folder):
    """Every file of a folder: its size, its times, its contents."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            state = os.lstat(path)
            content = b""
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    content = file.read()
            found[os.path.relpath(path, folder)] = (state.st_size, state.st_mtime_ns, state.st_mode, hashlib.sha256(content).hexdigest())
    return found


class Cage:
    def __init__(self, program, top):
        self.program, self.top = program, top
        self.folder, self.temporary, self.home = (os.path.join(top, name) for name in ["desk", "tmp", "home"])
        for path in [self.folder, self.temporary, self.home]:
            os.mkdir(path)

    def run(self, arguments, seconds=None, ends=signal.SIGINT):
        """The status, what was said, and the effects; with seconds it gets a signal then."""
        trace = os.path.join(self.top, "trace")
        if os.path.exists(trace):
            os.remove(trace)
        environment = {"PATH": os.environ["PATH"], "HOME": self.home, "TMPDIR": self.temporary, "LANG": "C.UTF-8"}
        command = ["unshare", "-n", "strace", "-f", "-y", "-s", "300", "-o", trace, "-e", f"trace={CALLS}", self.program, *arguments]
        process = subprocess.Popen(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, start_new_session=True)
        if seconds is not None:
            time.sleep(seconds)
            os.killpg(process.pid, ends)
        try:
            said = process.communicate(timeout=120)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            sys.exit(f"stockbus {' '.join(arguments)} does not end:\n{process.communicate()[0][-3000:]}")
        return process.returncode, said, effects(trace, self.folder, self.temporary)

    def write(self, files):
        for name, text in files.items():
            with open(os.path.join(self.folder, name), "w") as out:
                out.write(text)

    def fails(self, stage):
        """Runs everything that should have no effects; true if something has."""
        wrong = False
        for way, arguments in WAYS.items():
            before = picture(self.folder) | picture(self.home)
            status, said, found = self.run(arguments)
            after = picture(self.folder) | picture(self.home)
            differ = [name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]
            left = os.listdir(self.temporary)
            fits = status == 0 and not found and not differ and not left
            print(f"{way}, {stage}: {'nothing' if fits else f'status {status}, {len(found)} effects, changed {differ}, left {left}'}", flush=True)
            if not fits:
                wrong = True
                print("".join(f"  {kind}: {line}" for kind, line in found[:10]), said[-2000:], sep="")
        return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=".build/debug/stockbus")
    parser.add_argument("--killed", action="store_true")
    arguments = parser.parse_args()
    missing = "root" if os.geteuid() != 0 else next((name for name in ["strace", "unshare"] if shutil.which(name) is None), None)
    if missing is None and subprocess.run(["unshare", "-n", "strace", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        missing = "the right to make namespaces and to trace"
    if missing is not None:
        print(f"SKIPPED: effects of rehearsals: {missing} is missing")
        sys.exit(77)
    ends = signal.SIGKILL if arguments.killed else signal.SIGINT
    wrong = False
    with tempfile.TemporaryDirectory() as top:
        cage = Cage(os.path.abspath(arguments.program), os.path.realpath(top))
        cage.write({"desk.yaml": DESK, "apart.yaml": APART, "desk.test.yaml": TEST, "trades.csv": ROWS["trades"], "quotes.csv": ROWS["quotes"]})
        wrong = cage.fails("without files") or wrong
        # From now on it begins with the last prices of the run before.
        cage.write({"desk.yaml": "history: history.db\n" + DESK})
        status, said, found = cage.run(["run", "desk.yaml", "--lenient"], 6, ends)
        kinds = {kind: sum(1 for name, _ in found if name == kind) for kind in ["network", "program", "file"]}
        print(f"run: {', '.join(f'{kind} {count}' for kind, count in kinds.items())}; {' '.join(sorted(os.listdir(cage.folder)))}", flush=True)
        if not all(kinds.values()):
            wrong = True
            print(f"  the run should have effects of each kind: status {status}\n{said[-3000:]}")
        shutil.rmtree(cage.temporary)
        os.mkdir(cage.temporary)
        wrong = cage.fails("with the files of a run") or wrong
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
