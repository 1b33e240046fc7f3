#!/usr/bin/env python3
"""The Python module with real runs: test_stockbus.py PROGRAM [unittest's options].

What needs polars, pyarrow, pandas, DuckDB or mypy is skipped where they are missing, and that is said. Runs have their sockets in a folder of the
test's own. Nothing depends on how fast anything is.
"""
import ast
import datetime
import http.client
import importlib.util
import io
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from decimal import Decimal

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODULE = ROOT / "Sources/Python/stockbus.py"
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else os.environ.get("STOCKBUS", "")
sys.dont_write_bytecode = True
sys.path[:0] = [str(MODULE.parent)]
import stockbus  # noqa: E402

LIVE = """
sources:
  ticks: { plugin: generator, symbols: 5, interval: 20ms, seed: 7 }
processors:
  marked: { plugin: derive, inputs: [ticks], columns: { vwap: vwap(session), rising: "price > sma(price, 5)" } }
  silent: { plugin: filter, inputs: [ticks], where: "price < 0" }
sinks:
  out: { plugin: null_sink, inputs: [marked, silent] }
"""
DATA = """
sources:
  ticks: { plugin: generator, symbols: 40, interval: 20ms, count: 3000, seed: 3, start: 2024-07-01T13:30:00Z }
processors:
  marked: { plugin: derive, inputs: [ticks], columns: { vwap: vwap(session), rising: "price > sma(price, 5)" } }
  bars: { plugin: bars, inputs: [marked], lengths: [1s] }
sinks:
  out: { plugin: null_sink, inputs: [bars] }
"""
# A source that begins when it is told, with texts of two kilobytes.
NEWS = """
sources:
  news: { plugin: program_source, run: [python3, PROGRAM], emits: alert, timeout: 60s }
sinks:
  out: { plugin: null_sink, inputs: [news] }
"""
NEWS_PROGRAM = """
import sys
sys.path[:0] = [%r]
from stockbus_plugin import Source, run

class News(Source):
    emits = "alert"
    going = False

    def command(self, words):
        News.going = True
        return "it begins"

    def events(self):
        while not News.going:
            if self.wait(0.01):
                return
        for n in range(%d):
            yield {"symbol": "AAPL", "price": 1, "time": "2024-07-01T13:30:00Z", "rule": "test", "message": f"{n} " + "x" * 2000}

run(News)
"""


def has(*names):
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f"SKIPPED: needs {', '.join(missing)}")


def nanoseconds(text):
    """The nanoseconds since 1970 of a time in JSON."""
    whole, _, rest = text.rstrip("Z").partition(".")
    moment = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
    return int(moment.timestamp()) * 10**9 + int(rest.ljust(9, "0") or 0)


def record(line):
    """A record of JSON as `Batch.rows` has it."""
    row = json.loads(line, parse_float=Decimal, parse_int=Decimal)
    for name in ("time", "received"):
        row[name] = nanoseconds(row[name])
    return row


def present(row):
    """A row without what is missing, and without the condition that JSON leaves out. A turnover is a text in a table, as no 64 bits hold it."""
    row = {name: Decimal(value) if name == "turnover" else value for name, value in row.items() if value is not None}
    return {name: value for name, value in row.items() if (name, value) != ("condition", "regular")}


class Case(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.chmod(self.folder, 0o700)
        saved = dict(os.environ)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(saved)))
        os.environ.update(XDG_RUNTIME_DIR=self.folder, STOCKBUS=PROGRAM, NO_COLOR="1")

    def write(self, text, name="desk.yaml"):
        path = os.path.join(self.folder, name)
        with open(path, "w") as out:
            out.write(text)
        return path

    def start(self, text=LIVE, name="desk.yaml"):
        run = stockbus.run(self.write(text, name))
        self.addCleanup(run.stop)
        return run

    def until(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, "it does not come about")
            time.sleep(0.02)

    def wrong(self, *words):
        """The next block raises an `Error` that says this."""
        case = self

        class Wrong:
            def __enter__(self):
                pass

            def __exit__(self, kind, error, _):
                case.assertIs(kind, stockbus.Error, f"no error, or another one: {error!r}")
                for word in words:
                    case.assertIn(word, str(error))
                return True

        return Wrong()


class Exactness(Case):
    def test_a_tap_has_what_the_same_tap_as_json_has(self):
        run = self.start()
        json_rows, begun = {}, threading.Event()
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(run.path)
        self.addCleanup(connection.close)
        connection.request("GET", "/components/marked/tap?format=json")
        answer = connection.getresponse()
        last = []

        def listen():
            for line in answer:
                begun.set()
                if line.startswith(b"data: {"):
                    row = record(line[6:])
                    json_rows[row["symbol"], row["time"]] = present(row)
                    if last and row["time"] > last[0]:
                        return

        listener = threading.Thread(target=listen)
        listener.start()
        self.assertTrue(begun.wait(60))
        batch = run.tap("marked", limit=300).read()
        last.append(batch.rows()[-1]["time"])
        listener.join()
        rows = batch.rows()
        self.assertEqual(len(rows), 300)
        self.assertEqual(batch.columns, ["symbol", "price", "size", "side", "time", "received", "condition", "vwap", "rising"])
        self.assertTrue(any(row["rising"] is not None for row in rows) and all(isinstance(row["price"], Decimal) for row in rows))
        for row in rows:
            self.assertEqual(present(row), json_rows[row["symbol"], row["time"]])

    def test_a_print_has_what_the_same_print_as_json_has(self):
        config = self.write(DATA)
        for component in ("marked", "bars"):
            done = subprocess.run([PROGRAM, "print", "--from", component, "--format", "json", config], capture_output=True, check=True)
            want = [present(record(line)) for line in done.stdout.splitlines()]
            batch = stockbus.print(config, component)
            self.assertEqual((len(batch), len(batch.rows()), batch.left_out), (len(want), len(want), 0))
            for row, wanted in zip(batch.rows(), want):
                self.assertEqual(present(row), wanted)
        chosen = stockbus.print(config, "marked", where="symbol == AAPL and price > 1", fields=["price", "symbol"], limit=7)
        self.assertEqual((chosen.columns, len(chosen)), (["price", "symbol"], 7))
        self.assertEqual(len(stockbus.print(config, "marked", once=True)), 40)

    @has("polars")
    def test_polars(self):
        batch = stockbus.print(self.write(DATA), "marked")
        frame = batch.to_polars()
        self.assertEqual(frame.columns, batch.columns)
        rows = batch.rows()
        for name in ("symbol", "price", "size", "vwap", "rising"):
            self.assertEqual(frame[name].to_list(), [row[name] for row in rows])
        self.assertEqual(frame["time"].to_physical().to_list(), [row["time"] for row in rows])

    @has("pyarrow")
    def test_pyarrow(self):
        batch = stockbus.print(self.write(DATA), "bars")
        table, rows = batch.to_arrow(), batch.rows()
        self.assertEqual((table.column_names, table.num_rows), (batch.columns, len(rows)))
        for name in ("symbol", "close", "volume", "turnover", "count"):
            self.assertEqual(table[name].to_pylist(), [row[name] for row in rows])
        self.assertEqual(table["time"].cast("int64").to_pylist(), [row["time"] for row in rows])

    @has("pyarrow", "pandas")
    def test_pandas(self):
        batch = stockbus.print(self.write(DATA), "bars", limit=50)
        self.assertEqual(list(batch.to_pandas()["close"]), [row["close"] for row in batch.rows()])

    @has("pyarrow", "duckdb")
    def test_duckdb(self):
        import duckdb

        batch = stockbus.print(self.write(DATA), "marked")
        trades = batch.to_arrow()  # noqa: F841: DuckDB finds it by its name
        found = dict(duckdb.sql("SELECT symbol, sum(size) FROM trades GROUP BY symbol").fetchall())
        want = {}
        for row in batch.rows():
            want[row["symbol"]] = want.get(row["symbol"], 0) + row["size"]
        self.assertEqual(found, want)


class Taps(Case):
    def test_what_is_chosen_comes_and_the_end_is_told(self):
        run = self.start()
        tap = run.tap("ticks", where="symbol == MSFT", fields="symbol,price", limit=3)
        rows = [row for batch in tap for row in batch.rows()]
        self.assertEqual([list(row) for row in rows], [["symbol", "price"]] * 3)
        self.assertEqual({row["symbol"] for row in rows}, {"MSFT"})
        self.assertEqual((tap.end, tap.left_out), ("the limit is reached", 0))
        self.assertRaises(StopIteration, next, tap)
        silent = run.tap("silent", seconds=0.05)
        self.assertEqual((list(silent), silent.end), ([], "the time is over"))
        self.assertEqual(len(run.tap("silent", seconds=0.05).read()), 0)

    def test_a_wrong_request_says_where(self):
        run = self.start()
        with self.wrong("'where': column 14", "'prise'"):
            run.tap("ticks", where="size > 1 and prise > 3")
        with self.wrong("'fields' names 'prise'"):
            run.tap("ticks", fields=["prise"])
        with self.wrong("there is no component 'tocks'"):
            run.tap("tocks")
        with self.wrong("is a sink"):
            run.tap("out")
        with self.wrong("whole number"):
            run.tap("ticks", limit=0)
        with self.wrong("time up to 24h"):
            run.tap("ticks", seconds=1e9)
        with self.wrong("unknown command"):
            run.tell("ticks", "nonsense")
        self.assertEqual(stockbus.tell("ticks", "set AAPL 321.5"), "AAPL is now 321.50")

    def news(self, count):
        program = self.write(NEWS_PROGRAM % (str(ROOT / "Examples/plugins/python"), count), "news.py")
        return self.start(NEWS.replace("PROGRAM", program))

    def test_a_client_that_does_not_read_is_told_how_many_are_missing(self):
        count = 6000
        run = self.news(count)
        with run.tap("news") as tap:
            self.assertEqual(run.tell("news", "send go"), "it begins")
            # The source has said all, and the run has let it go on: the client has read nothing yet.
            self.until(lambda: not os.path.exists(run.path) or run.status()["components"][0]["published"] == count)
            rows = [row for batch in tap for row in batch.rows()]
        self.assertGreater(tap.left_out, 0)
        self.assertEqual(len(rows) + tap.left_out, count)
        numbers = [int(row["message"].split()[0]) for row in rows]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertIn("ended", tap.end)

    def test_a_component_that_ends(self):
        run = self.news(20)
        tap = run.tap("news")
        run.tell("news", "send go")
        self.assertEqual(sum(map(len, tap)), 20)
        self.assertEqual((tap.end, tap.left_out), ("the component has ended, or was removed from the run", 0))
        run.stop()
        with self.wrong("the run has ended"):
            run.tap("news")

    def test_a_run_that_is_stopped_or_killed_in_the_middle(self):
        run = self.start()
        tap = run.tap("ticks")
        self.assertGreater(len(next(tap)), 0)
        stopper = threading.Thread(target=run.stop)
        stopper.start()
        for _ in tap:
            pass
        stopper.join()
        self.assertEqual(tap.end, "the component has ended, or was removed from the run")
        run = self.start()
        tap = run.tap("ticks")
        next(tap)
        os.kill(run.pid, signal.SIGKILL)
        with self.wrong("broken off"):
            list(tap)
        self.assertEqual(run.stop(), -signal.SIGKILL)
        self.assertEqual(stockbus.runs(), [])

    def test_a_tap_can_be_closed_and_interrupted(self):
        run = self.start()
        with run.tap("ticks") as tap:
            next(tap)
        self.assertEqual((list(tap), tap.end), ([], None))
        # A shell's background jobs, and so their children, ignore the signal.
        script = "import signal, stockbus\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
        script += "with stockbus.tap('silent') as tap:\n  print('follows', flush=True)\n  next(tap)"
        environment = dict(os.environ, PYTHONPATH=str(MODULE.parent))
        child = subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(child.stdout.readline(), b"follows\n")
        child.send_signal(signal.SIGINT)
        self.assertIn(b"KeyboardInterrupt", child.communicate(timeout=60)[1])
        self.assertEqual(child.returncode, -signal.SIGINT)
        self.assertEqual(run.status()["state"], "running")

    def test_a_malformed_stream_is_an_error_and_nothing_else(self):
        stream = stockbus.print(self.write(DATA), "bars", limit=30).to_bytes()
        rng, outcomes = random.Random(5), set()
        for _ in range(400):
            damaged = bytearray(stream)
            for _ in range(rng.choice([1, 1, 5])):
                damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
            damaged = damaged[: rng.choice([len(damaged), rng.randrange(len(damaged))])]
            try:
                stockbus._whole(io.BytesIO(damaged)).rows()
                outcomes.add("read")
            except stockbus.Error:
                outcomes.add("refused")
        self.assertEqual(outcomes, {"read", "refused"})


class Runs(Case):
    def test_runs_and_their_status(self):
        self.assertEqual(stockbus.runs(), [])
        with self.wrong("there are no runs", "stockbus.run"):
            stockbus.status()
        with stockbus.run(self.write(LIVE)) as run:
            (found,) = stockbus.runs()
            self.assertEqual((found.name, found.pid, found.path), ("desk", run.pid, run.path))
            self.assertEqual(found.configuration, [self.folder + "/desk.yaml"])
            self.assertEqual([each["id"] for each in stockbus.status()["components"]], ["ticks", "marked", "silent", "out"])
        self.assertEqual(stockbus.runs(), [])
        self.assertIn("every event is accounted for", run.output)
        self.assertEqual(run.stop(), 0)

    def test_a_run_of_somebody_else_is_stopped_by_its_socket(self):
        run = self.start()
        (found,) = stockbus.runs()
        self.assertEqual(found.stop(), 0)
        self.assertEqual(run.stop(), 0)

    def test_of_two_runs_one_has_to_be_named(self):
        first, second = self.start(name="first.yaml"), self.start(name="second.yaml")
        with self.wrong("which run?", "run='first'", f"run={second.pid}", "second.yaml"):
            stockbus.tap("ticks")
        with self.wrong("no run 'third'", "run='second'"):
            stockbus.status("third")
        for named, meant in (("first", first), (second.pid, second), (str(second.pid), second), (first, first)):
            self.assertEqual(stockbus.status(named)["process"], meant.pid)
        # Of several the one of this folder, if it is the only one there.
        inner = os.path.join(self.folder, "inner")
        os.mkdir(inner)
        third = self.start(name="inner/third.yaml")
        before = os.getcwd()
        os.chdir(inner)
        try:
            self.assertEqual(stockbus.status()["process"], third.pid)
        finally:
            os.chdir(before)

    def test_a_broken_configuration_is_told_with_its_line(self):
        config = self.write("sources:\n  a: { plugin: generator, symbls: 3 }\n")
        for begin in (stockbus.run, stockbus.print):
            with self.wrong("desk.yaml:2:27: error: source 'a': unknown option 'symbls'"):
                begin(config)
            with self.wrong("missing.yaml: error: no such file"):
                begin(os.path.join(self.folder, "missing.yaml"))
        with self.wrong("desk.yaml"):
            stockbus.run([config])
        os.environ["STOCKBUS"] = os.path.join(self.folder, "nothing")
        for begin in (stockbus.run, stockbus.print):
            with self.wrong("nothing' cannot be started", "STOCKBUS"):
                begin(config)

    def test_a_run_that_is_over_at_once(self):
        with stockbus.run(self.write(DATA)) as run:
            self.until(lambda: run._process.poll() is not None)
            with self.wrong("the run has ended"):
                run.tap("bars")
        self.assertEqual(run.stop(), 0)

    def test_a_run_ends_with_the_program_that_has_started_it(self):
        script = f"import stockbus\nrun = stockbus.run({self.write(LIVE)!r})\nstockbus.runs()[0].tap('ticks', limit=1).read()"
        subprocess.run([sys.executable, "-c", script], env=dict(os.environ, PYTHONPATH=str(MODULE.parent)), check=True, timeout=120)
        self.assertEqual(stockbus.runs(), [])

    def test_a_folder_that_others_may_enter_is_refused(self):
        os.mkdir(os.path.join(self.folder, "stockbus"), 0o777)
        os.chmod(os.path.join(self.folder, "stockbus"), 0o777)
        with self.wrong("other users may enter it"):
            stockbus.runs()


class Packing(Case):
    def wheel(self, name):
        folder = os.path.join(self.folder, name)
        subprocess.run([sys.executable, ROOT / "Scripts/wheel.py", folder], check=True, stdout=subprocess.DEVNULL)
        (wheel,) = pathlib.Path(folder).glob("stockbus-*.whl")
        return wheel

    def test_the_wheel_installs_by_itself_and_is_the_same_each_time(self):
        wheel = self.wheel("one")
        self.assertEqual(wheel.read_bytes(), self.wheel("two").read_bytes())
        venv = os.path.join(self.folder, "venv")
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        python = os.path.join(venv, "bin/python")
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", wheel], check=True)
        script = "import stockbus, os; print(stockbus.runs(), os.listdir(os.path.dirname(stockbus.__file__)))"
        done = subprocess.run([python, "-c", script], check=True, capture_output=True, text=True, cwd=self.folder)
        self.assertTrue(done.stdout.startswith("[] ") and "py.typed" in done.stdout, done)
        subprocess.run([python, "-m", "pip", "check", "--disable-pip-version-check"], check=True, stdout=subprocess.DEVNULL)

    def test_it_needs_no_more_than_python_3_9(self):
        ast.parse(MODULE.read_text(), feature_version=(3, 9))

    @has("mypy")
    def test_types(self):
        command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--cache-dir", self.folder, MODULE]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    if not PROGRAM:
        sys.exit("which program? test_stockbus.py PROGRAM")
    unittest.main(verbosity=2)
