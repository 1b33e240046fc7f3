"""Prices to many browsers: the server on one core, the browsers on another; every frame is checked as it comes, and the last prices with the run's record."""
import csv
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from ..machine import CORES, ONE_CORE, Failed, lines_of_json, run
from ..setup import BIN, PEERS, PYTHON, STOCKBUS
from ..work import US, Contestant, Once, Sample, Work, figure

SYMBOLS, ROWS, BROWSERS = 1_000, 50, 300
# So that together they look at every symbol.
WINDOWS = 25
OTHER_CORE = str(min(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else "all"
PLAIN, PLAIN_ALL = "websockets, the same 50 rows for all", "websockets, all 1,000 rows"
LIMIT = "C, one thread, the same 50 rows (limit)"
WINDOW, DELTAS = "Perspective, 50 rows as Arrow, no sockets", "Perspective, the changed rows, no sockets"
STALLED, APART = "stockbus, 10 more of them stalled", "stockbus, each browser another window"

# `still` keeps the run going when the prices have ended, so that everybody gets the last ones.
CONFIG = """sources:
  ticks: {{ plugin: generator, symbols: {symbols}, interval: {interval}ms, count: {count}, seed: 42 }}
  still: {{ plugin: generator, symbols: [STILL], interval: 1h }}
sinks:
  web: {{ plugin: dashboard, inputs: [ticks, still], listen: "127.0.0.1:0", rate: {rate}, clients: 2000, file: "-" }}
  kept: {{ plugin: file_writer, inputs: [ticks], path: {folder}/kept.csv }}
"""


def length(seconds, browsers):
    """How long prices come: with the start, one browser alone, everybody's first frame, warming up, and some seconds behind the measuring."""
    return seconds + 4 + browsers / 100


class Server:
    """A server on one core until the block ends; `port` waits for its address."""

    def __init__(self, command, address, folder):
        self.command, self.address = [str(part) for part in command], re.compile(address)
        self.told = Path(folder) / "told"

    def __enter__(self):
        with open(self.told, "wb") as told:
            pin = (lambda: os.sched_setaffinity(0, {int(ONE_CORE)})) if ONE_CORE != "all" else None
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=told, stderr=told, preexec_fn=pin)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def port(self, patience=20):
        end = time.monotonic() + patience
        while time.monotonic() < end and self.process.poll() is None:
            if found := self.address.search(self.told.read_text()):
                return int(found[1])
            time.sleep(0.02)
        raise Failed(f"no server: {self.told.read_text()[-300:]}")

    def end(self):
        """Ends it in good order; answers what it said."""
        self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            raise Failed("it does not end") from None
        told = self.told.read_text()
        if status != 0:
            raise Failed(f"status {status}: {told[-400:]}")
        return told


def browse(server, **options):
    """Lets browsers look at a server; answers their figures."""
    words = [f"{name}={value}" for name, value in options.items()]
    done = run([BIN / "browsers", f"port={server.port()}", f"pid={server.process.pid}", *words], cores=OTHER_CORE)
    figures = lines_of_json(done.output)[0]
    # The server's share while it is not measured is about the same as while it is.
    share = figures["server_cpu"] / figures["seconds"]
    figures["others"] = max(0.0, done.others - share / CORES)
    return figures


def last_prices(path):
    """Symbol: (price in 1e-9, updates)."""
    with open(path) as file:
        return {row[0]: (int(row[1]), int(row[2])) for row in csv.reader(file)}


def recorded(path):
    """The same from the run's own record."""
    last, updates = {}, {}
    with open(path) as file:
        for row in csv.DictReader(file):
            last[row["symbol"]] = row["price"]
            updates[row["symbol"]] = updates.get(row["symbol"], 0) + 1
    return {symbol: (raw(price), updates[symbol]) for symbol, price in last.items()}


def raw(price):
    whole, _, part = price.partition(".")
    return int(whole + part.ljust(9, "0"))


def of_stockbus(seconds, rate=20, hertz=20, browsers=BROWSERS, stalled=0, windows=WINDOWS):
    """All symbols change `hertz` times a second."""
    def measure():
        with tempfile.TemporaryDirectory(prefix="stockbus-bench-") as folder:
            count = int(length(seconds, browsers) * hertz) * SYMBOLS
            config = Path(folder) / "web.yaml"
            config.write_text(CONFIG.format(symbols=SYMBOLS, interval=1000 // hertz, count=count, rate=rate, folder=folder))
            with Server([STOCKBUS, "run", config], r"http://127\.0\.0\.1:(\d+)/", folder) as server:
                prices = Path(folder) / "prices.csv"
                figures = browse(
                    server, clients=browsers, stalled=stalled, windows=windows, rows=ROWS, symbols=SYMBOLS + 1, seconds=seconds, prices=prices)
                told = server.end()
            if "balanced: every event is accounted for" not in told:
                raise Failed(f"the ledger does not balance: {told[-400:]}")
            shown, kept = last_prices(prices), recorded(f"{folder}/kept.csv")
            shown.pop("STILL", None)
            if sum(updates for _, updates in kept.values()) != count:
                raise Failed(f"the run has not kept its {count} events")
            if shown != kept:
                wrong = sorted(symbol for symbol in kept if shown.get(symbol) != kept[symbol])
                raise Failed(f"{len(wrong)} symbols are shown as they are not, such as {wrong[:3]}")
            given = int(re.search(r"web: .*?frames ([\d,]+)", told)[1].replace(",", ""))
            if given != figures["all"]:
                raise Failed(f"{given} frames were given, {figures['all']} came")
            if figures["gone"]:
                raise Failed(f"{figures['gone']} browsers were cut off")
            return figures

    return measure


def of_plain(program, seconds, rate=20, rows=ROWS, answers=0):
    """Everybody gets the same rows; with `answers` each says that it has painted them, as a browser of stockbus does."""
    def measure():
        with tempfile.TemporaryDirectory(prefix="stockbus-bench-") as folder:
            record, prices = Path(folder) / "record.csv", Path(folder) / "prices.csv"
            command = [*program, rate, rows, SYMBOLS, int(length(seconds, BROWSERS) * rate), record]
            with Server(command, r"^(\d+)\n", folder) as server:
                figures = browse(
                    server, protocol="plain", answers=answers, clients=BROWSERS, windows=1, rows=rows, symbols=SYMBOLS, seconds=seconds,
                    prices=prices)
                server.end()
            if last_prices(prices) != last_prices(record):
                raise Failed("other prices came than were sent")
            return figures

    return measure


def of_perspective(how, seconds, rate=20):
    def measure():
        program = [PYTHON, PEERS / "python" / "perspective_windows.py", how, rate, BROWSERS, ROWS, SYMBOLS, seconds]
        done = run(program, cores=ONE_CORE)
        figures = lines_of_json(done.output)[0]
        if not figures["right"]:
            raise Failed("a view is not right")
        return {**figures, "others": done.others}

    return measure


def contestant(name, runs, of, peer=""):
    """`of` makes a table's figure of a run's."""

    def measure():
        figures = runs(of)
        extra = {key: value for key, value in figures.items() if key != "others"}
        # Of one core, while it was measured.
        extra["cpu"] = figures["server_cpu"] / figures["seconds"]
        return Sample(of(figures), figures["others"], extra)

    return Contestant(name, measure, peer)


def p99(figures):
    return figures["latency_p99"]


def cpu_of_a_frame(figures):
    return figures["server_cpu"] / figures["frames"] * 1e6


def memory(figures):
    return max(0, figures["rss_after"] - figures["rss_one"]) / (figures["clients"] - 1)


def traffic(figures):
    return figures["wire"] / 1024


def frames(figures):
    return figures["rate"]


def works(quick):
    seconds = 3 if quick else 5
    python, c = [PYTHON, PEERS / "python" / "websockets_fanout.py"], [BIN / "fanout"]
    ours, limit = Once(of_stockbus(seconds)), Once(of_plain(c, seconds, answers=1))
    plain, plain_all = Once(of_plain(python, seconds)), Once(of_plain(python, seconds, rows=SYMBOLS))
    window, deltas = Once(of_perspective("window", seconds)), Once(of_perspective("rows", seconds))
    stalled = Once(of_stockbus(seconds, stalled=10))

    def served(of):
        return [contestant(US, ours, of), contestant(PLAIN, plain, of, "websockets"), contestant(PLAIN_ALL, plain_all, of, "websockets")]

    def all_of(of):
        return [
            *served(of), contestant(LIMIT, limit, of, "fanout"), contestant(WINDOW, window, of, "perspective"),
            contestant(DELTAS, deltas, of, "perspective"), contestant(STALLED, stalled, of),
        ]

    # 30,000 frames a second are asked for.
    flat, apart = (Once(of_stockbus(seconds, rate=60, hertz=50, browsers=600, windows=windows)) for windows in (WINDOWS, 600))
    return [
        Work(
            "web-latency", f"{BROWSERS} browsers at 20 Hz, {SYMBOLS:,} changing symbols: from a frame to its receipt, 99th percentile", "ms",
            all_of(p99),
            goals=[figure("at most 10 ms", 10), figure("at most 10 ms for the others, 10 of 310 stalled", 10, of=STALLED)]),
        Work("web-cpu", "The same: the server's processor time for a frame", "CPU µs a frame", all_of(cpu_of_a_frame)),
        Work(
            "web-memory", "The same: resident memory for each browser more", "KiB a browser",
            [*served(memory), contestant(STALLED, stalled, memory)], goals=[figure("at most 16 KiB", 16)]),
        Work("web-traffic", "The same: bytes to each browser", "KiB/s", served(traffic)),
        Work(
            "web-capacity", "As many frames as one core gives, all prices changing 50 times a second", "frames/s",
            [
                contestant(US, flat, frames), contestant(APART, apart, frames),
                contestant(LIMIT, Once(of_plain(c, seconds, rate=200, answers=1)), frames, "fanout"),
                contestant(PLAIN, Once(of_plain(python, seconds, rate=200)), frames, "websockets"),
                contestant(WINDOW, Once(of_perspective("window", seconds, rate=0)), frames, "perspective"),
            ],
            higher_is_better=True, goals=[figure("at least 10,000 frames/s", 10_000, at_least=True)]),
    ]
